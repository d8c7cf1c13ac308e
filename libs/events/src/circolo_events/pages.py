"""A log page by page. Whose first page is full has a long way to go: from then on the pages come column by column, and
while one is handled, the database already makes the next."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from .store import Page, Recorded, Store

TURNS_TO_SEND = 2
"""Of the loop, until a statement is on its way: the database is to begin before this process makes events of a page."""


class Pages:
    """For one reader. Never more than one page beside the one that is being handled is in memory."""

    def __init__(self, store: Store, most: int) -> None:
        """``most`` events of each shard are a page."""
        self._store = store
        self._most = most
        self._ahead: asyncio.Task[Page] | None = None
        self._ahead_from: Mapping[int, int] = {}

    async def next(self, after: Mapping[int, int]) -> tuple[list[Recorded], dict[int, int]]:
        """As ``Store.read_log``, and raises what it raises; and, by shard, the last position. Empty at the end."""
        if self._ahead is not None and self._ahead_from == after:
            reading, self._ahead = self._ahead, None
            page = await reading
            if page.longest >= self._most:
                await self._read_ahead({**after, **page.ends})
            return page.events(), page.ends
        self.close()
        events = await self._store.read_log(after, self._most)
        ends = {event.shard: event.pos for event in events}
        if any(end - after[shard] >= self._most for shard, end in ends.items()):
            await self._read_ahead({**after, **ends})
        return events, ends

    async def _read_ahead(self, after: Mapping[int, int]) -> None:
        self._ahead_from = after
        self._ahead = asyncio.create_task(self._store.read_page(after, self._most))
        self._ahead.add_done_callback(_looked_at)
        for _ in range(TURNS_TO_SEND):
            await asyncio.sleep(0)

    def close(self) -> None:
        """Give up what was read ahead."""
        if self._ahead is not None:
            self._ahead.cancel()
            self._ahead = None


def _looked_at(reading: asyncio.Task[Page]) -> None:
    """A page that nobody came for may have failed: whoever reads on is told by his own read."""
    if not reading.cancelled():
        reading.exception()
