"""Who sits where, in the lobby: taking a seat, choosing a team, seating and removing a CPU."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    AssignTeam,
    CpuRemoved,
    CpuSeated,
    RemoveCpu,
    RoomEvent,
    SeatOccupant,
    SeatTaken,
    TakeSeat,
)
from circolo_events.decider import Context, Rejection
from msgspec import UNSET

from .state import RoomState


def take_seat(state: RoomState, command: TakeSeat, context: Context) -> Sequence[RoomEvent] | Rejection:
    player = context.actor.id
    if not 0 <= command.seat < len(state.seats):
        return Rejection(RefusalCode.NO_SUCH_SEAT, "seat")
    occupant = state.seats[command.seat]
    if occupant is not None:
        return [] if occupant.player == player else Rejection(RefusalCode.SEAT_TAKEN, "seat")
    return [SeatTaken(at=context.now, player=player, seat=command.seat)]


def assign_team(state: RoomState, command: AssignTeam, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Oneself, or anybody by the host; SEAT_TAKEN when that team has no free seat."""
    if context.actor.id not in (command.player, state.host):
        return Rejection(RefusalCode.NOT_HOST)
    if state.member(command.player) is None:
        return Rejection(RefusalCode.NOT_IN_ROOM, "player")
    if not 0 <= command.team < state.descriptor.team_count(state.settings):
        return Rejection(RefusalCode.NO_SUCH_TEAM, "team")
    now_at = state.seat_of(command.player)
    if now_at is not None and state.team_of(now_at) == command.team:
        return []
    seat = next((s for s in state.free_seats() if state.team_of(s) == command.team), None)
    if seat is None:
        return Rejection(RefusalCode.SEAT_TAKEN, "team")
    return [SeatTaken(at=context.now, player=command.player, seat=seat)]


def add_cpu(state: RoomState, command: AddCpu, context: Context) -> Sequence[RoomEvent] | Rejection:
    """Another level for a CPU that sits there is a new one in its place. Ranked tables are for people."""
    if state.ranked:
        return Rejection(RefusalCode.RANKED)
    if not state.descriptor.cpu:
        return Rejection(RefusalCode.NOT_ALLOWED)
    if not 0 <= command.seat < len(state.seats):
        return Rejection(RefusalCode.NO_SUCH_SEAT, "seat")
    occupant = state.seats[command.seat]
    if occupant is not None and occupant.cpu is UNSET:
        return Rejection(RefusalCode.SEAT_TAKEN, "seat")
    if occupant is not None and occupant.cpu == command.level:
        return []
    return [CpuSeated(at=context.now, level=command.level, seat=command.seat)]


def remove_cpu(state: RoomState, command: RemoveCpu, context: Context) -> Sequence[RoomEvent] | Rejection:
    if not 0 <= command.seat < len(state.seats):
        return Rejection(RefusalCode.NO_SUCH_SEAT, "seat")
    occupant = state.seats[command.seat]
    if occupant is None or occupant.cpu is UNSET:
        return Rejection(RefusalCode.NOT_A_CPU, "seat")
    return [CpuRemoved(at=context.now, seat=command.seat)]


# ---------------------------------------------------------------- what these events change


def seat_taken(state: RoomState, event: SeatTaken) -> RoomState:
    return state.sitting(event.player, event.seat)


def cpu_seated(state: RoomState, event: CpuSeated) -> RoomState:
    return state.with_seat(event.seat, SeatOccupant(cpu=event.level))


def cpu_removed(state: RoomState, event: CpuRemoved) -> RoomState:
    return state.with_seat(event.seat, None)
