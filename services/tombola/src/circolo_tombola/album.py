"""The marks of the games that are played here, in memory: read from their streams as far as they are not known yet."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol, cast

from circolo_contracts.ids import stream_of
from circolo_contracts.tombola import MarkSet
from circolo_events.registry import EventRegistry
from circolo_events.store import Written
from msgspec import Struct

from .marks import Marks, MarksDecider
from .reactions import MARKS

MOST_GAMES = 2_000
"""At a full table a game takes some 15 KB; the one that was used longest ago is read again when it comes back."""


class Reads(Protocol):
    """``circolo_events.reading.StreamReader``."""

    def read(self, stream: str, after: int, read: Callable[[list[Written] | Exception], None]) -> None: ...


def marks_stream(game_id: str, seat: int) -> str:
    """``marks-<uuid5(game id, seat)>``."""
    return stream_of(MARKS, uuid.uuid5(uuid.UUID(hex=game_id), str(seat)).hex)


class _Page(Struct):
    """Of one seat; ``marks`` is None until they were read once."""

    stream: str
    marks: Marks | None = None

    def keep(self, marks: Marks) -> None:
        """Unless newer ones are known already."""
        if self.marks is None or self.marks.version < marks.version:
            self.marks = marks


class Album:
    def __init__(self, reader: Reads, registry: EventRegistry, most: int = MOST_GAMES) -> None:
        self._reader = reader
        self._registry = registry
        self._decider = MarksDecider()
        self._most = most
        self._games: OrderedDict[str, dict[int, _Page]] = OrderedDict()

    def at_hand(self, game_id: str, seat: int) -> Marks | None:
        """As known here, without a read."""
        page = self._games.get(game_id, {}).get(seat)
        return None if page is None else page.marks

    def keep(self, game_id: str, seat: int, marks: Marks) -> None:
        self._page(game_id, seat).keep(marks)

    async def refresh(self, game_id: str, seats: Iterable[int]) -> None:
        """Whatever was marked elsewhere; all seats share their statements. Raises what the database does."""
        pages = [self._page(game_id, seat) for seat in seats]
        if pages:
            await _Refreshing(pages, self._fold, self._reader).over

    def _fold(self, page: _Page, rows: Sequence[Written]) -> None:
        marks = page.marks or self._decider.initial
        for row in rows:
            if row.version > marks.version:  # two reads of one seat may overlap
                event = cast("MarkSet", self._registry.decode(row.type, row.schema_v, row.data))
                marks = self._decider.evolve(marks, event)
        page.keep(marks)

    def _page(self, game_id: str, seat: int) -> _Page:
        game = self._games.setdefault(game_id, {})
        self._games.move_to_end(game_id)
        if len(self._games) > self._most:
            self._games.popitem(last=False)
        if seat not in game:
            game[seat] = _Page(marks_stream(game_id, seat))
        return game[seat]


class _Refreshing:
    """One future for any number of reads, done with the last of them or with the first that fails."""

    def __init__(self, pages: Sequence[_Page], fold: Callable[[_Page, Sequence[Written]], None], reader: Reads) -> None:
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._left = len(pages)
        self._fold = fold
        for page in pages:
            after = 0 if page.marks is None else page.marks.version
            reader.read(page.stream, after, partial(self._read, page))

    def _read(self, page: _Page, found: list[Written] | Exception) -> None:
        if self.over.done():
            return
        try:
            if isinstance(found, Exception):
                raise found
            self._fold(page, found)
        except Exception as error:
            self.over.set_exception(error)
            return
        self._left -= 1
        if not self._left:
            self.over.set_result(None)
