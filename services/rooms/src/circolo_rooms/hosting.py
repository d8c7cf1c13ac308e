"""Who is the host: the table head, always a person in the room as long as there is one."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import HandOverHost, HostChanged, RoomEvent
from circolo_events.decider import Context, Rejection
from msgspec import UNSET
from msgspec.structs import replace

from .state import RoomState


def successor(state: RoomState) -> str | None:
    """The next host: who came first of those who sit, else of those without a seat, else of the spectators."""
    by_claim = sorted(state.members, key=lambda m: (state.seat_of(m.player) is None, m.spectator))
    return by_claim[0].player if by_claim else None


def hand_over(state: RoomState, command: HandOverHost, context: Context) -> Sequence[RoomEvent] | Rejection:
    if state.member(command.player) is None:
        return Rejection(RefusalCode.NOT_IN_ROOM, "player")
    return [] if command.player == state.host else [handed_to(state, command.player, context.now)]


def handed_to(state: RoomState, player: str, at: int) -> HostChanged:
    """Also to somebody who is only just coming in, and has no connection yet."""
    member = state.member(player)
    away = True if state.during is not UNSET and (member is None or not member.connected) else UNSET
    return HostChanged(at=at, player=player, away=away, during=state.during)


def host_changed(state: RoomState, event: HostChanged) -> RoomState:
    return replace(state, host=event.player)
