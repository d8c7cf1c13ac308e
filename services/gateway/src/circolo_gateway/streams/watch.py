"""What a subscription to a room or a game does: permission first, then the view of one audience, step by step.

The owner decides who may see (``places``); he is asked again whenever the room's members or seats change, before
anything more is passed on. A game is watched together with its room, whose pushes are looked at first.

``direct`` is the short cut: an update that finds its subscriber at rest is given to it as it is read from NATS. What
it does not take, and whatever needs a question, is yielded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec
from circolo_contracts.ids import GameId, RoomId, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import RoomView
from msgspec import UnsetType

from .feeds import shown_to
from .places import ROOMS, InRoom, Places, read_room
from .update import Cursor, Direct, Moved, NotShown, Update, rest

STARTING_CHECK_SECONDS = 1.0


class GameAddress(msgspec.Struct, frozen=True):
    """Where a game lives: its service and stream, and the room that decides who may watch."""

    service: str
    stream: str
    room: RoomId
    game: GameId
    own_views: bool = True
    """Whether a seat sees more of it than who watches."""


class Requested(msgspec.Struct, frozen=True):
    """What the room says of a game that has no event yet."""

    kind: str
    ranked: bool = False


def starting(game: Requested) -> Update:
    """Version 0 stands for a game that was requested and has no event yet; ``decoded`` is what is known of it."""
    update = Update(0, 0, True, (), msgspec.Raw(b""))
    update.decoded = game
    return update


class _WrongRoom(NotShown):
    """The game exists, and in another room than its id says."""


class _Played(msgspec.Struct):
    room: str


_played = msgspec.json.Decoder(_Played).decode


def played_in(view: msgspec.Raw, room: RoomId) -> bool:
    """Whether a game's view is of a game of this room: an id with another room in it opens no door."""
    return _played(view).room == room


def _yielded(_: Update) -> bool:
    """No short cut."""
    return False


class Watch:
    def __init__(self, places: Places) -> None:
        self._places = places
        self._feeds = places.feeds

    async def room(
        self, room: RoomId, viewer: str, after: int | UnsetType, direct: Direct = _yielded
    ) -> AsyncGenerator[Update, None]:
        """Ends with NotShown when the viewer may not see it any more."""
        place = self._places.of(room, viewer)
        wake = asyncio.Event()

        def straight(update: Update) -> bool:
            return place.settled(update) and direct(update)

        try:
            await place.open(after, wake)
            while True:
                wake.clear()
                step = await place.take()
                if step is None:
                    await rest(wake, [(place.cursor, straight)])
                    continue
                update, changed = step
                if changed:
                    await place.ask_again()
                yield update
        finally:
            place.close()

    async def game(
        self, at: GameAddress, viewer: str, after: int | UnsetType, direct: Direct = _yielded
    ) -> AsyncGenerator[Update, None]:
        """Yields ``starting`` once if the game has no event yet. Ends with NotShown as above."""
        place = self._places.of(at.room, viewer)
        wake = asyncio.Event()
        cursor: Cursor | None = None
        last = after

        def straight(update: Update) -> bool:
            nonlocal last
            if not direct(update):
                return False
            last = update.version
            return True

        try:
            await place.accompany(wake)
            game = requested_in(place.view, at)
            while cursor is None:
                try:
                    cursor = await self._open_game(at, place, after, wake)
                except _WrongRoom:
                    raise
                except NotShown as refusal:
                    if refusal.code is not RefusalCode.NOT_FOUND:
                        raise
                    game = game or await self.requested(at, viewer)
                    if game is None:
                        raise
                    if after != 0:
                        yield starting(game)
                        last = after = 0
                    await self._feeds.wait_first(
                        at.service, at.stream, place.audience(at.own_views), STARTING_CHECK_SECONDS
                    )
                    game = None
            while True:
                wake.clear()
                try:
                    update = await place.next_of(at.service, at.stream, cursor)
                except Moved:
                    self._feeds.close(at.stream, cursor)
                    cursor = await self._open_game(at, place, last, wake)
                    continue
                if update is None:
                    await rest(wake, [(place.cursor, place.settled), (cursor, straight)])
                    continue
                yield update
                last = update.version
        finally:
            if cursor is not None:
                self._feeds.close(at.stream, cursor)
            place.close()

    async def _open_game(self, at: GameAddress, place: InRoom, after: int | UnsetType, wake: asyncio.Event) -> Cursor:
        cursor, seen = await self._feeds.open(
            at.service, at.stream, place.viewer, after=after, wake=wake, expected=place.audience(at.own_views)
        )
        if not played_in(seen.view, at.room):
            self._feeds.close(at.stream, cursor)
            raise _WrongRoom(RefusalCode.NOT_FOUND)
        return cursor

    async def requested(self, at: GameAddress, viewer: str) -> Requested | None:
        """The game if the room's running game is this one. Raises NotShown for a room that is not his."""
        return requested_in(read_room(shown_to(await self._feeds.ask(ROOMS, room_stream(at.room), viewer)).view), at)


def requested_in(view: RoomView | None, at: GameAddress) -> Requested | None:
    """The game, if it is the one that the room is playing."""
    if view is None or view.phase != "PLAYING" or view.game_id != at.game:
        return None
    return Requested(view.game, view.ranked)
