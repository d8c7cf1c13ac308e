"""What all readers of a process ask five times a second, asked by one statement for all of them.

Every log is polled, for want of a poke that was lost; a house has two dozen readers, and each statement and wake-up of
an idle one is paid by those who play. So readers sleep, and one poll of the process looks how far their logs are and
wakes those whose log went on (``Watch``). Leases are kept together too, three times in their time.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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
WITH clock AS MATERIALIZED (
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now,
           set_config('synchronous_commit', 'off', true) -- a lease that a crash forgets is one that ran out
)
INSERT INTO lease AS l (name, holder, until)
SELECT w.name, w.holder, clock.now + w.ttl
FROM clock, unnest($1::text[], $2::uuid[], $3::int8[]) AS w (name, holder, ttl)
ORDER BY w.name
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until < (SELECT now FROM clock)
RETURNING name, holder
"""


def until_tick(period: float) -> float:
    """Seconds to the next moment at which everybody with this period polls; at most ``period``."""
    return period - time.monotonic() % period


async def woken_within(wake: asyncio.Event, seconds: float) -> bool:
    """Wait for it, at most so long: false when nobody came."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wake.wait()
    return wake.is_set()  # also when it came with the last moment


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


class _Sleeper:
    """A reader that sleeps: which log's table of heads, how far he is by shard, and what wakes him."""

    __slots__ = ("positions", "table", "wake")

    def __init__(self, table: str, positions: Mapping[int, int], wake: asyncio.Event) -> None:
        self.table = table
        self.positions = positions
        self.wake = wake

    def has_news(self, heads: Sequence[int]) -> bool:
        """Also when a shard is missing: he is to find that out himself."""
        return any(shard >= len(heads) or heads[shard] > position for shard, position in self.positions.items())


class Watch:
    """Looks every ``period`` seconds whether a log went on, for as long as anybody sleeps. No task of its own."""

    def __init__(self, period: float, heads: Together[str, list[int]]) -> None:
        self._period = period
        self._heads = heads
        self._asleep: set[_Sleeper] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._looking: asyncio.Task[None] | None = None

    @contextlib.contextmanager
    def over(self, table: str, positions: Mapping[int, int], wake: asyncio.Event) -> Iterator[None]:
        """For as long as he rests or sleeps: ``wake`` is set within the period after the log goes further than these
        positions, and when the database does not say, so that he meets the trouble himself."""
        sleeper = _Sleeper(table, positions, wake)
        self._asleep.add(sleeper)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(until_tick(self._period), self._tick)
        try:
            yield
        finally:
            self._asleep.discard(sleeper)

    def _tick(self) -> None:
        self._timer = None
        if not self._asleep:
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(until_tick(self._period), self._tick)
        if self._looking is None:  # a slow database is not asked twice
            self._looking = loop.create_task(self._look(), name="polls")

    async def _look(self) -> None:
        try:
            tables = list({sleeper.table for sleeper in self._asleep})
            answers = await asyncio.gather(*map(self._heads.of, tables), return_exceptions=True)
            found = dict(zip(tables, answers, strict=True))
            for sleeper in self._asleep:
                heads = found.get(sleeper.table)  # None: he came meanwhile, and the next look is for him
                if isinstance(heads, BaseException) or (heads is not None and sleeper.has_news(heads)):
                    sleeper.wake.set()
        finally:
            self._looking = None


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
        self._watches: dict[float, Watch] = {}

    def watch(self, period: float = POLL_SECONDS) -> Watch:
        """The one of all who are to be woken within this many seconds."""
        watch = self._watches.get(period)
        if watch is None:
            watch = self._watches[period] = Watch(period, self.heads)
        return watch

    async def positions(self, table: str) -> dict[int, int]:
        """The last position of each of the 16 shards, by the name of the log's table of heads."""
        return whole(dict(enumerate(await self.heads.of(table))))

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
        held = {tuple(row) for row in rows}
        return {claim: (claim.name, claim.holder) in held for claim in claims}
