"""A tombola with everything that is hidden, and what each event changes in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from circolo_contracts.cardgames import GameCancelled, MatchEnded, MatchResult, SeedRevealed
from circolo_contracts.evening import GameSuperseded
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.tombola import (
    NUMBERS,
    CallerChanged,
    Calling,
    CallingChanged,
    CallingPaused,
    CallingResumed,
    NumberDrawn,
    PauseReason,
    Prize,
    PrizeAwarded,
    TombolaEvent,
    TombolaStarted,
)
from msgspec import Struct, field
from msgspec.structs import replace

from .tickets.ticket import Ticket

IDLE_MS = 24 * 3_600_000
"""After the last thing that a person did; the room closes with the game."""
IDLE_GRAIN_MS = 60_000
"""The idle deadline moves at most this often, so that it costs no row for every call."""


class Won(Struct, frozen=True):
    """A prize that somebody has: ``draw`` is its winning draw for good. Awards in the order of their claims."""

    draw: int
    awards: tuple[PrizeAwarded, ...]


class TombolaState(Struct, frozen=True):
    """``version`` 0: there is no such game (yet)."""

    version: int = 0
    acted_at: int = 0
    """When the last thing happened, ms since 1970: events never go back in time."""
    call_at: int = 0
    """When the clock calls the next number; 0: it does not. The event of ``call_version`` armed it."""
    call_version: int = 0
    called: tuple[int, ...] = ()
    calling: Calling = "MANUAL"
    commitment: str = ""
    draw_version: int = 0
    """The version of the last draw's event."""
    draws: tuple[int, ...] = ()
    """All ninety, in the order of their calling."""
    every_seconds: int = 0
    game: str = ""
    game_id: str = ""
    game_no: int = 0
    host: str = ""
    idle_at: int = 0
    """From when 24 hours are counted; the event of ``idle_version`` set it."""
    idle_version: int = 0
    paused: PauseReason | None = None
    result: MatchResult | None = None
    revealed: bool = False
    room: str = ""
    seats: tuple[SeatOccupant, ...] = ()
    seed: str = ""
    settings: dict[str, SettingValue] = field(default_factory=dict)
    started_at: int = 0
    superseded: bool = False
    tickets: tuple[Ticket | None, ...] = ()
    """By seat."""
    won: dict[Prize, Won] = field(default_factory=dict)

    @property
    def is_running(self) -> bool:
        return self.version > 0 and self.result is None

    @property
    def shares_draws(self) -> bool:
        """Whether every ticket that had a prize by its winning draw may claim it too."""
        return self.settings["claimRule"] == "SHARED_DRAW"

    def seat_of(self, player: str) -> int | None:
        """Where somebody with a ticket sits."""
        return next((seat for seat, who in enumerate(self.seats) if player and who.player == player), None)


def evolve(state: TombolaState, event: TombolaEvent) -> TombolaState:
    """Events record results, so nothing is decided here and no seed is used."""
    return CHANGES[type(event)](state, event, state.version + 1)


def _started(_state: TombolaState, event: TombolaStarted, version: int) -> TombolaState:
    calling: Calling = "AUTOMATIC" if event.settings["calling"] == "AUTOMATIC" else "MANUAL"
    started = TombolaState(
        version=version, acted_at=event.at, calling=calling, commitment=event.commitment, draws=tuple(event.draws),
        every_seconds=int(event.settings["everySeconds"]), game=event.game, game_id=event.game_id,
        game_no=event.game_no, host=event.host, idle_at=event.at, idle_version=version, room=event.room,
        seats=tuple(event.seats), seed=event.seed, settings=event.settings, started_at=event.at,
        tickets=tuple(_ticket(rows) for rows in event.tickets),
    )  # fmt: skip
    return _armed(started)


def _ticket(rows: list[list[int]]) -> Ticket | None:
    if not rows:
        return None
    first, second, third = map(tuple, rows)
    return first, second, third


def _cancelled(_state: TombolaState, event: GameCancelled, version: int) -> TombolaState:
    return TombolaState(
        version=version, acted_at=event.at, game=event.game, game_id=event.game_id, result=MatchResult("CANCELLED"),
        revealed=True, room=event.room, started_at=event.at,
    )  # fmt: skip


def _drawn(state: TombolaState, event: NumberDrawn, version: int) -> TombolaState:
    after = replace(
        state, version=version, acted_at=event.at, called=(*state.called, event.number), draw_version=version
    )
    return _armed(after if event.automatic else _by_a_person(after))


def _awarded(state: TombolaState, event: PrizeAwarded, version: int) -> TombolaState:
    before = state.won.get(event.prize, Won(event.winning_draw, ()))
    won = {**state.won, event.prize: replace(before, awards=(*before.awards, event))}
    return _by_a_person(replace(state, version=version, acted_at=event.at, won=won))


def _calling_changed(state: TombolaState, event: CallingChanged, version: int) -> TombolaState:
    after = replace(state, version=version, acted_at=event.at, calling=event.calling, every_seconds=event.every_seconds)
    return _armed(_by_a_person(after))


def _paused(state: TombolaState, event: CallingPaused, version: int) -> TombolaState:
    after = _armed(replace(state, version=version, acted_at=event.at, paused=event.reason))
    return _by_a_person(after) if event.reason == "HOST" else after


def _resumed(state: TombolaState, event: CallingResumed, version: int) -> TombolaState:
    return _armed(_by_a_person(replace(state, version=version, acted_at=event.at, paused=None)))


def _caller_changed(state: TombolaState, event: CallerChanged, version: int) -> TombolaState:
    return replace(state, version=version, acted_at=event.at, host=event.player)


def _ended(state: TombolaState, event: MatchEnded, version: int) -> TombolaState:
    result = MatchResult(event.outcome, winner=event.winner)
    return _armed(replace(state, version=version, acted_at=event.at, paused=None, result=result))


def _revealed(state: TombolaState, _event: SeedRevealed, version: int) -> TombolaState:
    return replace(state, version=version, revealed=True)


def _superseded(state: TombolaState, event: GameSuperseded, version: int) -> TombolaState:
    return replace(state, version=version, acted_at=event.at, superseded=True)


CHANGES: dict[type[Struct], Callable[[TombolaState, Any, int], TombolaState]] = {
    TombolaStarted: _started,
    GameCancelled: _cancelled,
    NumberDrawn: _drawn,
    PrizeAwarded: _awarded,
    CallingChanged: _calling_changed,
    CallingPaused: _paused,
    CallingResumed: _resumed,
    CallerChanged: _caller_changed,
    MatchEnded: _ended,
    SeedRevealed: _revealed,
    GameSuperseded: _superseded,
}


def _by_a_person(state: TombolaState) -> TombolaState:
    """What happened just now was somebody's doing: the 24 hours begin anew, to the minute."""
    if state.acted_at - state.idle_at < IDLE_GRAIN_MS:
        return state
    return replace(state, idle_at=state.acted_at, idle_version=state.version)


def _armed(state: TombolaState) -> TombolaState:
    """The next automatic call a whole interval from now, whatever was due before; or none."""
    calls = state.calling == "AUTOMATIC" and state.paused is None and len(state.called) < NUMBERS
    if not calls or not state.is_running:
        return replace(state, call_at=0)
    return replace(state, call_at=state.acted_at + 1000 * state.every_seconds, call_version=state.version)
