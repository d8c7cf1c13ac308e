"""How a mutation that is about a room gets its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import strawberry
from circolo_contracts.ids import room_stream
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET, Struct, UnsetType

from ..commands import ROOMS, Wish
from .context import Context
from .node import room_in
from .results import RoomResult, refusal, room_result
from .scalars import IdempotencyKey

Info: TypeAlias = strawberry.Info[Context, None]
Key: TypeAlias = IdempotencyKey | None


def expected(version: int | None) -> int | UnsetType:
    return UNSET if version is None else version


async def in_room(
    context: Context,
    mutation: str,
    room_id: str,
    data: Struct,
    fields: Mapping[str, object],
    key: Key,
    expected_version: int | None,
) -> RoomResult:
    """A command to a room by somebody who is signed in."""
    if not context.viewer:
        return refusal(context, RefusalCode.UNAUTHENTICATED)
    room = room_in(room_id)
    if room is None:
        return refusal(context, RefusalCode.NOT_FOUND, "roomId")
    wish = Wish(mutation, ROOMS, room_stream(room), data, {"room": room, **fields}, key, expected(expected_version))
    return await room_wish(context, wish)


async def room_wish(context: Context, wish: Wish, identity: str | None = None) -> RoomResult:
    answer = await context.house.commands.send(wish, context.viewer, identity=identity)
    result = room_result(context, answer)
    if wish.stream.startswith("room-"):
        context.house.feeds.expect(wish.stream, getattr(answer, "view_version", 0))
    return result
