"""The match decider: one for all card games. A stream ``match-<game id>`` is one match, from seed to last trick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import get_args

from circolo_contracts.cardgames import (
    AbandonGame,
    AbandonSeat,
    Declare,
    GameHappening,
    IdleTimeout,
    MatchEvent,
    MatchView,
    PlayCard,
    StartMatch,
    StopMatch,
    TurnTimeout,
)  # fmt: skip
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer

from . import view
from .evolve import evolve
from .games.deal import NOBODY
from .play import abandoned, declare, match_over, play_card, played, seat_of_actor
from .start import start
from .state import IDLE_GRAIN_MS, IDLE_MS, TURN_GRACE_MS, MatchState
from .view import OwnView, own_view

MatchCommand = StartMatch | PlayCard | Declare | AbandonGame | AbandonSeat | StopMatch | TurnTimeout | IdleTimeout
COMMANDS = {command.__name__: command for command in get_args(MatchCommand)}
"""By their name on the wire."""


class Match:
    """Implements ``circolo_events.decider.Decider``."""

    initial = MatchState()

    def decide(self, state: MatchState, command: MatchCommand, context: Context) -> Sequence[MatchEvent] | Rejection:
        decision = _decide(state, command, context)
        return Rejection(decision) if isinstance(decision, RefusalCode) else decision

    def evolve(self, state: MatchState, event: MatchEvent) -> MatchState:
        return evolve(state, event)

    def audiences(self, state: MatchState) -> Sequence[Viewer]:
        return _audiences(state.teams)

    def viewer(self, state: MatchState, player: str) -> Viewer | Rejection:
        """A seat for who sits there; the public view for everybody else."""
        if state.version == 0:
            return Rejection(RefusalCode.NOT_FOUND)
        seat = state.seat_of(player)
        return PUBLIC if seat is None else _audiences(state.teams)[seat]

    def view(self, state: MatchState, viewer: Viewer) -> MatchView:
        return view.view(state, viewer)

    def own(self, state: MatchState, viewer: Viewer) -> OwnView | None:
        return own_view(state, viewer)

    def tell(self, event: MatchEvent, before: MatchState, after: MatchState, viewer: Viewer) -> Sequence[GameHappening]:
        return view.tell(event, before, after, viewer)

    def tell_all(self, event: MatchEvent, before: MatchState, after: MatchState) -> Sequence[GameHappening] | None:
        return view.tell_all(event, before, after)

    def deadlines(self, state: MatchState) -> Mapping[str, Deadline]:
        """``cpu``: a CPU must move, at once. ``turn``: a person's time is over. ``idle``: nobody plays any more."""
        if not state.is_running:
            return {}
        armed = {"idle": Deadline(state.idle_at + IDLE_MS + IDLE_GRAIN_MS, state.idle_version)}
        turn = state.turn
        if turn != NOBODY and state.is_cpu(turn):
            armed["cpu"] = Deadline(state.turn_at, state.turn_version)
        elif (due := state.turn_due) is not None:
            armed["turn"] = Deadline(due + TURN_GRACE_MS, state.turn_version)
        return armed


@lru_cache(maxsize=64)  # a table has one of a few shapes
def _audiences(teams: tuple[int, ...]) -> tuple[Viewer, ...]:
    return (*(Viewer.of_seat(seat, team) for seat, team in enumerate(teams)), PUBLIC)


def _decide(state: MatchState, command: MatchCommand, context: Context) -> Sequence[MatchEvent] | RefusalCode:
    if isinstance(command, (PlayCard, Declare, AbandonGame)):
        return RefusalCode.NOT_FOUND if state.version == 0 else _by_a_seat(state, command, context)
    if context.actor.kind != "service":
        return RefusalCode.NOT_ALLOWED
    if isinstance(command, StartMatch):
        return RefusalCode.GAME_STARTED if state.version > 0 else start(command, context)
    if state.version == 0:
        return RefusalCode.NOT_FOUND
    if not state.is_running:
        return []
    if isinstance(command, StopMatch):
        return match_over(state, "STOPPED", context.now)
    if isinstance(command, AbandonSeat):
        seat = state.seat_of(command.player)
        return RefusalCode.NOT_IN_GAME if seat is None else abandoned(state, seat, context.now, command.reason)
    if isinstance(command, TurnTimeout):
        return _turn_timeout(state, command, context)
    return _idle_timeout(state, command, context)


def _by_a_seat(
    state: MatchState, command: PlayCard | Declare | AbandonGame, context: Context
) -> Sequence[MatchEvent] | RefusalCode:
    if isinstance(command, PlayCard):
        return play_card(state, command, context)
    return declare(state, command, context) if isinstance(command, Declare) else _abandon(state, context)


def _abandon(state: MatchState, context: Context) -> Sequence[MatchEvent] | RefusalCode:
    """By a person at the table. A CPU never gives up."""
    seat = seat_of_actor(state, context.actor)
    if seat is None or context.actor.kind != "player":
        return RefusalCode.NOT_IN_GAME
    if not state.is_running:
        return RefusalCode.GAME_NOT_RUNNING
    return abandoned(state, seat, context.now, "LEFT")


def _turn_timeout(state: MatchState, command: TurnTimeout, context: Context) -> Sequence[MatchEvent]:
    """Nothing when that turn is over, or when it is not time yet."""
    if state.turn_due is None or command.version != state.turn_version or context.now <= state.turn_due:
        return []
    if state.settings.get("onTimeout") == "ABANDON":
        return abandoned(state, state.turn, context.now, "TIMEOUT")
    return played(state, state.rules.automatic(state.on_turn()), context.now, automatic=True)


def _idle_timeout(state: MatchState, command: IdleTimeout, context: Context) -> Sequence[MatchEvent]:
    if command.version != state.idle_version or context.now < state.idle_at + IDLE_MS:
        return []
    return match_over(state, "IDLE", context.now)
