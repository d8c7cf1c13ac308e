"""What a subscription to a room or a game does: permission first, then the view of one audience, step by step.

The owner decides who may see; he is asked again whenever the room's members or seats change, before anything more is
passed on. A game is watched together with its room, whose pushes are looked at first.

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
from msgspec import UNSET, UnsetType

from .feeds import Feeds, shown_to
from .presence import Presence
from .update import Cursor, Direct, Moved, NotShown, Update, rest

ROOMS = "rooms"
STARTING_CHECK_SECONDS = 1.0
_room_view = msgspec.json.Decoder(RoomView).decode


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


def room_of(update: Update) -> RoomView:
    """The room of an update of a room's stream; decoded once for all subscribers."""
    if update.decoded is None:
        update.decoded = _room_view(update.view)
    view: RoomView = update.decoded
    return view


class _WrongRoom(NotShown):
    """The game exists, and in another room than its id says."""


class _Played(msgspec.Struct):
    room: str


_played = msgspec.json.Decoder(_Played).decode


def played_in(view: msgspec.Raw, room: RoomId) -> bool:
    """Whether a game's view is of a game of this room: an id with another room in it opens no door."""
    return _played(view).room == room


def _sitting(view: RoomView) -> tuple[object, ...]:
    """What must change before somebody's rights can change."""
    return (
        view.visibility,
        view.phase == "CLOSED",
        tuple(member.player for member in view.members),
        tuple(seat.player for seat in view.seats),
    )


def _yielded(_: Update) -> bool:
    """No short cut."""
    return False


class InRoom:
    """A viewer's live place in a room: its feed, his presence, and whether rights must be asked for anew."""

    def __init__(self, feeds: Feeds, presence: Presence, room: RoomId, viewer: str) -> None:
        self._feeds = feeds
        self._presence = presence
        self._room = room
        self._stream = room_stream(room)
        self.viewer = viewer
        self._cursor: Cursor | None = None
        self._wake = asyncio.Event()
        self._present = False
        self._known: tuple[object, ...] = ()
        self.view: RoomView | None = None
        """As he was shown it last."""

    async def open(self, after: int | UnsetType, wake: asyncio.Event) -> None:
        self._wake = wake
        self._cursor, seen = await self._feeds.open(ROOMS, self._stream, self.viewer, after=after, wake=wake)
        view = self.view = _room_view(seen.view)
        self._known = _sitting(view)
        self._attend(view)

    def audience(self, at: GameAddress) -> str:
        """What the owner of this game in the room will most likely take the viewer for."""
        if self.view is not None and self.viewer and at.own_views:
            for seat in self.view.seats:
                if seat.player == self.viewer:
                    return f"seat-{seat.seat}"
        return "public"

    async def take(self) -> tuple[Update, bool] | None:
        """The next update and whether members or seats changed by it."""
        cursor = self.cursor
        try:
            if cursor.lost:
                await self._feeds.catch_up(ROOMS, self._stream, cursor)
            update = cursor.take()
        except Moved:
            await self.open(cursor.tail, self._wake)
            return None
        if update is None:
            return None
        view = self.view = room_of(update)
        self._attend(view)
        sitting = _sitting(view)
        changed, self._known = sitting != self._known, sitting
        return update, changed

    async def seats_changed(self) -> bool:
        """Everything that waits is taken: whether members or seats changed by it."""
        changed = False
        while (step := await self.take()) is not None:
            changed = changed or step[1]
        return changed

    @property
    def cursor(self) -> Cursor:
        """Once it is open."""
        assert self._cursor is not None
        return self._cursor

    def settled(self, update: Update) -> bool:
        """Whether nobody's rights or presence can change by it."""
        try:
            return _sitting(room_of(update)) == self._known
        except msgspec.MsgspecError:
            return False  # whoever takes it says what is wrong with it

    async def ask_again(self) -> None:
        """Raises NotShown when the viewer may not see the room any more."""
        answer = await self._feeds.ask(ROOMS, self._stream, self.viewer)
        shown_to(answer)

    async def next_of(self, service: str, stream: str, cursor: Cursor) -> Update | None:
        """Of a stream that is followed beside the room, which comes first.

        Raises Moved when members or seats have changed, if he may still see the room at all.
        """
        if await self.seats_changed():
            await self.ask_again()
            raise Moved
        if cursor.lost:
            await self._feeds.catch_up(service, stream, cursor)
        return cursor.take()

    def _attend(self, view: RoomView) -> None:
        member = bool(self.viewer) and any(each.player == self.viewer for each in view.members)
        if member and not self._present:
            self._presence.enter(self._room, self.viewer)
        elif self._present and not member:
            self._presence.leave(self._room, self.viewer)
        self._present = member

    def close(self) -> None:
        if self._cursor is not None:
            self._feeds.close(self._stream, self._cursor)
        if self._present:
            self._present = False
            self._presence.leave(self._room, self.viewer)


class Watch:
    def __init__(self, feeds: Feeds, presence: Presence) -> None:
        self._feeds = feeds
        self._presence = presence

    async def room(
        self, room: RoomId, viewer: str, after: int | UnsetType, direct: Direct = _yielded
    ) -> AsyncGenerator[Update, None]:
        """Ends with NotShown when the viewer may not see it any more."""
        place = InRoom(self._feeds, self._presence, room, viewer)
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
        place = InRoom(self._feeds, self._presence, at.room, viewer)
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
            await place.open(UNSET, wake)
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
                    await self._feeds.wait_first(at.service, at.stream, place.audience(at), STARTING_CHECK_SECONDS)
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
            at.service, at.stream, place.viewer, after=after, wake=wake, expected=place.audience(at)
        )
        if not played_in(seen.view, at.room):
            self._feeds.close(at.stream, cursor)
            raise _WrongRoom(RefusalCode.NOT_FOUND)
        return cursor

    async def requested(self, at: GameAddress, viewer: str) -> Requested | None:
        """The game if the room's running game is this one. Raises NotShown for a room that is not his."""
        return requested_in(_room_view(shown_to(await self._feeds.ask(ROOMS, room_stream(at.room), viewer)).view), at)


def requested_in(view: RoomView | None, at: GameAddress) -> Requested | None:
    """The game, if it is the one that the room is playing."""
    if view is None or view.phase != "PLAYING" or view.game_id != at.game:
        return None
    return Requested(view.game, view.ranked)
