"""Reading streams to fold them: whatever was asked for while a statement ran is read by the next one. No timer.

So a hundred questions at once are a few statements, and a lone one waits for nobody. A read begins after it was asked
for, and sees everything that was committed by then.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence

import asyncpg
from msgspec import Struct

from .store import Store, Written

log = logging.getLogger(__name__)

MAX_STREAMS = 256
"""Streams in one statement."""
PAGE = 256
"""Events of a stream in one statement; the rest of a longer one is read by the next."""
STATEMENT_SECONDS = 5.0
CORRUPTED = "XX"
"""The SQLSTATE class of a row that Postgres cannot read: only its own stream's reader is to hear of it."""

Read = Callable[["list[Written] | Exception"], None]
"""Called from the loop once, with every event after the version, or with what the database raised."""


class _Wanted(Struct):
    stream: str
    after: int
    read: Read
    found: list[Written]


class StreamReader:
    """``read`` never waits. One statement at a time, on the store's pool."""

    def __init__(self, store: Store) -> None:
        self.statements = 0
        self._store = store
        self._wanted: deque[_Wanted] = deque()
        self._task: asyncio.Task[None] | None = None

    def read(self, stream: str, after: int, read: Read) -> None:
        self._wanted.append(_Wanted(stream, after, read, []))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="reads of streams")

    async def events(self, stream: str, after: int = 0) -> list[Written]:
        """As ``read``, raising the error."""
        future: asyncio.Future[list[Written]] = asyncio.get_running_loop().create_future()

        def settle(found: list[Written] | Exception) -> None:
            if future.done():
                return
            if isinstance(found, Exception):
                future.set_exception(found)
            else:
                future.set_result(found)

        self.read(stream, after, settle)
        return await future

    async def _run(self) -> None:
        try:
            while self._wanted:
                batch = [self._wanted.popleft() for _ in range(min(len(self._wanted), MAX_STREAMS))]
                await self._read(batch)
        finally:
            self._task = None

    async def _read(self, batch: Sequence[_Wanted]) -> None:
        self.statements += 1
        try:
            found = await self._store.read_streams(
                [wanted.stream for wanted in batch], [wanted.after for wanted in batch], PAGE, timeout=STATEMENT_SECONDS
            )
        except Exception as error:
            if len(batch) > 1 and isinstance(error, asyncpg.PostgresError) and _is_corrupted(error):
                for wanted in batch:
                    await self._read([wanted])
                return
            for wanted in batch:
                _tell(wanted, error)
            return
        for wanted, events in zip(batch, found, strict=True):
            wanted.found += events
            if len(events) < PAGE:
                _tell(wanted, wanted.found)
            else:
                wanted.after = events[-1].version
                self._wanted.appendleft(wanted)


def _tell(wanted: _Wanted, found: list[Written] | Exception) -> None:
    try:
        wanted.read(found)
    except Exception:
        log.exception("what follows a read of %s failed", wanted.stream)


def _is_corrupted(error: asyncpg.PostgresError) -> bool:
    return str(getattr(error, "sqlstate", None) or "").startswith(CORRUPTED)
