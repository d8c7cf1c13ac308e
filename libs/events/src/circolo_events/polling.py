"""What all readers of a process ask five times a second, asked by one statement for all of them.

Every reader polls, for want of a poke that was lost; a house has two dozen of them, and each statement of an idle one
is paid by those who play. So they poll at the same moment (``until_tick``), and what they ask in that moment goes out
together: how far the logs are, and who keeps which lease.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

import asyncpg
from msgspec import Struct

from .store import whole

POLL_SECONDS = 0.2
"""The guarantee: nothing waits longer for want of a wake-up."""
STATEMENT_SECONDS = 5.0

Key = TypeVar("Key")
Value = TypeVar("Value")

_HEADS = "SELECT array_agg(head ORDER BY shard) FROM {table}"
_HOLD = """
WITH clock AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now)
INSERT INTO lease AS l (name, holder, until)
SELECT w.name, w.holder, clock.now + w.ttl
FROM clock, unnest($1::text[], $2::uuid[], $3::int8[]) AS w (name, holder, ttl)
ORDER BY w.name
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until < (SELECT now FROM clock)
RETURNING name
"""


def until_tick(period: float) -> float:
    """Seconds to the next moment at which everybody with this period polls; at most ``period``."""
    return period - time.monotonic() % period


async def woken_within(wake: asyncio.Event, seconds: float) -> bool:
    """Wait for it, at most so long: false when nobody came."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return False
    return True


class Together(Generic[Key, Value]):
    """``of`` for many keys in one moment is one question. What is asked while it runs goes into the next one.

    When Postgres refuses a question for several keys each is asked alone, so that only whom it concerns hears of it.
    """

    def __init__(self, ask: Callable[[Sequence[Key]], Awaitable[Mapping[Key, Value]]]) -> None:
        self.asked = 0
        self._ask = ask
        self._waiting: dict[Key, list[asyncio.Future[Value]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def of(self, key: Key) -> Value:
        """Raises what ``ask`` raises for this key, KeyError when its answer says nothing of it."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Value] = loop.create_future()
        self._waiting.setdefault(key, []).append(future)
        if self._task is None:
            self._task = loop.create_task(self._run(), name="polls")
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, {}
                await self._answer(waiting)
        finally:
            self._task = None

    async def _answer(self, waiting: Mapping[Key, list[asyncio.Future[Value]]]) -> None:
        self.asked += 1
        try:
            found = await self._ask(list(waiting))
        except Exception as error:
            if len(waiting) == 1 or not isinstance(error, asyncpg.PostgresError):
                _fail(waiting, error)
                return
            for key, futures in waiting.items():
                await self._answer({key: futures})
            return
        for key, futures in waiting.items():
            if key not in found:
                _fail({key: futures}, KeyError(key))
                continue
            for future in futures:
                if not future.done():
                    future.set_result(found[key])


def _fail(waiting: Mapping[Key, list[asyncio.Future[Value]]], error: Exception) -> None:
    for futures in waiting.values():
        for future in futures:
            if not future.done():
                future.set_exception(error)


class Claim(Struct, frozen=True):
    """Who wants which lease, for how many ms by the database's clock."""

    name: str
    holder: uuid.UUID
    ttl_ms: int


class Polls:
    """The questions of all who share a pool: ``Polls.of(pool)``."""

    _of_pool: ClassVar[dict[asyncpg.Pool, Polls]] = {}

    @classmethod
    def of(cls, pool: asyncpg.Pool) -> Polls:
        """The same for the same pool, so that a reader needs to know nothing of the others."""
        polls = cls._of_pool.get(pool)
        if polls is None:
            for closed in [other for other in cls._of_pool if other.is_closing()]:
                del cls._of_pool[closed]
            polls = cls._of_pool[pool] = Polls(pool)
        return polls

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self.heads: Together[str, list[int]] = Together(self._heads)
        """By the name of the table of heads: what ``positions`` makes of it, not yet looked at."""
        self.leases: Together[Claim, bool] = Together(self._hold)

    async def positions(self, table: str) -> dict[int, int]:
        """The last position of each of the 16 shards, by the name of the log's table of heads."""
        return whole(dict(enumerate(await self.heads.of(table))))

    async def has_more(self, table: str, than: Mapping[int, int]) -> bool:
        """Whether a log goes further than these positions, by shard."""
        heads = await self.positions(table)
        return any(heads[shard] > position for shard, position in than.items())

    async def _heads(self, tables: Sequence[str]) -> dict[str, list[int]]:
        query = " UNION ALL ".join(_HEADS.format(table=table) for table in tables)
        rows = await self._pool.fetch(query, timeout=STATEMENT_SECONDS)
        return {table: row[0] or [] for table, row in zip(tables, rows, strict=True)}

    async def _hold(self, claims: Sequence[Claim]) -> dict[Claim, bool]:
        # Two holders of one name in one statement are an error of Postgres's, and then asked one by one.
        rows = await self._pool.fetch(
            _HOLD, [claim.name for claim in claims], [claim.holder for claim in claims],
            [claim.ttl_ms for claim in claims], timeout=STATEMENT_SECONDS,
        )  # fmt: skip
        held = {row[0] for row in rows}
        return {claim: claim.name in held for claim in claims}
