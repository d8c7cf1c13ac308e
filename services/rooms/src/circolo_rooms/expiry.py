"""When a room that nobody uses closes: 24 hours after the last thing that people did in it, between games."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.rooms import PlayerConnected, PlayerDisconnected, RoomClosed, RoomEvent
from circolo_events.decider import Context, Deadline, Rejection

from .commands import ExpireRoom
from .state import RoomState

EXPIRY_MS = 24 * 3_600_000


def expire(state: RoomState, command: ExpireRoom, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Only if that very deadline is still armed: whatever somebody did meanwhile armed a later one."""
    if state.expiry is None or state.expiry.version != command.version:
        return []
    return [RoomClosed(at=context.now, code=state.code, reason="EXPIRED")]


def armed(before: RoomState, after: RoomState, event: RoomEvent) -> Deadline | None:
    """The deadline after an event. Coming and going on the wire is no action; a running game has its own deadline."""
    if after.phase != "LOBBY":
        return None
    if isinstance(event, PlayerConnected | PlayerDisconnected):
        return before.expiry
    return Deadline(due_at=event.at + EXPIRY_MS, version=after.version)
