"""Live views. The first update is a snapshot marked ``reset``, or with ``after`` what came since."""

# ruff: noqa: A002  (the arguments have the API's names)
# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import strawberry
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET, UnsetType

from ..lobby import Entry
from ..streams.update import NotShown
from ..transport.errors import Problem
from .context import Context
from .enums import LobbyChangeKind
from .game import GameUpdate, game_update
from .lobby import LobbyChange, LobbyFilter, filter_of, lobby_change
from .node import game_in, room_in
from .room import RoomUpdate, room_update


def _after(version: int | None) -> int | UnsetType:
    if version is None:
        return UNSET
    if version < 0:
        raise Problem("BAD_USER_INPUT", "`after` is a version: 0 or more.")
    return version


@strawberry.type
class Subscription:
    @strawberry.subscription(description="Ends with NOT_ALLOWED when the viewer may not see the room any more.")
    async def room(
        self, info: strawberry.Info[Context, None], id: strawberry.ID, after: int | None = None
    ) -> AsyncGenerator[RoomUpdate, None]:
        context = info.context
        room = room_in(id)
        if room is None:
            raise context.problem(RefusalCode.NOT_FOUND)
        try:
            async with aclosing(context.house.watch.room(room, context.viewer, _after(after))) as updates:
                async for update in updates:
                    yield room_update(update)
        except NotShown as refusal:
            raise context.problem(refusal.code) from None

    @strawberry.subscription(description="Ends with NOT_ALLOWED when the viewer may not see the room any more.")
    async def game(
        self, info: strawberry.Info[Context, None], id: strawberry.ID, after: int | None = None
    ) -> AsyncGenerator[GameUpdate, None]:
        context = info.context
        at = game_in(id)
        if at is None:
            raise context.problem(RefusalCode.NOT_FOUND)
        try:
            async with aclosing(context.house.watch.game(at, context.viewer, _after(after))) as updates:
                async for update in updates:
                    yield game_update(update, at)
        except NotShown as refusal:
            raise context.problem(refusal.code) from None

    @strawberry.subscription(description="Changes of the list of public rooms. Subscribe first, then read the list.")
    async def lobby(
        self, info: strawberry.Info[Context, None], filter: LobbyFilter | None = None
    ) -> AsyncGenerator[LobbyChange, None]:
        async with aclosing(info.context.house.lobby.changes(filter_of(filter))) as changes:
            async for change in changes:
                if isinstance(change, tuple):
                    room, entry = change
                    yield lobby_change(room, entry if isinstance(entry, Entry) else None)
                else:
                    yield LobbyChange(kind=LobbyChangeKind.RESET, room_id=None, room=None)
