"""Who calls the next number, and when: the host, or the clock at the interval that the host has set.

The clock's calls pause when the host does, and when nobody holds a connection for him any more; they go on when he says
so. After a pause, a change or a restart the next one comes a whole interval later: none is caught up on.
"""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import (
    CALL_EVERY_MAX,
    CALL_EVERY_MIN,
    NUMBERS,
    CallerChanged,
    CallingChanged,
    CallingPaused,
    CallingResumed,
    CallNumber,
    ChangeHost,
    DrawNumber,
    HostAway,
    NumberDrawn,
    PauseCalling,
    ResumeCalling,
    SetCalling,
    TombolaEvent,
)
from circolo_events.decider import Context, Rejection
from msgspec import UNSET

from .state import TombolaState

HostCommand = DrawNumber | SetCalling | PauseCalling | ResumeCalling
Decision = Sequence[TombolaEvent] | RefusalCode | Rejection


def by_the_host(state: TombolaState, command: HostCommand, context: Context) -> Decision:
    if context.actor.kind != "player" or context.actor.id != state.host or not state.host:
        return RefusalCode.NOT_HOST
    if not state.is_running:
        return RefusalCode.GAME_NOT_RUNNING
    at = max(context.now, state.acted_at)
    if isinstance(command, DrawNumber):
        return _draw(state, context, at)
    if isinstance(command, SetCalling):
        return _set(state, command, at)
    if isinstance(command, PauseCalling):
        return [] if state.paused is not None else [CallingPaused(at=at, reason="HOST")]
    return [] if state.paused is None else [CallingResumed(at=at)]


def _draw(state: TombolaState, context: Context, at: int) -> Decision:
    if context.expected is not UNSET and context.expected < state.draw_version:
        return RefusalCode.STALE_VERSION
    if state.paused is not None:
        return RefusalCode.PAUSED
    if state.calling == "AUTOMATIC":
        return RefusalCode.CALLED_AUTOMATICALLY
    if len(state.called) == NUMBERS:
        return RefusalCode.ALL_DRAWN
    return [drawn(state, at, automatic=False)]


def drawn(state: TombolaState, at: int, *, automatic: bool) -> NumberDrawn:
    seq = len(state.called) + 1
    return NumberDrawn(at=at, number=state.draws[seq - 1], seq=seq, automatic=automatic)


def _set(state: TombolaState, command: SetCalling, at: int) -> Decision:
    every = state.every_seconds if command.every_seconds is UNSET else command.every_seconds
    if not CALL_EVERY_MIN <= every <= CALL_EVERY_MAX:
        return Rejection(RefusalCode.INVALID_SETTING, "every_seconds")
    if (command.mode, every) == (state.calling, state.every_seconds):
        return []
    return [CallingChanged(at=at, calling=command.mode, every_seconds=every)]


def call_due(state: TombolaState, command: CallNumber, now: int) -> list[TombolaEvent]:
    """Only the very call that is armed, and not before its time."""
    if not state.call_at or command.version != state.call_version or now < state.call_at:
        return []
    return [drawn(state, max(now, state.acted_at), automatic=True)]


def host_away(state: TombolaState, command: HostAway, now: int) -> list[TombolaEvent]:
    """The clock stops for the host only, and only while it runs."""
    if command.player != state.host or not state.call_at:
        return []
    return [CallingPaused(at=max(now, state.acted_at), reason="HOST_DISCONNECTED")]


def change_host(state: TombolaState, command: ChangeHost, now: int) -> list[TombolaEvent]:
    if not state.is_running or command.player == state.host:
        return []
    at = max(now, state.acted_at)
    events: list[TombolaEvent] = [CallerChanged(at=at, player=command.player)]
    if command.away and state.call_at:
        events.append(CallingPaused(at=at, reason="HOST_DISCONNECTED"))
    return events
