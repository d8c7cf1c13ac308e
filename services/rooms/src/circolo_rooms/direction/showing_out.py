"""The part of a room's rules by which somebody whom the direction banned, or who was erased, leaves it."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.rooms import RoomEvent
from circolo_events.decider import Context, Rejection

from ..entry import parting
from ..state import RoomState
from .commands import ShowOut


def show_out(state: RoomState, command: ShowOut, context: Context) -> Sequence[RoomEvent] | Rejection:
    """As if he had gone himself: a ranked game that he plays is abandoned by it."""
    if state.member(command.player) is None or (command.ranked_only and not state.ranked):
        return []
    return parting(state, command.player, context.now)
