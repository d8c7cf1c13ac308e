"""What a subscription to a room's chat does: what was said comes step by step, together with the room, whose members
and seats say who may hear it. Somebody who changes his seat hears his new partners from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec
from circolo_contracts.ids import RoomId, chat_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import MESSAGES, ChatPage
from circolo_contracts.wire import Document, Refused
from msgspec import UnsetType

from .places import ROOMS, InRoom, Places
from .update import Cursor, Moved, NotShown, Update, rest

_page = msgspec.json.Decoder(ChatPage).decode


class Chats:
    def __init__(self, places: Places) -> None:
        self._places = places
        self._feeds = places.feeds

    async def past(self, room: RoomId, viewer: str, before: int | UnsetType) -> ChatPage:
        """Messages that the viewer may read, the newest first, said before that version. Raises NotShown."""
        answer = await self._feeds.document(ROOMS, chat_stream(room), viewer, MESSAGES, before)
        if isinstance(answer, Document):
            return _page(answer.text)
        raise NotShown(answer.code if isinstance(answer, Refused) else RefusalCode.UNAVAILABLE)

    async def hear(self, room: RoomId, viewer: str, after: int | UnsetType) -> AsyncGenerator[Update, None]:
        """Without ``after`` the last messages come first, as what happened in an update marked ``reset``.

        Ends with NotShown when the viewer may not hear it any more.
        """
        place = self._places.of(room, viewer)
        stream = chat_stream(room)
        wake = asyncio.Event()
        cursor: Cursor | None = None
        last = after
        try:
            await place.accompany(wake)
            cursor = await self._open(place, stream, last, wake)
            while True:
                wake.clear()
                try:
                    update = await place.next_of(ROOMS, stream, cursor)
                except Moved:
                    self._feeds.close(stream, cursor)
                    cursor = await self._open(place, stream, last, wake)
                    continue
                if update is None:
                    await rest(wake, [(place.cursor, place.settled)])
                    continue
                yield update
                last = update.version
        finally:
            if cursor is not None:
                self._feeds.close(stream, cursor)
            place.close()

    async def _open(self, place: InRoom, stream: str, after: int | UnsetType, wake: asyncio.Event) -> Cursor:
        cursor, _ = await self._feeds.open(
            ROOMS, stream, place.viewer, after=after, wake=wake, expected=_expected(place)
        )
        return cursor


def _expected(place: InRoom) -> str:
    """The audience that rooms will most likely give: the team's at a table of teams."""
    seats = () if place.view is None else place.view.seats
    if len({seat.team for seat in seats}) < len(seats):
        for seat in seats:
            if seat.player == place.viewer:
                return f"team-{seat.team}"
    return "public"
