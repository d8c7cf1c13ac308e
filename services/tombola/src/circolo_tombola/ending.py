"""How a tombola ends: with the first accepted tombola, by the host, or because nobody does anything any more."""

from __future__ import annotations

from circolo_contracts.cardgames import IdleTimeout, MatchEnded, Outcome, SeedRevealed
from circolo_contracts.evening import GameSuperseded, SupersedeGame
from circolo_contracts.tombola import TombolaEvent
from msgspec import UNSET

from .state import IDLE_MS, TombolaState


def over(state: TombolaState, outcome: Outcome, at: int, *, winner: int | None = None) -> list[TombolaEvent]:
    """The end and, with it, the seed. Each seat is a team of its own, for whoever counts results."""
    ended = MatchEnded(
        at=max(at, state.acted_at), last_dealer=0, outcome=outcome, room=state.room,
        winner=UNSET if winner is None else winner,
    )  # fmt: skip
    return [ended, SeedRevealed(state.seed)]


def idle_timeout(state: TombolaState, command: IdleTimeout, now: int) -> list[TombolaEvent]:
    if not state.is_running or command.version != state.idle_version or now < state.idle_at + IDLE_MS:
        return []
    return over(state, "IDLE", now)


def supersede(state: TombolaState, command: SupersedeGame, now: int) -> list[TombolaEvent]:
    """A room starts its next game only after this one: a game that runs is none that could be superseded."""
    if state.is_running or state.superseded:
        return []
    return [GameSuperseded(at=max(now, state.acted_at), by=command.by)]
