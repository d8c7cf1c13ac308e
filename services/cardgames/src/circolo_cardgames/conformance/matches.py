"""Whole matches through the decider: they end, replay to the byte, and nobody but the seat on turn can change them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping

from circolo_contracts.cardgames import (
    CardPlayed,
    DealStarted,
    Declare,
    IdleTimeout,
    PlayCard,
    StartMatch,
    TurnTimeout,
)
from circolo_contracts.cards import DECK
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor
from circolo_events import canonical
from circolo_events.decider import PUBLIC, Foreseen, Rejection, Viewer
from msgspec import UNSET, UnsetType

from circolo_cardgames.checks import check
from circolo_cardgames.match import Match, MatchCommand
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_cardgames.state import MatchState

Settings = Mapping[str, SettingValue]
_UNSAID: int | UnsetType = UNSET
MOST_DEALS = 200
"""More than any match of the house takes when cards are played at random."""


def check_matches(kind: str, settings: Settings, *, matches: int, seed: int = 1) -> None:
    """Seeded random matches end, won or tied; the dealer moves on; the offline proof holds."""
    for number in range(matches):
        table = sat_down(kind, settings, f"{seed} {number}")
        table.play_on(at_random(random.Random(f"match {kind} {seed} {number}")), plays=MOST_DEALS * len(DECK))
        state = table.state
        assert state.result is not None, f"no end after {len(state.deals)} deals"
        assert state.result.outcome in ("WON", "TIED")
        assert state.revealed
        _dealers(table)
        for step in check(state.game_id, table.events):
            assert step.holds, step.text


def check_replay(kind: str, settings: Settings, *, matches: int, seed: int = 1) -> None:
    """What was stored folds to the same state, and shows everybody the same bytes."""
    match = Match()
    for number in range(matches):
        table = sat_down(kind, settings, f"replay {seed} {number}")
        chance = random.Random(f"replay {kind} {seed} {number}")
        table.play_on(at_random(chance), plays=chance.randint(0, 120))
        state: MatchState = match.initial
        for event in table.events:
            stored = REGISTRY.encode(event)
            again = REGISTRY.decode(*stored)
            assert REGISTRY.encode(again) == stored
            state = match.evolve(state, again)  # type: ignore[arg-type]
        assert state == table.state
        for viewer in [*match.audiences(state), PUBLIC]:
            assert shown(match, state, viewer) == shown(match, table.state, viewer)
        assert match.deadlines(state) == match.deadlines(table.state)


def check_foresight(kind: str, settings: Settings, *, matches: int, seed: int = 1) -> None:
    """The states that a decision looked at are those that its events fold to."""
    for number in range(matches):
        table = sat_down(kind, settings, f"foresight {seed} {number}")
        play = at_random(random.Random(f"foresight {kind} {seed} {number}"))
        while table.state.is_running:
            state = table.state
            decided = table.do(play(table.sight(state.turn)), table.actor(state.turn))
            assert isinstance(decided, Foreseen), "a card that the rules themselves offered"
            assert decided.states
            for event, foreseen in zip(decided, decided.states, strict=False):
                state = table.match.evolve(state, event)
                assert state == foreseen, f"after {event}"


def check_strangers(kind: str, settings: Settings, *, matches: int, seed: int = 1) -> None:
    """Whatever anybody sends at any moment is either a legal act of the seat on turn, or leaves no event."""
    for number in range(matches):
        table = sat_down(kind, settings, f"strangers {seed} {number}")
        chance = random.Random(f"strangers {kind} {seed} {number}")
        play = at_random(chance)
        while table.state.is_running and len(table.events) < 200:
            for _ in range(3):
                _try(table, chance)
            if table.state.is_running:
                table.play_on(play, plays=1)


def sat_down(kind: str, settings: Settings, seed: str) -> Rehearsal:
    seats = [SeatOccupant(player=f"{n + 1:032x}") for n in range(CATALOGUE[kind].seat_count(settings))]
    return Rehearsal(kind, seats, settings, seed=hashlib.sha256(f"{kind} {seed}".encode()).digest())


def at_random(chance: random.Random) -> Callable[[Sight], PlayCard]:
    def chooser(sight: Sight) -> PlayCard:
        moves = sight.view.legal_moves
        assert moves is not UNSET and moves, "the seat on turn has no legal move"
        move = chance.choice(moves)
        return PlayCard(move.card, chance.choice(move.captures) if move.captures else UNSET)

    return chooser


def shown(match: Match, state: MatchState, viewer: Viewer) -> bytes:
    return canonical.encode(match.view(state, viewer))


def _dealers(table: Rehearsal) -> None:
    seats = len(table.state.seats)
    deals = {event.deal_no: event for event in table.events if isinstance(event, DealStarted)}
    for number, deal in deals.items():
        assert deal.leader == (deal.dealer + 1) % seats
        assert number == 1 or deal.dealer == (deals[number - 1].dealer + 1) % seats, "the next seat deals"


def _try(table: Rehearsal, chance: random.Random) -> None:
    before, stored = table.state, len(table.events)
    command, actor = _command(chance), _actor(chance)
    expected = chance.choice([_UNSAID, before.version, before.turn_version, before.turn_version - 1, 0])
    decided = table.do(command, actor, expected=expected)
    if isinstance(decided, Rejection) or not decided:
        assert table.state is before
        assert len(table.events) == stored
        return
    assert isinstance(command, (PlayCard, Declare)), f"{command} of {actor} was done"
    assert actor.id == before.seats[before.turn].player, "only the seat on turn"
    assert expected is UNSET or expected >= before.turn_version
    if isinstance(command, PlayCard):
        first = decided[0]
        assert isinstance(first, CardPlayed)
        assert first.card in before.on_turn().hands[before.turn]
    else:
        assert table.state.turn_version == before.turn_version, "a declaration leaves the turn where it is"


def _command(chance: random.Random) -> MatchCommand:
    captured = chance.sample(DECK, chance.randint(0, 3))
    commands: list[MatchCommand] = [
        PlayCard(chance.choice(DECK)),
        PlayCard(chance.choice(DECK), captured),
        Declare("NAPOLETANA", suit=chance.choice("DCSBX")),
        Declare("BUONGIOCO", rank=chance.randint(0, 4), suit=chance.choice([UNSET, *"DCSB"])),
        StartMatch("BRISCOLA", 1, "b" * 32, [], {}),
        TurnTimeout(chance.randint(-1, 80)),
        IdleTimeout(chance.randint(-1, 80)),
    ]
    return chance.choice(commands)


def _actor(chance: random.Random) -> Actor:
    return chance.choice(
        [
            *(Actor("player", f"{n + 1:032x}") for n in range(5)),
            *(Actor("cpu", str(n)) for n in range(-1, 5)),
            Actor("player", ""),
        ]
    )
