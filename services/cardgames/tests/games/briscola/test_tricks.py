"""The vectors of the rule pages for one trick: cards in play order, the trump's suit, who takes it, its points."""

from __future__ import annotations

import pytest
from circolo_cardgames.games.briscola.rules import STRENGTH, beats, trick_winner
from circolo_cardgames.games.briscola.scoring import points_of
from circolo_contracts.cardgames import PlayedCard
from circolo_contracts.cards import DECK, Card


def decide(trick: str, trump: str) -> tuple[int, int]:
    """(place of the winner in play order, from 1; points)."""
    played = [PlayedCard(Card(card), place) for place, card in enumerate(trick.split(), 1)]
    return trick_winner(played, trump), sum(points_of(p.card) for p in played)


def test_cards_B1_the_asso_beats_the_three_of_its_suit() -> None:
    assert decide("1C 3C", "D") == (1, 21)


def test_cards_B2_the_smallest_trump_beats_an_asso() -> None:
    assert decide("1C 2D", "D") == (2, 11)


def test_cards_B3_a_higher_card_of_another_suit_does_not_win() -> None:
    assert decide("2C 10S", "D") == (1, 4)


def test_cards_B4_between_trumps_the_higher_wins() -> None:
    assert decide("2D 4D", "D") == (2, 0)


def test_cards_B5_a_late_trump_takes_three_bastoni() -> None:
    assert decide("3B 1B 2D 10D", "D") == (4, 25)


def test_cards_B6_nobody_follows_the_suit_led_and_the_first_card_wins() -> None:
    assert decide("7S 1B 3C 6S", "D") == (1, 21)


def test_cards_B7_without_a_trump_the_highest_of_the_suit_led_wins() -> None:
    assert decide("4D 7D 2C 5D", "S") == (2, 0)


def test_cards_B8_the_trump_suit_led_is_won_by_its_highest() -> None:
    assert decide("5D 1S 3S 6D", "D") == (4, 21)


def test_cards_B9_the_trump_asso_beats_the_trump_three() -> None:
    assert decide("3S 1S", "S") == (2, 21)


def test_cards_bug_6_the_ranks_stand_in_the_order_of_the_game() -> None:
    assert sorted(STRENGTH, key=STRENGTH.__getitem__, reverse=True) == [1, 3, 10, 9, 8, 7, 6, 5, 4, 2]


def test_the_deck_holds_120_points() -> None:
    assert sum(map(points_of, DECK)) == 120
    assert [points_of(Card(f"{rank}C")) for rank in range(1, 11)] == [11, 0, 10, 0, 0, 0, 0, 2, 3, 4]


@pytest.mark.parametrize("trump", list("DCSB"))
def test_of_any_two_cards_exactly_one_takes_the_trick_whoever_leads_in_the_same_or_the_trump_suit(trump: str) -> None:
    for first in DECK:
        for second in DECK:
            if first != second and (first[-1] == second[-1] or trump in (first[-1], second[-1])):
                assert beats(second, first, trump) != beats(first, second, trump)
