"""Viewers in rooms: who may watch what goes on there, for as long as he is subscribed to any of it.

The owner is asked when the first subscription of a viewer opens, and again whenever members or seats change. A further
one of the same viewer begins beside the first, without a question, if nothing has changed since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
from circolo_contracts.ids import RoomId, room_stream
from circolo_contracts.rooms import RoomView
from msgspec import UNSET, UnsetType

from .feeds import Feeds, shown_to
from .presence import Presence
from .update import Cursor, Moved, Update

ROOMS = "rooms"
read_room = msgspec.json.Decoder(RoomView).decode


def room_of(update: Update) -> RoomView:
    """The room of an update of a room's stream; decoded once for all subscribers."""
    if update.decoded is None:
        update.decoded = read_room(update.view)
    view: RoomView = update.decoded
    return view


def _sitting(view: RoomView) -> tuple[object, ...]:
    """What must change before somebody's rights can change."""
    return (
        view.visibility,
        view.phase == "CLOSED",
        tuple(member.player for member in view.members),
        tuple(seat.player for seat in view.seats),
    )


class Places:
    """Who is in which room through this process, by his subscriptions."""

    def __init__(self, feeds: Feeds, presence: Presence) -> None:
        self.feeds = feeds
        self.presence = presence
        self._open: dict[tuple[RoomId, str], list[InRoom]] = {}

    def of(self, room: RoomId, viewer: str) -> InRoom:
        """Not open yet."""
        return InRoom(self, room, viewer)

    def opened(self, place: InRoom) -> None:
        places = self._open.setdefault((place.room, place.viewer), [])
        if place not in places:
            places.append(place)

    def closed(self, place: InRoom) -> None:
        others = self._open.get((place.room, place.viewer), [])
        if place in others:
            others.remove(place)
        if not others:
            self._open.pop((place.room, place.viewer), None)

    def others(self, place: InRoom) -> Sequence[InRoom]:
        """The open ones of the same viewer in the same room."""
        return self._open.get((place.room, place.viewer), ())


class InRoom:
    """A viewer's live place in a room: its feed, his presence, and whether rights must be asked for anew."""

    def __init__(self, places: Places, room: RoomId, viewer: str) -> None:
        self._places = places
        self._feeds = places.feeds
        self._presence = places.presence
        self.room = room
        self._stream = room_stream(room)
        self.viewer = viewer
        self._cursor: Cursor | None = None
        self._wake = asyncio.Event()
        self._present = False
        self._known: tuple[object, ...] = ()
        self._sure = False
        """Whether the owner was asked about what is known."""
        self.view: RoomView | None = None
        """As he was shown it last."""

    async def open(self, after: int | UnsetType, wake: asyncio.Event) -> None:
        self._wake = wake
        self._cursor, seen = await self._feeds.open(ROOMS, self._stream, self.viewer, after=after, wake=wake)
        self._begin(read_room(seen.view))

    async def accompany(self, wake: asyncio.Event) -> None:
        """Open it beside what is watched in the room: what was asked for another subscription of the viewer holds."""
        for other in self._places.others(self):
            beside = other.beside(wake)
            if beside is not None:
                self._wake = wake
                self._cursor, latest = beside
                self._begin(room_of(latest))
                return
        await self.open(UNSET, wake)

    def beside(self, wake: asyncio.Event) -> tuple[Cursor, Update] | None:
        """None when something has come after which the owner is to be asked, or is being asked."""
        beside = self._feeds.beside(self._stream, self.cursor, wake) if self._sure else None
        if beside is not None and not self.settled(beside[1]):
            self._feeds.close(self._stream, beside[0])
            return None
        return beside

    def _begin(self, view: RoomView) -> None:
        self.view = view
        self._known = _sitting(view)
        self._sure = True
        self._attend(view)
        self._places.opened(self)

    def audience(self, own_views: bool) -> str:
        """What the owner of a game in the room will most likely take the viewer for, if its seats have their own."""
        if self.view is not None and self.viewer and own_views:
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
        if changed:
            self._sure = False
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
        self._sure = True

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
            self._presence.enter(self.room, self.viewer)
        elif self._present and not member:
            self._presence.leave(self.room, self.viewer)
        self._present = member

    def close(self) -> None:
        self._places.closed(self)
        if self._cursor is not None:
            self._feeds.close(self._stream, self._cursor)
        if self._present:
            self._present = False
            self._presence.leave(self.room, self.viewer)
