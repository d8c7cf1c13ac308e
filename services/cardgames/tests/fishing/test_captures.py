"""What a card takes. Of the vectors' column "fewestCards" nothing is built: the choice among sums is free."""

from __future__ import annotations

from itertools import combinations

import pytest
from circolo_cardgames.fishing.captures import captures
from circolo_cardgames.fishing.rules import Fishing
from circolo_cardgames.games.deal import Deal, Move
from circolo_contracts.cardgames import CardPlayed, LegalMove
from circolo_contracts.cards import DECK, RANK_OF, Card
from circolo_contracts.refusals import RefusalCode
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

RULES = Fishing()
ILLEGAL = RefusalCode.ILLEGAL_CAPTURE


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def lying(table: str, hand: str) -> Deal:
    """Seat 0 is on turn with that hand; seat 1 still holds a card, and there is a stock."""
    nothing: tuple[tuple[Card, ...], ...] = ((), ())
    held = (cards(hand), cards("10B"))
    return Deal(hands=held, piles=nothing, turn=0, stock=cards("9B"), sweeps=nothing, table=cards(table))


def options(table: str, card: str) -> list[set[Card]]:
    [move] = RULES.legal_moves(lying(table, card))
    return [set(capture) for capture in move.captures]


def play(table: str, card: str, capture: str | None = None) -> CardPlayed:
    deal = lying(table, card)
    move = Move(Card(card), 0, None if capture is None else cards(capture))
    assert RULES.refusal(deal, move) is None
    return RULES.played(deal, move, 0)


def refused(table: str, card: str, capture: str | None = None) -> RefusalCode | None:
    return RULES.refusal(lying(table, card), Move(Card(card), 0, None if capture is None else cards(capture)))


def test_cards_S1_an_equal_card_must_be_taken_and_no_sum() -> None:
    assert options("7D 3C 4S", "7B") == [{"7D"}]
    assert play("7D 3C 4S", "7B").captured == ["7D"]
    assert refused("7D 3C 4S", "7B", "3C 4S") is ILLEGAL


def test_cards_S2_between_two_sums_the_player_chooses_and_nothing_is_guessed() -> None:
    assert options("3C 4S 5D 2B", "7B") == [{"3C", "4S"}, {"5D", "2B"}]
    assert refused("3C 4S 5D 2B", "7B") is ILLEGAL
    assert play("3C 4S 5D 2B", "7B", "2B 5D").captured == ["5D", "2B"]


def test_cards_S4_a_king_takes_ace_two_three_and_four_and_makes_a_scopa() -> None:
    event = play("1D 2C 3S 4B", "10C")
    assert (event.captured, event.sweep) == ([*cards("1D 2C 3S 4B")], True)


def test_cards_S5_a_card_that_takes_nothing_stays_on_the_table() -> None:
    event = play("2D 3C", "9S")
    assert (event.captured, event.sweep) == (UNSET, UNSET)
    assert RULES.evolve(lying("2D 3C", "9S"), event).table == cards("2D 3C 9S")


def test_cards_S6_two_aces_and_a_two_are_taken_by_a_four() -> None:
    event = play("1D 1C 2S", "4B")
    assert (event.captured, event.sweep) == ([*cards("1D 1C 2S")], True)


def test_cards_S8_the_sum_with_more_cards_may_be_chosen_too() -> None:
    assert options("6C 2D 1S 1B", "8D") == [{"6C", "2D"}, {"6C", "1S", "1B"}]
    assert play("6C 2D 1S 1B", "8D", "6C 1S 1B").captured == [*cards("6C 1S 1B")]


def test_cards_S10_a_knave_takes_the_knave_and_not_the_fours() -> None:
    assert options("4D 4C 8S", "8B") == [{"8S"}]


def test_cards_S11_knight_and_ace_are_a_scopa_for_a_king() -> None:
    assert play("9S 1D", "10C").sweep is True


def test_cards_S12_in_plain_scopa_an_ace_takes_an_ace() -> None:
    event = play("1D 2D", "1S")
    assert (event.captured, event.sweep) == (["1D"], UNSET)


def test_cards_S13_three_threes_are_taken_by_a_knight_and_the_ace_stays() -> None:
    event = play("3D 3C 3S 1B", "9D")
    assert (event.captured, event.sweep) == ([*cards("3D 3C 3S")], UNSET)
    assert RULES.evolve(lying("3D 3C 3S 1B", "9D"), event).table == cards("1B")


def test_cards_S14_laying_on_an_empty_table_is_no_scopa() -> None:
    event = play("", "5D")
    assert (event.captured, event.sweep) == (UNSET, UNSET)
    after = RULES.evolve(lying("", "5D"), event)
    assert (after.table, after.sweeps, after.taker) == (cards("5D"), ((), ()), -1)


def test_cards_S15_half_a_sum_is_refused() -> None:
    assert refused("3C 4S", "7B", "3C") is ILLEGAL


def test_cards_S16_capturing_is_compulsory_for_the_card_that_is_played() -> None:
    assert refused("3C 4S", "7B", "") is ILLEGAL
    assert play("3C 4S", "7B").captured == [*cards("3C 4S")]


def test_cards_S18_another_card_may_be_played_though_one_in_the_hand_captures() -> None:
    assert RULES.legal_moves(lying("7D", "7B 2C")) == [LegalMove(Card("7B"), [[Card("7D")]]), LegalMove(Card("2C"))]
    assert RULES.refusal(lying("7D", "7B 2C"), Move(Card("2C"), 0)) is None


@pytest.mark.parametrize("capture", ["3C 4S 4S", "3C 4B", "3C 4S 9B", "7B"])
def test_cards_S19_a_card_twice_or_one_that_does_not_lie_there_is_refused(capture: str) -> None:
    assert refused("3C 4S", "7B", capture) is ILLEGAL


def test_cards_S20_a_card_that_is_not_in_the_hand_is_refused_before_its_capture_is_looked_at() -> None:
    deal = lying("7D", "2C")
    assert RULES.refusal(deal, Move(Card("7B"), 0, cards("7D"))) is RefusalCode.CARD_NOT_IN_HAND
    assert RULES.refusal(deal, Move(Card("10B"), 0)) is RefusalCode.CARD_NOT_IN_HAND
    assert RULES.refusal(deal, Move(Card("99X"), 0, cards("7D"))) is RefusalCode.CARD_NOT_IN_HAND


def test_of_several_equal_cards_the_player_takes_one() -> None:
    assert options("7D 7C 2S", "7B") == [{"7D"}, {"7C"}]
    assert refused("7D 7C 2S", "7B") is ILLEGAL
    assert refused("7D 7C 2S", "7B", "7D 7C") is ILLEGAL


def test_a_card_that_takes_nothing_may_say_so_and_may_not_name_a_capture() -> None:
    assert refused("2D 3C", "9S", "") is None
    assert refused("2D 3C", "9S", "2D") is ILLEGAL


@given(st.lists(st.sampled_from(DECK), unique=True, max_size=8), st.integers(1, 10))
def test_the_fast_walk_finds_every_capture_once_and_no_other(table: list[Card], rank: int) -> None:
    equal = [{card} for card in table if RANK_OF[card] == rank]
    sums = [
        set(some)
        for size in range(2, len(table) + 1)
        for some in combinations(table, size)
        if sum(RANK_OF[card] for card in some) == rank
    ]
    found = captures(tuple(table))[rank]
    assert sorted(sorted(capture) for capture in found) == sorted(sorted(one) for one in equal or sums)
    assert all([card for card in table if card in capture] == list(capture) for capture in found)
