"""One row of the rooms' read model: a fold of one room's events, and of nothing else.

Pure, so that a rebuild gives the same row to the byte. It says nothing of who is connected, which changes often and is
the room's own view to show.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from circolo_contracts import rooms
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.rooms import Phase, SeatOccupant, Visibility
from circolo_events import canonical
from msgspec import UNSET, Struct
from msgspec.structs import replace


class Member(Struct, frozen=True, array_like=True):
    player: str
    spectator: bool = False


class Room(Struct, frozen=True):
    """``version`` is the stream's; 0: not created yet."""

    room: str = ""
    version: int = 0
    code: str = ""
    created_at: int = 0
    """ms since 1970."""
    visibility: Visibility = "PRIVATE"
    phase: Phase = "LOBBY"
    game: str = ""
    settings_json: str = "{}"
    host: str = ""
    members: tuple[Member, ...] = ()
    """In the order of coming."""
    seats: tuple[SeatOccupant | None, ...] = ()
    game_no: int = 0
    game_id: str = ""
    """The running game, else the last one."""
    ranked: bool = False

    @property
    def taken(self) -> int:
        return sum(seat is not None for seat in self.seats)

    @property
    def in_lobby(self) -> bool:
        """Whether everybody finds it in the list."""
        return self.version > 0 and self.visibility == "PUBLIC" and self.phase != "CLOSED"


class OutOfOrder(RuntimeError):
    """An event does not follow the row: something before it is missing here."""


def follow(row: Room, version: int, event: Struct) -> Room:
    """The row after the stream's event of this version; the same row when it has it already. Raises OutOfOrder."""
    if version <= row.version:
        return row
    if version != row.version + 1:
        raise OutOfOrder(f"version {version} of room {row.room} after {row.version}")
    change = CHANGES.get(type(event))
    return replace(row if change is None else change(row, event), version=version)


def _created(row: Room, event: rooms.RoomCreated) -> Room:
    seats = CATALOGUE[event.game].seat_count(event.settings)
    return replace(
        row, room=event.room, code=event.code, created_at=event.at, visibility=event.visibility, phase="LOBBY",
        game=event.game, settings_json=_json(event.settings), host=event.host, members=(Member(event.host),),
        seats=(SeatOccupant(player=event.host), *(None,) * (seats - 1)), ranked=event.ranked is True,
    )  # fmt: skip


def _joined(row: Room, event: rooms.PlayerJoined) -> Room:
    spectates = event.seat is UNSET
    here = replace(row, members=_with(row.members, Member(event.player, spectates)))
    return here if event.seat is UNSET else _sit(here, event.player, event.seat)


def _left(row: Room, event: rooms.PlayerLeft) -> Room:
    gone = replace(row, members=tuple(m for m in row.members if m.player != event.player))
    return gone if event.keeps_seat else replace(gone, seats=_without(gone.seats, event.player))


def _seat_taken(row: Room, event: rooms.SeatTaken) -> Room:
    return _sit(row, event.player, event.seat)


def _cpu_seated(row: Room, event: rooms.CpuSeated) -> Room:
    return replace(row, seats=_put(row.seats, event.seat, SeatOccupant(cpu=event.level)))


def _cpu_removed(row: Room, event: rooms.CpuRemoved) -> Room:
    return replace(row, seats=_put(row.seats, event.seat, None))


def _host_changed(row: Room, event: rooms.HostChanged) -> Room:
    return replace(row, host=event.player)


def _settings_changed(row: Room, event: rooms.SettingsChanged) -> Room:
    """Beyond the new last seat people stand and CPUs are gone; a game without CPUs has none anywhere."""
    game = CATALOGUE[event.game]
    count = game.seat_count(event.settings)
    kept = tuple(s if game.cpu or s is None or s.cpu is UNSET else None for s in row.seats[:count])
    seats = (*kept, *(None,) * (count - len(kept)))
    return replace(row, game=event.game, settings_json=_json(event.settings), seats=seats)


def _requested(row: Room, event: rooms.GameRequested) -> Room:
    return replace(row, phase="PLAYING", game_id=event.game_id, game_no=event.game_no)


def _finished(row: Room, _event: rooms.GameFinished) -> Room:
    """Seats that waited for somebody who left are free again."""
    here = {member.player for member in row.members}
    seats = tuple(s if s is not None and (s.player is UNSET or s.player in here) else None for s in row.seats)
    return replace(row, phase="LOBBY", seats=seats)


def _closed(row: Room, _event: rooms.RoomClosed) -> Room:
    return replace(row, phase="CLOSED")


CHANGES: dict[type[Struct], Callable[[Room, Any], Room]] = {
    rooms.RoomCreated: _created,
    rooms.PlayerJoined: _joined,
    rooms.PlayerLeft: _left,
    rooms.SeatTaken: _seat_taken,
    rooms.CpuSeated: _cpu_seated,
    rooms.CpuRemoved: _cpu_removed,
    rooms.HostChanged: _host_changed,
    rooms.SettingsChanged: _settings_changed,
    rooms.GameRequested: _requested,
    rooms.GameFinished: _finished,
    rooms.RoomClosed: _closed,
}
"""Every other event of a room moves only the version."""


def _json(settings: dict[str, SettingValue]) -> str:
    return canonical.encode(settings).decode()


def _with(members: tuple[Member, ...], member: Member) -> tuple[Member, ...]:
    """In his place, or last when he is new."""
    if any(m.player == member.player for m in members):
        return tuple(member if m.player == member.player else m for m in members)
    return (*members, member)


def _without(seats: tuple[SeatOccupant | None, ...], player: str) -> tuple[SeatOccupant | None, ...]:
    return tuple(None if s is not None and s.player == player else s for s in seats)


def _put(
    seats: tuple[SeatOccupant | None, ...], seat: int, occupant: SeatOccupant | None
) -> tuple[SeatOccupant | None, ...]:
    return (*seats[:seat], occupant, *seats[seat + 1 :])


def _sit(row: Room, player: str, seat: int) -> Room:
    """At that seat and at no other; who sits is no spectator."""
    seats = _put(_without(row.seats, player), seat, SeatOccupant(player=player))
    members = tuple(Member(player) if m.player == player else m for m in row.members)
    return replace(row, seats=seats, members=members)
