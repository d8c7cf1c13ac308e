"""The decider of a tombola: who may do what, when the clock speaks, who sees what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from circolo_contracts.cardgames import IdleTimeout, StopMatch
from circolo_contracts.evening import SupersedeGame
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import (
    CallNumber,
    ChangeHost,
    ClaimAll,
    ClaimPrize,
    DrawNumber,
    HostAway,
    PauseCalling,
    ResumeCalling,
    SetCalling,
    StartTombola,
    TombolaCommand,
    TombolaEvent,
    TombolaHappening,
    TombolaView,
)
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer

from . import view
from .calling import Decision, by_the_host, call_due, change_host, host_away
from .claims import claim, claim_all
from .ending import idle_timeout, over, supersede
from .start import start
from .state import IDLE_GRAIN_MS, IDLE_MS, TombolaState, evolve
from .view import OwnView

COMMANDS = {command.__name__: command for command in get_args(TombolaCommand)}
"""By their name on the wire."""


class Tombola:
    """Implements ``circolo_events.decider.Decider``; each seat is an audience of its own."""

    initial = TombolaState()

    def decide(
        self, state: TombolaState, command: TombolaCommand, context: Context
    ) -> Sequence[TombolaEvent] | Rejection:
        decision = _decide(state, command, context)
        return Rejection(decision) if isinstance(decision, RefusalCode) else decision

    def evolve(self, state: TombolaState, event: TombolaEvent) -> TombolaState:
        return evolve(state, event)

    def audiences(self, state: TombolaState) -> Sequence[Viewer]:
        return (*(Viewer.of_seat(seat, seat) for seat, has in enumerate(state.tickets) if has), PUBLIC)

    def viewer(self, state: TombolaState, player: str) -> Viewer | Rejection:
        if state.version == 0:
            return Rejection(RefusalCode.NOT_FOUND)
        seat = state.seat_of(player)
        return PUBLIC if seat is None else Viewer.of_seat(seat, seat)

    def view(self, state: TombolaState, viewer: Viewer) -> TombolaView:
        return view.view(state, viewer)

    def own(self, state: TombolaState, viewer: Viewer) -> OwnView | None:
        return view.own_view(state, viewer)

    def tell(
        self, event: TombolaEvent, before: TombolaState, after: TombolaState, viewer: Viewer
    ) -> Sequence[TombolaHappening]:
        return (view.tell(event, after),)

    def deadlines(self, state: TombolaState) -> Mapping[str, Deadline]:
        """``call``: the clock's next number; ``idle``: nobody plays any more."""
        if not state.is_running:
            return {}
        armed = {"idle": Deadline(state.idle_at + IDLE_MS + IDLE_GRAIN_MS, state.idle_version)}
        if state.call_at:
            armed["call"] = Deadline(state.call_at, state.call_version)
        return armed


def _decide(state: TombolaState, command: TombolaCommand, context: Context) -> Decision:
    if isinstance(command, StartTombola):
        if context.actor.kind != "service":
            return RefusalCode.NOT_ALLOWED
        return RefusalCode.GAME_STARTED if state.version > 0 else start(command, context)
    if state.version == 0:
        return RefusalCode.NOT_FOUND
    if isinstance(command, (DrawNumber, SetCalling, PauseCalling, ResumeCalling)):
        return by_the_host(state, command, context)
    if isinstance(command, (ClaimPrize, ClaimAll)):
        player = context.actor.id if context.actor.kind == "player" else ""
        if isinstance(command, ClaimAll):
            return claim_all(state, player, context.now)
        return claim(state, player, command.prize, context.now)
    if context.actor.kind != "service":
        return RefusalCode.NOT_ALLOWED
    return _by_the_house(state, command, context.now)


def _by_the_house(
    state: TombolaState,
    command: CallNumber | HostAway | ChangeHost | SupersedeGame | StopMatch | IdleTimeout,
    now: int,
) -> Sequence[TombolaEvent]:
    """Orders and alarms never fail: what they wanted has happened, or is not to happen any more."""
    if isinstance(command, CallNumber):
        return call_due(state, command, now)
    if isinstance(command, HostAway):
        return host_away(state, command, now)
    if isinstance(command, ChangeHost):
        return change_host(state, command, now)
    if isinstance(command, SupersedeGame):
        return supersede(state, command, now)
    if isinstance(command, StopMatch):
        return over(state, "STOPPED", now) if state.is_running else []
    return idle_timeout(state, command, now)
