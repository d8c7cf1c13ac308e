from __future__ import annotations

import hashlib

import pytest
from circolo_cardgames.games.deal import Deal, Move
from circolo_cardgames.games.vinciperdi.rules import Vinciperdi
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import DealStarted, PlayCard, PlayedCard, TrickEnded
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant

RULES = Vinciperdi()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def sit(players: int, number: int = 0, **settings: int) -> Rehearsal:
    return Rehearsal(
        "VINCIPERDI", [SeatOccupant(cpu="MEDIUM")] * players, {"players": players, **settings},
        seed=hashlib.sha256(f"vinciperdi {number}".encode()).digest(), dealer=1,
    )  # fmt: skip


def last_card(sight: Sight) -> PlayCard:
    assert sight.view.legal_moves
    return PlayCard(sight.view.legal_moves[-1].card)


def test_four_players_get_ten_cards_each_and_nothing_is_left() -> None:
    deal = RULES.deal(DECK, leader=2, seats=4)
    assert deal.hands == (DECK[20:30], DECK[30:], DECK[:10], DECK[10:20])
    assert (deal.aside, deal.stock, deal.turn) == ((), (), 2)


def test_three_players_get_thirteen_cards_each_and_the_last_one_lies_aside() -> None:
    deal = RULES.deal(DECK, leader=1, seats=3)
    assert deal.hands == (DECK[26:39], DECK[:13], DECK[13:26])
    assert (deal.aside, deal.stock, deal.turn) == (DECK[39:], (), 1)


@pytest.mark.parametrize(("players", "tricks"), [(4, 10), (3, 13)])
def test_every_card_is_played_and_the_deal_moves_one_seat_on(players: int, tricks: int) -> None:
    table = sit(players)
    table.play_on(last_card)
    ended = [event.trick_no for event in table.events if isinstance(event, TrickEnded)]
    assert ended == list(range(1, tricks + 1)) * len(table.state.deals)
    assert sorted(card for pile in table.state.on_turn().piles for card in pile) == sorted(DECK)
    dealers = [event.dealer for event in table.events if isinstance(event, DealStarted)]
    assert dealers == [(1 + n) % players for n in range(len(dealers))]


def test_the_card_aside_goes_with_the_last_trick_and_lies_there_until_then() -> None:
    table = sit(3)
    aside = table.state.on_turn().aside
    while table.state.deal_no == 1:
        before = table.state.on_turn()
        assert before.aside == aside
        table.play_on(last_card, plays=1)
    tricks = [event for event in table.events if isinstance(event, TrickEnded)][:13]
    assert sum(trick.points for trick in tricks) == 32, "with the last trick, what lay aside"


def test_nobody_sees_the_card_aside() -> None:
    table = sit(3)
    for seat in range(3):
        assert table.sight(seat).deal.aside == ()
        assert table.state.on_turn().aside[0] in table.sight(seat).unseen()


def test_suit_must_be_followed() -> None:
    deal = Deal(
        hands=((), cards("7C 3D"), (), ()), piles=((),) * 4, turn=1, trick=(PlayedCard(Card("4C"), 0),)
    )  # fmt: skip
    assert [move.card for move in RULES.legal_moves(deal)] == ["7C"]
    assert RULES.refusal(deal, Move(Card("3D"), 1)) is RefusalCode.MUST_FOLLOW_SUIT
    assert RULES.declarable(deal) == []


@pytest.mark.parametrize(
    ("trick", "hand", "card"),
    [
        ("", "3D 5C 1S", "5C"), ("9C", "3C 8C 4C 1D", "8C"), ("2C", "1C 8C", "1C"), ("4C", "3C 5C", "5C"),
        ("4C", "3D 1S 10B", "1S"), ("4C", "8D 3D", "3D"), ("9C 3D", "2C 7C", "7C"),
    ],
)  # fmt: skip
def test_the_clock_leads_low_stays_below_and_throws_thirds_away(trick: str, hand: str, card: str) -> None:
    lying = tuple(PlayedCard(each, seat) for seat, each in enumerate(cards(trick)))
    turn = len(lying)
    hands = tuple(cards(hand) if seat == turn else () for seat in range(4))
    deal = Deal(hands=hands, piles=((),) * 4, turn=turn, trick=lying)
    assert RULES.automatic(deal) == Move(Card(card), turn)
