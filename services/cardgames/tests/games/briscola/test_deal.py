from __future__ import annotations

from collections.abc import Callable

import pytest
from circolo_cardgames.games import GAMES
from circolo_cardgames.games.briscola.rules import Briscola, trump_of
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import CardPlayed, PlayCard, PlayedCard, TrickEnded
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode
from msgspec.structs import replace

Sit = Callable[..., Rehearsal]
RULES = Briscola()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def first_card(sight: Sight) -> PlayCard:
    assert sight.view.legal_moves
    return PlayCard(sight.view.legal_moves[0].card)


def after(deal: Deal, *plays: tuple[int, str]) -> Deal:
    for seat, card in plays:
        deal = RULES.evolve(deal, CardPlayed(0, Card(card), seat))
        while (event := RULES.follows(deal)) is not None:
            deal = RULES.evolve(deal, event)
    return deal


def test_the_folder_is_found_by_itself() -> None:
    assert GAMES["BRISCOLA"].rules({"bestOf": 3}) == Briscola(3)


@pytest.mark.parametrize(("seats", "hidden"), [(2, 33), (4, 27)])
def test_three_cards_each_the_next_one_is_the_trump_and_lies_under_the_stock(seats: int, hidden: int) -> None:
    deal = RULES.deal(DECK, leader=1, seats=seats)
    assert [len(hand) for hand in deal.hands] == [3] * seats
    assert deal.trump_card == DECK[3 * seats] == deal.stock[-1]
    assert deal.stock[:-1] == DECK[3 * seats + 1 :]
    assert len(deal.stock) == hidden + 1
    assert deal.turn == 1


def test_play_goes_round_and_nobody_is_on_turn_while_a_full_trick_lies() -> None:
    deal = RULES.deal(DECK, leader=3, seats=4)
    assert deal.turn == 3
    for seat in (3, 0, 1):
        deal = RULES.evolve(deal, CardPlayed(0, deal.hands[seat][0], seat))
    assert deal.turn == 2
    deal = RULES.evolve(deal, CardPlayed(0, deal.hands[2][0], 2))
    assert deal.turn == NOBODY
    assert RULES.legal_moves(deal) == []


def test_cards_B10_the_loser_of_trick_17_draws_the_exposed_trump() -> None:
    deal = Deal(
        hands=(cards("1C 2C 4C"), cards("2B 4B 5B")), piles=(DECK[:32], ()), turn=0,
        stock=cards("7S 7D"), tricks_taken=16, trump_card=Card("7D"),
    )  # fmt: skip
    deal = after(deal, (0, "1C"), (1, "2B"))
    assert deal.hands == (cards("2C 4C 7S"), cards("4B 5B 7D"))
    assert deal.stock == ()
    assert (deal.turn, deal.tricks_taken) == (0, 17)


def test_cards_B10_the_same_when_the_follower_takes_it() -> None:
    deal = Deal(
        hands=(cards("2C 4C 5C"), cards("1C 4B 5B")), piles=((), ()), turn=0,
        stock=cards("7S 7D"), tricks_taken=16, trump_card=Card("7D"),
    )  # fmt: skip
    deal = after(deal, (0, "2C"), (1, "1C"))
    assert deal.hands == (cards("4C 5C 7D"), cards("4B 5B 7S"))
    assert deal.turn == 1


def test_cards_B11_trick_7_won_by_seat_2_is_drawn_2_3_0_1_and_seat_1_gets_the_exposed_trump() -> None:
    deal = Deal(
        hands=(cards("2C 4B 5B"), cards("4C 6B 7B"), cards("1C 8B 9B"), cards("5C 2S 4S")), piles=((), (), (), ()),
        turn=0, stock=cards("5S 6S 7S 7D"), tricks_taken=6, trump_card=Card("7D"),
    )  # fmt: skip
    deal = after(deal, (0, "2C"), (1, "4C"), (2, "1C"), (3, "5C"))
    assert [hand[-1] for hand in deal.hands] == ["7S", "7D", "5S", "6S"]
    assert (deal.stock, deal.turn) == ((), 2)


def test_cards_B12_any_card_may_be_played_though_the_suit_led_is_in_hand() -> None:
    deal = RULES.deal(DECK, leader=0, seats=2)
    deal = replace(deal, hands=(cards("2C"), cards("4C 5D 6S")), turn=1, trick=(PlayedCard(Card("2C"), 0),))
    assert [move.card for move in RULES.legal_moves(deal)] == ["4C", "5D", "6S"]
    assert all(RULES.refusal(deal, Move(card, 1)) is None for card in deal.hands[1])


def test_a_card_that_is_not_in_the_hand_and_a_capture_are_refused() -> None:
    deal = RULES.deal(DECK, leader=0, seats=2)
    mine, yours = deal.hands[0][0], deal.hands[1][0]
    assert RULES.refusal(deal, Move(yours, 0)) is RefusalCode.CARD_NOT_IN_HAND
    assert RULES.refusal(deal, Move(Card("99X"), 0)) is RefusalCode.CARD_NOT_IN_HAND
    assert RULES.refusal(deal, Move(mine, 0, (yours,))) is RefusalCode.ILLEGAL_CAPTURE
    assert RULES.refusal(deal, Move(mine, 0, ())) is None


def test_the_last_three_tricks_are_played_without_drawing() -> None:
    deal = Deal(
        hands=(cards("1C 2C"), cards("3C 4C")), piles=((), ()), turn=1, tricks_taken=18, trump_card=Card("7D"),
    )  # fmt: skip
    deal = after(deal, (1, "3C"), (0, "1C"))
    assert deal.hands == (cards("2C"), cards("4C"))
    assert not RULES.is_over(deal)
    deal = after(deal, (0, "2C"), (1, "4C"))
    assert RULES.is_over(deal)
    assert deal.turn == NOBODY


def test_cards_B14_both_piles_together_hold_120_points_and_all_40_cards(sit: Sit) -> None:
    for players, tricks in ((2, 20), (4, 10)):
        table = sit(players)
        table.play_on(first_card)
        assert table.state.deal is not None
        assert sorted(card for pile in table.state.deal.piles for card in pile) == sorted(DECK)
        assert sum(RULES.count(table.state.deal, table.state.teams).points) == 120
        assert [e.trick_no for e in table.events if isinstance(e, TrickEnded)] == list(range(1, tricks + 1))


def test_the_clock_plays_the_card_with_least_to_lose() -> None:
    deal = RULES.deal(DECK, leader=0, seats=2)
    assert trump_of(deal) == "D"

    def automatic(hand: str) -> str:
        return RULES.automatic(replace(deal, hands=(cards(hand), ()))).card

    assert automatic("1C 4D 6S") == "6S"
    assert automatic("8C 4D 1S") == "4D"
    assert automatic("7C 5S 2D") == "5S"
    assert automatic("3D") == "3D"
