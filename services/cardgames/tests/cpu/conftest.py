"""Tables in the middle of a deal, and what their seats see."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

import pytest
from circolo_cardgames.games.deal import Deal, Move
from circolo_cardgames.games.playout import NUMBER_OF, World, move_of, numbers_of
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_cardgames.view import sight
from circolo_contracts.cardgames import PlayCard
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET
from msgspec.structs import replace

Settings = Mapping[str, SettingValue]
See = Callable[..., Sight]


@pytest.fixture
def table() -> Callable[[str, Settings, int], Rehearsal]:
    return _table


@pytest.fixture
def sights() -> Callable[[str, Settings, int], Iterator[tuple[Sight, Deal]]]:
    return _sights


@pytest.fixture
def really() -> Callable[[Deal], World]:
    return _really


def _table(kind: str, settings: Settings, seed_no: int) -> Rehearsal:
    """Four chairs or fewer, all with CPUs, at the start of a match."""
    seats = CATALOGUE[kind].seat_count(settings)
    return Rehearsal(kind, [SeatOccupant(cpu="HARD")] * seats, settings, seed=seed_no.to_bytes(32, "big"))


def _anything(seed_no: int) -> Callable[[Sight], PlayCard]:
    """A chooser that plays any legal card, any way."""
    whim = random.Random(seed_no)

    def choose(seen: Sight) -> PlayCard:
        assert seen.view.legal_moves is not UNSET
        move = move_of(whim.choice(numbers_of(seen.view.legal_moves)), seen.seat)
        return PlayCard(move.card, list(move.capture) if move.capture else UNSET)

    return choose


def _sights(kind: str, settings: Settings, seed_no: int) -> Iterator[tuple[Sight, Deal]]:
    """What the seat on turn sees, and how it really is, before every card of a deal that is played at random."""
    playing, choose = _table(kind, settings, seed_no), _anything(seed_no)
    while playing.state.deal_no == 1 and playing.state.is_running:
        deal = playing.state.on_turn()
        yield playing.sight(deal.turn), deal
        playing.play_on(choose, plays=1)


def _really(deal: Deal) -> World:
    """The one world that is true."""
    return World(
        [[NUMBER_OF[card] for card in hand] for hand in deal.hands],
        [NUMBER_OF[card] for card in deal.stock],
        [NUMBER_OF[card] for card in deal.aside],
    )


def _cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


@pytest.fixture
def opening() -> See:
    """``opening("SCOPA", {...}, "7C 2S 9B 1B ...")``: a deal with these cards on top of the deck; seat 0 leads it."""

    def see(kind: str, settings: Settings, top: str) -> Sight:
        first = _cards(top)
        playing = _table(kind, settings, 1)
        deck = (*first, *(card for card in DECK if card not in first))
        deal = playing.state.rules.deal(deck, 0, len(playing.state.seats))
        return sight(replace(playing.state, deal=deal), 0)

    return see


@pytest.fixture
def briscola_end() -> See:
    """``see("1D 2C 3S", "4B 5B 6B", won="1C 3C ...", trick="10C")``: the last tricks of two at briscola, denari are
    trumps; seat 0 is on turn and has won so many points' cards, the other one has the rest."""

    def see(own: str, other: str, *, won: str, trick: str = "") -> Sight:
        hands, mine = (_cards(own), _cards(other)), _cards(won)
        led = [Move(card, 1) for card in _cards(trick)]
        held = {*hands[0], *hands[1], *mine, *(move.card for move in led)}
        rest = tuple(card for card in DECK if card not in held)
        playing = _table("BRISCOLA", {"players": 2}, 1)
        deal = replace(
            playing.state.on_turn(), hands=hands, piles=(mine, rest), stock=(), turn=1 if led else 0,
            trump_card=Card("7D"), trick=(), played=(),
        )  # fmt: skip
        for move in led:
            deal = replace(deal, hands=(hands[0], (move.card, *hands[1])))
            deal = playing.state.rules.evolve(deal, playing.state.rules.played(deal, move, 0))
        return sight(replace(playing.state, deal=deal), 0)

    return see
