"""The habits of the card table, one position each; and that they win."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.tressette import GAME
from circolo_cardgames.games.tressette.rules import Tressette
from circolo_cardgames.rehearsal import Chooser, Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import LegalMove, MatchView, PlayCard, PlayedCard, SeatState
from circolo_contracts.cards import Card
from msgspec import UNSET

Sit = Callable[..., Rehearsal]
RULES = Tressette()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def choice(hand: str, trick: str = "", *, gone: str = "", players: int = 4) -> str:
    """What the seat on turn plays: seat 0 led the trick, ``gone`` was played in tricks before."""
    own = cards(hand)
    lying = tuple(PlayedCard(card, seat) for seat, card in enumerate(cards(trick)))
    seat = len(lying)
    tricks = tuple(PlayedCard(card, place % players) for place, card in enumerate(cards(gone)))
    hands = tuple(own if place == seat else () for place in range(players))
    piles = (cards(gone), *[()] * (players - 1))
    deal = Deal(hands, piles, seat, played=(*tricks, *lying), trick=lying)
    view = MatchView(
        commitment="", deal_no=1, deals=[], dealer=players - 1, game="TRESSETTE", game_id="a" * 32, room="b" * 32,
        score=[0, 0], seats=[SeatState(len(own) - (n < seat), 0, n, n % 2) for n in range(players)], settings={},
        started_at=0, status="RUNNING", stock_count=0, table=[], trick=list(lying), version=9, hand=list(own),
        legal_moves=[LegalMove(move.card) for move in RULES.legal_moves(deal)], seat=seat, turn=seat,
    )  # fmt: skip
    return GAME.rule_of_thumb(Sight(deal, RULES, seat, view)).card


REST = "5B 6B 4D 5D 6D 7D 5S 6S"


def test_it_cashes_the_asso_when_three_and_two_are_gone() -> None:
    assert choice("1C 6D 7S 5B", gone="3C 2C 4C 5C") == "1C"


def test_it_does_not_lead_an_asso_that_can_be_beaten() -> None:
    assert choice("1C 6C 5C 7S 4B 5B 6B 4D 5D 6D") != "1C"


def test_it_leads_the_three_of_its_long_suit_when_it_has_nothing_else_to_cash() -> None:
    assert choice("3C 2C 5C 4C 6C 5B 4D 5D 6D 7S") in ("3C", "2C")


def test_it_loads_an_asso_on_the_trick_that_the_partner_holds_for_certain() -> None:
    assert choice(f"1S 4B {REST}", "4C 3C 5C") == "1S", "seat 1 and seat 3 are partners"
    assert choice(f"1S 4B {REST}", "3C 5C") == "1S", "seat 0 and seat 2 are, and nothing beats the three"


def test_it_throws_nothing_of_worth_on_a_trick_of_the_others() -> None:
    assert choice(f"1S 4B {REST}", "4C 3C") != "1S"
    assert choice(f"1S 4B {REST}", "3C 4C 5C") != "1S"


def test_it_takes_an_asso_that_lies_there() -> None:
    assert choice(f"3C 4C {REST}", "1C 5C 6C") == "3C"


def test_it_does_not_take_its_partners_trick_away() -> None:
    assert choice(f"2C 4C {REST}", "6C 3C 7C") == "4C"
    assert choice(f"3C 4C {REST}", "6C 2C 7C") == "4C"


def test_it_does_not_spend_the_three_on_a_worthless_trick() -> None:
    assert choice(f"3C 5C {REST}", "4C 6C 7C") == "5C"


def by_chance(number: int) -> Chooser:
    chance = random.Random(number)

    def chooser(sight: Sight) -> PlayCard:
        assert sight.view.legal_moves is not UNSET
        return PlayCard(chance.choice(sight.view.legal_moves).card)

    return chooser


@pytest.mark.parametrize(("players", "declarations"), [(2, False), (4, False), (4, True)])
def test_rules_of_thumb_beat_chance(sit_down: Sit, players: int, declarations: bool) -> None:
    """30 mirrored pairs of matches to 11: by chance 30 wins of 60; four standard deviations are 16."""
    won = 0
    for number in range(30):
        for side in (0, 1):
            table = sit_down(players, number, target=11, declarations=declarations)
            chance = by_chance(number)
            table.play_on([GAME.rule_of_thumb if seat % 2 == side else chance for seat in range(players)])
            assert table.state.result is not None
            won += table.state.result.winner == side
    assert won > 30 + 16, won
