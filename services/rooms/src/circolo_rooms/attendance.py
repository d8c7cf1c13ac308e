"""Who is there now: marks that follow the gateways' presence leases. Nobody ever loses a seat by them."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.rooms import MarkConnected, MarkDisconnected, PlayerConnected, PlayerDisconnected, RoomEvent
from circolo_events.decider import Context, Rejection
from msgspec.structs import replace

from .state import RoomState


def mark_connected(state: RoomState, command: MarkConnected, context: Context) -> Sequence[RoomEvent] | Rejection:
    member = state.member(command.player)
    if member is None or member.connected:
        return []
    return [PlayerConnected(at=context.now, player=command.player, during=state.during)]


def mark_disconnected(state: RoomState, command: MarkDisconnected, context: Context) -> Sequence[RoomEvent] | Rejection:
    member = state.member(command.player)
    if member is None or not member.connected:
        return []
    return [PlayerDisconnected(at=context.now, player=command.player, during=state.during)]


def connected(state: RoomState, event: PlayerConnected) -> RoomState:
    return _marked(state, event.player, True)


def disconnected(state: RoomState, event: PlayerDisconnected) -> RoomState:
    return _marked(state, event.player, False)


def _marked(state: RoomState, player: str, there: bool) -> RoomState:
    member = state.member(player)
    return state if member is None else state.with_member(replace(member, connected=there))
