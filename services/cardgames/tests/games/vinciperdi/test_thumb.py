"""The habits of the card table, one position each; and that they win."""

from __future__ import annotations

import hashlib
import random

import pytest
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.vinciperdi import GAME
from circolo_cardgames.games.vinciperdi.rules import Vinciperdi
from circolo_cardgames.games.vinciperdi.thumb import after_the_cappotto
from circolo_cardgames.rehearsal import Chooser, Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import DealEnded, LegalMove, MatchView, PlayCard, PlayedCard, SeatState
from circolo_contracts.cards import DECK, Card
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET

RULES = Vinciperdi()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def choice(hand: str, trick: str = "", *, piles: tuple[str, str, str, str] = ("", "", "", "")) -> str:
    """What the seat on turn of four plays; the trick was led by seat 0."""
    own = cards(hand)
    lying = tuple(PlayedCard(card, seat) for seat, card in enumerate(cards(trick)))
    seat = len(lying)
    hands = tuple(own if place == seat else () for place in range(4))
    deal = Deal(hands, tuple(map(cards, piles)), seat, played=lying, trick=lying)
    view = MatchView(
        commitment="", deal_no=1, deals=[], dealer=3, game="VINCIPERDI", game_id="a" * 32, room="b" * 32,
        score=[0] * 4, seats=[SeatState(len(own) - (n < seat), 0, n, n) for n in range(4)], settings={},
        started_at=0, status="RUNNING", stock_count=0, table=[], trick=list(lying), version=9, hand=list(own),
        legal_moves=[LegalMove(move.card) for move in RULES.legal_moves(deal)], seat=seat, turn=seat,
    )  # fmt: skip
    return GAME.rule_of_thumb(Sight(deal, RULES, seat, view)).card


def test_it_stays_below_with_the_highest_card_that_does() -> None:
    assert choice("1C 7C 4C 5D 6D 7D 4S 5S 6S 8S", "2C 5C 6C") == "1C"


def test_it_throws_an_asso_on_a_trick_of_somebody_else() -> None:
    assert choice("1D 4D 5D 7D 4S 5S 6S 8S 4B 5B", "9C 5C 6C") == "1D"


def test_it_takes_a_trick_that_it_must_take_with_the_highest_card() -> None:
    assert choice("3C 9C 5D 6D 7D 4S 5S 6S 8S 4B", "7C 5C 6C") == "3C"


def test_it_leads_a_card_without_thirds_from_a_suit_that_is_covered_below() -> None:
    assert choice("4C 1D 8D 7D 7S 8S 9S 1B 2B 7B") in cards("4C 7D 7S 7B")


@pytest.mark.parametrize(
    ("piles", "seat"), [(("1D 1C 1S 1B 2C 3C 8D 8C 9D", "", "", "4D"), 0), (("1D", "", "", ""), None)]
)
def test_a_cappotto_looms_when_one_has_all_thirds_and_they_are_many(piles: tuple[str, ...], seat: int | None) -> None:
    deal = Deal(((),) * 4, tuple(map(cards, piles)), 0)
    assert after_the_cappotto(deal) == seat


def test_it_takes_a_trick_from_who_is_after_the_cappotto() -> None:
    greedy = "1D 1C 1S 2C 3C 8D 8C 3S 2S 10S 8S 9S"
    assert choice("3B 4B 5D", "2B 10B 9B", piles=("", greedy, "", "")) == "3B"
    assert choice("3B 4B 5D", "2B 10B 9B", piles=("2D", "1D 1C", "1S", "")) == "4B"


def by_chance(number: int) -> Chooser:
    chance = random.Random(number)

    def chooser(sight: Sight) -> PlayCard:
        assert sight.view.legal_moves is not UNSET
        return PlayCard(chance.choice(sight.view.legal_moves).card)

    return chooser


@pytest.mark.parametrize("players", [3, 4])
def test_rules_of_thumb_beat_chance(players: int) -> None:
    """One sensible player among careless ones, at every seat in turn: by chance he wins one match in three or four."""
    won, matches = 0, 0
    for number in range(24):
        for place in range(players):
            seed = hashlib.sha256(f"thumb {number}".encode()).digest()
            table = Rehearsal(
                "VINCIPERDI", [SeatOccupant(cpu="MEDIUM")] * players, {"players": players}, seed=seed, dealer=0
            )
            chance = by_chance(number)
            table.play_on([GAME.rule_of_thumb if seat == place else chance for seat in range(players)])
            assert table.state.result is not None
            won += table.state.result.winner == place
            matches += 1
    fair = matches / players
    assert won > fair + 4 * (fair * (1 - 1 / players)) ** 0.5, (won, fair)


def test_sensible_players_leave_every_deal_with_eleven_or_a_cappotto() -> None:
    for players in (3, 4):
        table = Rehearsal(
            "VINCIPERDI", [SeatOccupant(cpu="MEDIUM")] * players, {"players": players, "limit": 51},
            seed=hashlib.sha256(b"eleven").digest(), dealer=0,
        )  # fmt: skip
        table.play_on(GAME.rule_of_thumb)
        sums = {sum(event.points) for event in table.events if isinstance(event, DealEnded)}
        assert sums <= {11, 11 * (players - 1)}
        assert sorted(table.state.on_turn().cards()) == sorted(DECK)
