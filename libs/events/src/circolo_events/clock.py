"""The database's clock, kept by its offset to ours, so that every process means the same by ``now``."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

import asyncpg

from .failures import DATABASE_AWAY

MEASURE_EVERY_SECONDS = 10.0


class Clock(Protocol):
    def now(self) -> int:
        """ms since 1970."""
        ...


class DatabaseClock:
    """Local time plus the offset measured last; the offset of the shortest round trip of a few wins."""

    def __init__(self) -> None:
        self.offset_ms = 0.0
        self._task: asyncio.Task[None] | None = None

    def now(self) -> int:
        return int(time.time() * 1000 + self.offset_ms)

    async def measure(self, pool: asyncpg.Pool, *, tries: int = 3) -> None:
        best = float("inf")
        for _ in range(tries):
            before = time.time()
            there: float = await pool.fetchval("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8")
            after = time.time()
            if after - before < best:
                best = after - before
                self.offset_ms = there - (before + after) / 2 * 1000

    async def start(self, pool: asyncpg.Pool) -> None:
        await self.measure(pool)
        self._task = asyncio.create_task(self._keep(pool))

    async def _keep(self, pool: asyncpg.Pool) -> None:
        while True:
            await asyncio.sleep(MEASURE_EVERY_SECONDS)
            try:
                await self.measure(pool)
            except DATABASE_AWAY:
                continue  # the offset of ten seconds ago is the best there is

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None


class FixedClock:
    """A clock for tests: it stands still until it is told to move."""

    def __init__(self, now: int = 1_800_000_000_000) -> None:
        self.time = now

    def now(self) -> int:
        return self.time

    def advance(self, ms: int) -> None:
        self.time += ms
