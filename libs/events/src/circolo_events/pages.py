"""A long log page by page: while one page is handled, the database already makes the next."""

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
        self._ahead_from: dict[int, int] = {}

    async def next(self, after: Mapping[int, int]) -> list[Recorded]:
        """As ``Store.read_log``, and raises what it raises; empty at the end of the log."""
        if self._ahead is not None and self._ahead_from == after:
            reading, self._ahead = self._ahead, None
            page = await reading
        else:
            self.close()
            page = await self._store.read_page(after, self._most)
        if page.longest >= self._most:
            self._ahead_from = {**after, **page.ends}
            self._ahead = asyncio.create_task(self._store.read_page(self._ahead_from, self._most))
            self._ahead.add_done_callback(_looked_at)
            for _ in range(TURNS_TO_SEND):
                await asyncio.sleep(0)
        return page.events()

    def close(self) -> None:
        """Give up what was read ahead."""
        if self._ahead is not None:
            self._ahead.cancel()
            self._ahead = None


def _looked_at(reading: asyncio.Task[Page]) -> None:
    """A page that nobody came for may have failed: whoever reads on is told by his own read."""
    if not reading.cancelled():
        reading.exception()
