"""Global ids and the interface of everything that has one."""

from __future__ import annotations

from functools import lru_cache

import strawberry
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import (
    GameId,
    PlayerId,
    RoomId,
    global_id,
    id_of,
    kind_of,
    parse_global_id,
    player_stream,
    room_stream,
    stream_of,
)

from ..streams.watch import GameAddress

LONGEST_ID = 256
"""Characters; ours are shorter."""

_OWNERS = {game.graphql_type: game for game in CATALOGUE.values()}


@strawberry.interface(description="Everything that can be fetched again by its id. Ids are opaque.")
class Node:
    id: strawberry.ID


def player_gid(player: str) -> strawberry.ID:
    return strawberry.ID(global_id("Player", player_stream(PlayerId(player))))


def room_gid(room: str) -> strawberry.ID:
    return strawberry.ID(global_id("Room", room_stream(RoomId(room))))


def game_gid(kind: str, game: str, room: str) -> strawberry.ID:
    """``kind`` as in the catalogue."""
    descriptor = CATALOGUE[kind]
    return strawberry.ID(global_id(descriptor.graphql_type, stream_of(descriptor.stream_kind, game), RoomId(room)))


def player_in(gid: str) -> PlayerId | None:
    parsed = parse_global_id(gid)
    if parsed is None or parsed[0] != "Player" or kind_of(parsed[1]) != "player":
        return None
    return PlayerId(id_of(parsed[1]))


def room_in(gid: str) -> RoomId | None:
    parsed = parse_global_id(gid)
    if parsed is None or parsed[0] != "Room" or kind_of(parsed[1]) != "room":
        return None
    return RoomId(id_of(parsed[1]))


def game_at(kind: str, game: str, room: str) -> GameAddress:
    """``kind`` as in the catalogue."""
    owner = CATALOGUE[kind]
    return GameAddress(
        owner.service, stream_of(owner.stream_kind, game), RoomId(room), GameId(game), own_views=owner.own_views
    )


def game_in(gid: str) -> GameAddress | None:
    """Owner, stream and room, all from the id."""
    return _game_in(gid) if len(gid) <= LONGEST_ID else None


@lru_cache(maxsize=4_096)
def _game_in(gid: str) -> GameAddress | None:
    parsed = parse_global_id(gid)
    if parsed is None or parsed[2] is None:
        return None
    owner = _OWNERS.get(parsed[0])
    if owner is None or kind_of(parsed[1]) != owner.stream_kind:
        return None
    return GameAddress(owner.service, parsed[1], parsed[2], GameId(id_of(parsed[1])), own_views=owner.own_views)
