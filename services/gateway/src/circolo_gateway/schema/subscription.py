"""Live views. The first update is a snapshot marked ``reset``, or with ``after`` what came since."""

# ruff: noqa: A002  (the arguments have the API's names)
# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeVar, cast

import strawberry
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET, UnsetType

from ..lobby import Entry
from ..streams.update import NotShown, Update
from ..transport.errors import Problem
from ..transport.steps import Steps
from .context import Context
from .enums import LobbyChangeKind
from .games import GameUpdate, game_type, game_update
from .lobby import LobbyChange, LobbyFilter, filter_of, lobby_change
from .node import game_in, room_in
from .room import RoomUpdate, room_update
from .talk import Message, hear

T = TypeVar("T")


def _after(version: int | None) -> int | UnsetType:
    if version is None:
        return UNSET
    if version < 0:
        raise Problem("BAD_USER_INPUT", "`after` is a version: 0 or more.")
    return version


@strawberry.type
class Subscription:
    @strawberry.subscription(description="Ends with NOT_ALLOWED when the viewer may not see the room any more.")
    def room(
        self, info: strawberry.Info[Context, None], id: strawberry.ID, after: int | None = None
    ) -> AsyncGenerator[RoomUpdate, None]:
        return _generated(Steps(lambda deliver: _room(info.context, id, after, deliver)))

    @strawberry.subscription(description="Ends with NOT_ALLOWED when the viewer may not see the room any more.")
    def game(
        self, info: strawberry.Info[Context, None], id: strawberry.ID, after: int | None = None
    ) -> AsyncGenerator[GameUpdate, None]:
        return _generated(Steps(lambda deliver: _game(info.context, id, after, deliver)))

    @strawberry.subscription(
        description="What is said in a room, for who is in it: first what came `after` that message's `cursor`, "
        "without it the last messages. Ends with NOT_IN_ROOM or NOT_ALLOWED when the viewer may not hear it any more."
    )
    async def chat(
        self, info: strawberry.Info[Context, None], room_id: strawberry.ID, after: str | None = None
    ) -> AsyncGenerator[Message, None]:
        async with aclosing(hear(info.context, room_id, after)) as messages:
            async for message in messages:
                yield message

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


def _generated(steps: Steps[T]) -> AsyncGenerator[T, None]:
    """Strawberry wants a generator's name on it; whoever iterates finds the steps."""
    return cast("AsyncGenerator[T, None]", steps)


async def _room(
    context: Context, gid: str, after: int | None, deliver: Callable[[RoomUpdate], bool]
) -> AsyncGenerator[RoomUpdate, None]:
    room = room_in(gid)
    if room is None:
        raise context.problem(RefusalCode.NOT_FOUND)

    def direct(update: Update) -> bool:
        return deliver(room_update(update))

    try:
        async with aclosing(context.house.watch.room(room, context.viewer, _after(after), direct)) as updates:
            async for update in updates:
                yield room_update(update)
    except NotShown as refusal:
        raise context.problem(refusal.code) from None


async def _game(
    context: Context, gid: str, after: int | None, deliver: Callable[[GameUpdate], bool]
) -> AsyncGenerator[GameUpdate, None]:
    at = game_in(gid)
    if at is None:
        raise context.problem(RefusalCode.NOT_FOUND)

    of = game_type(at.stream)

    def direct(update: Update) -> bool:
        return deliver(game_update(update, at, of))

    try:
        async with aclosing(context.house.watch.game(at, context.viewer, _after(after), direct)) as updates:
            async for update in updates:
                yield game_update(update, at, of)
    except NotShown as refusal:
        raise context.problem(refusal.code) from None
