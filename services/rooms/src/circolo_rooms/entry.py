"""Who comes in and who goes out: opening a room, joining by its code, leaving."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import id_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    LeaveRoom,
    PlayerJoined,
    PlayerLeft,
    RoomClosed,
    RoomCreated,
    RoomEvent,
    SeatOccupant,
    SeatTaken,
)
from circolo_events.decider import Context, Rejection
from msgspec import UNSET
from msgspec.structs import replace

from .commands import EnterRoom, OpenRoom
from .hosting import handed_to, successor
from .state import Member, RoomState
from .tables import settle

MAX_PEOPLE = 64
"""In one room, spectators included: a view names them all and goes to everybody after each commit."""


def open_room(command: OpenRoom, context: Context) -> Sequence[RoomEvent] | Rejection:
    if context.now > command.code_until:
        return Rejection(RefusalCode.UNAVAILABLE)
    settings = settle(command.game, command.settings, ranked=command.ranked)
    if isinstance(settings, Rejection):
        return settings
    created = RoomCreated(
        at=context.now, code=command.code, game=command.game, host=context.actor.id, room=id_of(context.stream),
        settings=settings, visibility=command.visibility, ranked=command.ranked or UNSET,
    )  # fmt: skip
    return [created]


def enter(state: RoomState, command: EnterRoom, context: Context) -> Sequence[RoomEvent] | Rejection:
    """A second time is no event, except that a spectator may ask for a seat."""
    player = context.actor.id
    member = state.member(player)
    if member is not None:
        if command.watch or not member.spectator:
            return []
        seat = _place(state)
        return seat if isinstance(seat, Rejection) else [SeatTaken(at=context.now, player=player, seat=seat)]
    if len(state.members) >= MAX_PEOPLE:
        return Rejection(RefusalCode.ROOM_FULL)
    joined = PlayerJoined(at=context.now, player=player)
    kept = state.seat_of(player)
    if kept is not None:
        joined = replace(joined, seat=kept)
    elif not command.watch:
        seat = _place(state)
        if isinstance(seat, Rejection):
            return seat
        joined = replace(joined, seat=seat)
    if state.member(state.host) is None and player != state.host:
        return [joined, handed_to(state, player, context.now)]
    return [joined]


def leave(state: RoomState, _command: LeaveRoom, context: Context) -> Sequence[RoomEvent] | Rejection:
    return parting(state, context.actor.id, context.now)


def parting(state: RoomState, player: str, at: int) -> list[RoomEvent]:
    """Out of the room. A friendly game keeps the seat; from a ranked one it is an abandonment at once."""
    plays = state.phase == "PLAYING" and state.seat_of(player) is not None
    game_id = state.game_id if plays and state.ranked else UNSET
    keeps_seat = plays and not state.ranked
    left = PlayerLeft(at=at, keeps_seat=keeps_seat, player=player, during=state.during, game_id=game_id)
    events: list[RoomEvent] = [left]
    heir = successor(state.without_member(player))
    if heir is None:
        if state.phase == "LOBBY":
            events.append(RoomClosed(at=at, code=state.code, reason="EMPTY"))
    elif player == state.host:
        events.append(handed_to(state, heir, at))
    return events


def _place(state: RoomState) -> int | Rejection:
    """The lowest free seat, in the lobby."""
    if state.phase != "LOBBY":
        return Rejection(RefusalCode.GAME_STARTED)
    seat = next(state.free_seats(), None)
    return Rejection(RefusalCode.ROOM_FULL) if seat is None else seat


# ---------------------------------------------------------------- what these events change


def created(state: RoomState, event: RoomCreated) -> RoomState:
    seats = CATALOGUE[event.game].seat_count(event.settings)
    return RoomState(
        version=state.version, room=event.room, code=event.code, created_at=event.at, visibility=event.visibility,
        ranked=event.ranked is True, game=event.game, settings=event.settings, host=event.host,
        members=(Member(event.host),), seats=(SeatOccupant(player=event.host), *(None,) * (seats - 1)),
    )  # fmt: skip


def joined(state: RoomState, event: PlayerJoined) -> RoomState:
    if event.seat is UNSET:
        return state.with_member(Member(event.player, spectator=True))
    return state.with_member(Member(event.player)).sitting(event.player, event.seat)


def left(state: RoomState, event: PlayerLeft) -> RoomState:
    gone = state.without_member(event.player)
    return gone if event.keeps_seat else gone.standing(event.player)


def closed(state: RoomState, _event: RoomClosed) -> RoomState:
    return replace(state, phase="CLOSED")
