"""The vectors of the rule pages for one trick: cards in play order, who takes it, its thirds; and following suit."""

from __future__ import annotations

import pytest
from circolo_cardgames.following.cards import STRENGTH, THIRDS, holder, thirds_of
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.tressette.rules import Tressette
from circolo_contracts.cardgames import PlayedCard
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode

RULES = Tressette()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def decide(trick: str) -> tuple[int, int]:
    """(place of the winner in play order, from 1; thirds)."""
    played = [PlayedCard(card, place) for place, card in enumerate(cards(trick), 1)]
    return holder(played).seat, thirds_of(each.card for each in played)


def answering(led: str, hand: str, *, stock: str = "") -> Deal:
    """Seat 1 of two answers the card that seat 0 led."""
    return Deal(
        hands=((), cards(hand)), piles=((), ()), turn=1, stock=cards(stock), trick=(PlayedCard(Card(led), 0),)
    )  # fmt: skip


def may(deal: Deal) -> str:
    return " ".join(move.card for move in RULES.legal_moves(deal))


def test_cards_T1_the_three_takes_two_asso_and_re() -> None:
    assert decide("3C 2C 1C 10C") == (1, 6)


def test_cards_T2_cards_of_other_suits_never_win() -> None:
    assert decide("4C 1S 3D 5C") == (4, 4)


def test_cards_T3_the_two_beats_the_asso_and_the_asso_the_re() -> None:
    assert decide("10D 1D 2D 9D") == (3, 6)


def test_cards_T4_a_seven_wins_when_nobody_else_has_the_suit() -> None:
    assert decide("7D 3C 3S 3B") == (1, 3)


def test_cards_T5_four_small_cards_are_worth_nothing() -> None:
    assert decide("4B 7B 6B 5B") == (2, 0)


def test_cards_T6_an_off_suit_re_does_not_beat_the_four_that_was_led() -> None:
    assert decide("4S 10C") == (1, 1)


def test_cards_bug_6_the_ranks_stand_in_the_order_of_the_game() -> None:
    of_one_suit = [card for card in DECK if card[-1] == "S"]
    ranks = " ".join(card[:-1] for card in sorted(of_one_suit, key=STRENGTH.__getitem__, reverse=True))
    assert ranks == "3 2 1 10 9 8 7 6 5 4"


def test_the_deck_holds_32_thirds() -> None:
    assert thirds_of(DECK) == 32
    assert [THIRDS[Card(f"{rank}B")] for rank in range(1, 11)] == [3, 1, 1, 0, 0, 0, 0, 1, 1, 1]


def test_cards_T7_who_has_the_suit_led_must_follow() -> None:
    deal = answering("4C", "7C 3D")
    assert may(deal) == "7C"
    assert RULES.refusal(deal, Move(Card("3D"), 1)) is RefusalCode.MUST_FOLLOW_SUIT
    assert RULES.refusal(deal, Move(Card("7C"), 1)) is None


def test_cards_T8_who_has_none_of_it_plays_anything() -> None:
    deal = answering("4C", "3D 1S")
    assert may(deal) == "3D 1S"
    assert all(RULES.refusal(deal, Move(card, 1)) is None for card in deal.hands[1])


def test_cards_T9_suit_is_followed_from_the_first_trick_while_the_stock_is_full() -> None:
    deal = RULES.deal(DECK, leader=0, seats=2)
    led, hand = deal.hands[0][0], deal.hands[1]
    deal = RULES.evolve(deal, RULES.played(deal, Move(led, 0), 0))
    assert len(deal.stock) == 20
    follow = [card for card in hand if card[-1] == led[-1]]
    assert may(deal) == " ".join(follow or hand)


def test_cards_T10_who_was_out_of_a_suit_and_draws_it_must_follow_again() -> None:
    deal = Deal(hands=(cards("4C 5C"), cards("7D 6D")), piles=((), ()), turn=0, stock=cards("1S 6C 2S 2B"))
    for seat, card in ((0, "4C"), (1, "7D")):
        deal = RULES.evolve(deal, RULES.played(deal, Move(Card(card), seat), 0))
    trick = RULES.follows(deal)
    assert trick is not None
    deal = RULES.evolve(deal, trick)
    assert deal.hands == (cards("5C 1S"), cards("6D 6C"))
    deal = RULES.evolve(deal, RULES.played(deal, Move(Card("5C"), 0), 0))
    assert may(deal) == "6C"


def test_nobody_has_to_beat() -> None:
    assert may(answering("10C", "3C 4C 2S")) == "3C 4C"


def test_the_leader_plays_anything_and_nobody_plays_while_a_full_trick_lies() -> None:
    deal = Deal(hands=(cards("4C 3D"), ()), piles=((), ()), turn=0)
    assert may(deal) == "4C 3D"
    full = Deal(hands=((), ()), piles=((), ()), turn=NOBODY, trick=(PlayedCard(Card("4C"), 0),) * 2)
    assert RULES.legal_moves(full) == []
    assert RULES.declarable(full) == []


def test_a_card_that_is_not_held_is_refused_before_its_suit_is_looked_at_and_a_capture_after_it() -> None:
    deal = answering("4C", "7C 3D")
    assert RULES.refusal(deal, Move(Card("1S"), 1)) is RefusalCode.CARD_NOT_IN_HAND
    assert RULES.refusal(deal, Move(Card("nothing"), 1)) is RefusalCode.CARD_NOT_IN_HAND
    assert RULES.refusal(deal, Move(Card("7C"), 1, cards("4C"))) is RefusalCode.ILLEGAL_CAPTURE
    assert RULES.refusal(deal, Move(Card("7C"), 1, ())) is None


@pytest.mark.parametrize(
    ("led", "hand", "card"),
    [("4C", "1C 7C 5C 3D", "5C"), ("4C", "1S 3D 7B 8B", "7B"), ("4C", "3D 8B", "8B"), ("2C", "1C 3C", "3C")],
)
def test_the_clock_plays_the_fewest_thirds_and_of_those_the_weakest_card(led: str, hand: str, card: str) -> None:
    move = RULES.automatic(answering(led, hand))
    assert move == Move(Card(card), 1)
