"""The list of public rooms as a Relay connection, and its changes."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

import msgspec
import strawberry
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.ids import RoomId, room_stream

from ..lobby import Entry, Filter, cursor_of
from .context import Context
from .enums import GameKind, LobbyChangeKind, RoomPhase
from .node import room_gid
from .pages import PageInfo, page_info
from .player import Player, player
from .room import Room, room_from
from .scalars import DateTime
from .settings import GameSettings, shown_settings

_settings = msgspec.json.Decoder(dict[str, SettingValue]).decode


@strawberry.type(description="A public room in the list. Its details are those of the room's own page a moment ago.")
class LobbyRoom:
    id: strawberry.ID = strawberry.field(description="The room's.")
    code: str
    game_kind: GameKind
    host: Player
    seats: int
    taken: int = strawberry.field(description="Seats that have a player or a CPU.")
    phase: RoomPhase
    settings: GameSettings
    created_at: DateTime
    version: int
    hex_id: strawberry.Private[str]

    @strawberry.field(description="The room itself, as it is now.")
    async def room(self, info: strawberry.Info[Context, None]) -> Annotated[Room, strawberry.lazy(".room")] | None:
        seen = await info.context.see("rooms", room_stream(RoomId(self.hex_id)))
        return None if seen is None else room_from(seen.view)


@strawberry.type
class RoomEdge:
    cursor: str
    node: LobbyRoom


@strawberry.type(description="Newest first.")
class RoomConnection:
    edges: list[RoomEdge]
    page_info: PageInfo


@strawberry.input(description="Null or left out: all.")
class LobbyFilter:
    game: GameKind | None = None
    phase: RoomPhase | None = None
    free_seats: bool | None = strawberry.field(default=None, description="Only rooms with a free seat.")


@strawberry.type
class LobbyChange:
    kind: LobbyChangeKind
    room_id: strawberry.ID | None = strawberry.field(description="Null for RESET.")
    room: LobbyRoom | None = strawberry.field(description="For UPSERT.")


def filter_of(given: LobbyFilter | None) -> Filter:
    if given is None:
        return Filter()
    return Filter(
        given.game.value if given.game else None, given.phase.value if given.phase else None, bool(given.free_seats)
    )


def known(entry: Entry) -> bool:
    """False for a game that this version of the gateway does not have yet."""
    return entry.game in CATALOGUE


def lobby_room(entry: Entry) -> LobbyRoom:
    return LobbyRoom(
        id=room_gid(entry.room),
        code=entry.code,
        game_kind=GameKind(entry.game),
        host=player(entry.host),
        seats=entry.seats,
        taken=entry.taken,
        phase=RoomPhase(entry.phase),
        settings=shown_settings(entry.game, _settings(entry.settings_json)),
        created_at=DateTime(entry.created_at),
        version=entry.version,
        hex_id=entry.room,
    )


def connection(entries: list[Entry], *, more: bool, after: str | None) -> RoomConnection:
    edges = [RoomEdge(cursor=cursor_of(entry), node=lobby_room(entry)) for entry in entries if known(entry)]
    end = cursor_of(entries[-1]) if entries else None
    return RoomConnection(
        edges=edges, page_info=page_info([edge.cursor for edge in edges], more=more, after=after, end=end)
    )


def lobby_change(room: str, entry: Entry | None) -> LobbyChange:
    if entry is None or not known(entry):
        return LobbyChange(kind=LobbyChangeKind.REMOVE, room_id=room_gid(room), room=None)
    return LobbyChange(kind=LobbyChangeKind.UPSERT, room_id=room_gid(room), room=lobby_room(entry))
