"""Firing what is due: rows that were committed with the event that armed them, leased by whichever replica is free.

A handler sends one command under a derived id, so that firing twice has one effect. The decider acts only if it is
still armed; after a no-op the row is moved or deleted to what the decider says now. A row is never lost: it goes only
by the append that clears it, or here when its decider no longer knows it.
"""

from __future__ import annotations

import asyncio
import enum
import logging
from collections.abc import Awaitable, Callable, Mapping

import asyncpg
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Done, Refused
from msgspec import Struct
from opentelemetry import metrics

from .canonical import deadline_command_id, shard_of
from .clock import Clock
from .decider import Deadline
from .failures import explain, passes
from .polling import POLL_SECONDS, until_tick, woken_within

log = logging.getLogger(__name__)

CONCURRENCY = 32
LEASE_MS = 750
"""Kept up by a third of it while the handler works: when a process dies, another fires its rows within a second."""
LOOK_BACK_MS = 30_000
SWEEP_SECONDS = 5.0
"""Between looks at every due row; in between only those of the last ``LOOK_BACK_MS`` are looked at, so that dead rows
that vacuum may not remove yet (a long transaction elsewhere) are not walked through five times a second."""
LONGEST_PAUSE_MS = 30_000

_meter = metrics.get_meter("circolo.events")
_fired = _meter.create_counter("circolo.deadlines", description="Deadlines fired, by kind and outcome")
_late = _meter.create_histogram("circolo.deadline.lateness", unit="ms", description="From due to fired")


class Fired(enum.Enum):
    """What became of a fired deadline."""

    DONE = "done"
    """Events were committed (now or by an earlier attempt); their append wrote the rows."""
    NOOP = "no-op"
    """The decider had nothing to do, or refused: the row is set to what its state says now."""
    UNAVAILABLE = "unavailable"
    """Not known: it is fired again, later."""


def fired(answer: Answer) -> Fired:
    """What the answer to a deadline's command means; the runtime answers a no-op with position 0."""
    if isinstance(answer, Refused):
        unknown = answer.code in (RefusalCode.UNAVAILABLE, RefusalCode.INTERNAL, RefusalCode.RATE_LIMITED)
        return Fired.UNAVAILABLE if unknown else Fired.NOOP
    return Fired.DONE if isinstance(answer, Done) and answer.position > 0 else Fired.NOOP


Handler = Callable[[str, int, str], Awaitable[Fired]]
"""(stream, version of the deadline, command id to use). May take long; other deadlines go on."""
Current = Callable[[str], Awaitable[Mapping[str, Deadline]]]
"""What is armed on a stream by a fresh fold of its events."""

LEASE = """
WITH clock AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now),
due AS MATERIALIZED (
    SELECT d.shard, d.stream, d.kind FROM deadline d
    WHERE d.due_at > $1 AND d.due_at <= $2 AND d.lease_until <= (SELECT now FROM clock) AND d.kind = ANY ($3::text[])
    ORDER BY d.due_at LIMIT $4 FOR UPDATE SKIP LOCKED
), leased AS (
    UPDATE deadline d SET lease_until = (SELECT now FROM clock) + $5, attempts = d.attempts + 1
    FROM due WHERE d.shard = due.shard AND d.stream = due.stream AND d.kind = due.kind
    RETURNING d.stream, d.kind, d.version, d.due_at, d.attempts
)
SELECT stream, kind, version, due_at, attempts FROM leased
UNION ALL
SELECT NULL, NULL, NULL, (SELECT due_at FROM deadline WHERE due_at > $2 ORDER BY due_at LIMIT 1), NULL
"""
"""The rows that are leased now, and one that says only when the next is due (null: nothing else is armed)."""
_ORPHANS = """
SELECT kind, count(*) FROM deadline WHERE due_at <= $1 AND NOT kind = ANY ($2::text[]) GROUP BY kind
"""
_POSTPONE = """
UPDATE deadline SET lease_until = (extract(epoch FROM clock_timestamp()) * 1000)::int8 + $5
WHERE shard = $1 AND stream = $2 AND kind = $3 AND version = $4
"""
_KEEP = """
UPDATE deadline d SET lease_until = (extract(epoch FROM clock_timestamp()) * 1000)::int8 + $5
FROM unnest($1::int2[], $2::text[], $3::text[], $4::int8[]) AS held (shard, stream, kind, version)
WHERE d.shard = held.shard AND d.stream = held.stream AND d.kind = held.kind AND d.version = held.version
"""
_SET = """
UPDATE deadline SET due_at = $5, version = $6, lease_until = 0, attempts = 0
WHERE shard = $1 AND stream = $2 AND kind = $3 AND version = $4
"""
_DELETE = "DELETE FROM deadline WHERE shard = $1 AND stream = $2 AND kind = $3 AND version = $4"


class Due(Struct, frozen=True):
    """One leased row. ``due_at`` in ms since 1970; ``attempts`` counts this one."""

    stream: str
    kind: str
    version: int
    due_at: int
    attempts: int

    @property
    def key(self) -> tuple[int, str, str, int]:
        return shard_of(self.stream), self.stream, self.kind, self.version


def pause_ms(attempts: int) -> int:
    """How long a failed deadline rests: 250 ms, doubling, at most ``LONGEST_PAUSE_MS``."""
    return min(LONGEST_PAUSE_MS, 250 << min(attempts - 1, 10))


class DeadlineWorker:
    """``pool`` is on the service's schema. Any number of workers may run; each due row is leased by one of them.

    ``handlers`` are by the deadline's kind. ``armed`` is for the runtime's commits in the same process: what was armed
    elsewhere is seen within ``POLL_SECONDS``.
    """

    def __init__(
        self, pool: asyncpg.Pool, clock: Clock, handlers: Mapping[str, Handler], current: Current, *,
        concurrency: int = CONCURRENCY, lease_ms: int = LEASE_MS,
    ) -> None:  # fmt: skip
        self.pool = pool
        self.clock = clock
        self.handlers = dict(handlers)
        self.current = current
        self.lease_ms = lease_ms
        self.problem = ""
        self._kinds = sorted(handlers)
        self._concurrency = concurrency
        self._running: dict[asyncio.Task[None], Due] = {}
        self._keep_at = 0.0
        self._wake = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._sweep_at = 0.0
        self._orphans: set[str] = set()

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="deadlines")

    async def stop(self, timeout: float = 10.0) -> None:
        """Lease nothing new and let what was fired finish; what does not is fired again when its lease is over."""
        self._stopping = True
        self.wake()
        tasks = [*self._running] + ([self._task] if self._task is not None else [])
        if tasks:
            await asyncio.wait(tasks, timeout=timeout)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def wake(self) -> None:
        self._wake.set()

    def armed(self, due_at: int) -> None:
        """A deadline was armed in this process; one that is due before the next poll is not left to it."""
        if due_at <= self.clock.now() + POLL_SECONDS * 1000:
            self._wake.set()

    # ------------------------------------------------------------ the loop

    async def _run(self) -> None:
        pause = 0.05
        while not self._stopping:
            self._wake.clear()
            try:
                seconds = await self._turn()
            except Exception as error:
                self._stall(error)
                seconds = pause
                pause = min(pause * 2, 2.0)
            else:
                pause = 0.05
                if self.problem:
                    log.info("deadlines are fired again")
                    self.problem = ""
            await woken_within(self._wake, seconds)

    async def _turn(self) -> float:
        """Fire what is due and free hands allow. Returns for how many seconds nothing will be due."""
        await self._keep_leases()
        free = self._concurrency - len(self._running)
        if free <= 0:
            return POLL_SECONDS  # a finished one wakes us
        now = self.clock.now()
        monotonic = asyncio.get_running_loop().time()
        sweep = monotonic >= self._sweep_at
        floor = -1 if sweep else now - LOOK_BACK_MS
        rows = await self.pool.fetch(LEASE, floor, now, self._kinds, free, self.lease_ms, timeout=10)
        following: int | None = next(row["due_at"] for row in rows if row["stream"] is None)
        leased = sorted((row for row in rows if row["stream"] is not None), key=lambda row: row["due_at"])
        for row in leased:
            self._fire(Due(*row), now)
        if len(leased) == free:
            return POLL_SECONDS if len(self._running) >= self._concurrency else 0.0
        if sweep:
            self._sweep_at = monotonic + SWEEP_SECONDS
            await self._report_orphans(now)
        poll = until_tick(POLL_SECONDS)
        return poll if following is None else min(poll, max(0.001, (following - self.clock.now()) / 1000))

    async def _keep_leases(self) -> None:
        now = asyncio.get_running_loop().time()
        if not self._running or now < self._keep_at:
            return
        keys = zip(*(due.key for due in self._running.values()), strict=True)
        await self.pool.execute(_KEEP, *(list(column) for column in keys), self.lease_ms, timeout=5)
        self._keep_at = now + self.lease_ms / 3000

    async def _report_orphans(self, now: int) -> None:
        for kind, count in await self.pool.fetch(_ORPHANS, now, self._kinds, timeout=10):
            if kind not in self._orphans:
                self._orphans.add(kind)
                log.error("%d due deadlines of kind %s wait for a handler that this process does not have", count, kind)

    def _stall(self, error: Exception) -> None:
        problem = explain(error)
        if problem != self.problem:
            self.problem = problem
            log.error("no deadline can be fired now: %s", problem, exc_info=None if passes(error) else error)

    # ------------------------------------------------------------ one deadline

    def _fire(self, due: Due, now: int) -> None:
        _late.record(max(0, now - due.due_at), {"kind": due.kind})
        task = asyncio.create_task(self._handle(due), name=f"deadline {due.kind}")
        self._running[task] = due
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        if len(self._running) == self._concurrency - 1:
            self.wake()

    async def _handle(self, due: Due) -> None:
        try:
            outcome = await self.handlers[due.kind](
                due.stream, due.version, deadline_command_id(due.stream, due.kind, due.version)
            )
        except Exception as error:
            log.error(
                "the handler of deadline %s failed on %s, attempt %d: %s", due.kind, due.stream, due.attempts,
                type(error).__name__, exc_info=None if passes(error) else error,
            )  # fmt: skip
            outcome = Fired.UNAVAILABLE
        _fired.add(1, {"kind": due.kind, "outcome": outcome.value})
        try:
            if outcome is Fired.UNAVAILABLE:
                await self.pool.execute(_POSTPONE, *due.key, pause_ms(due.attempts), timeout=5)
            elif outcome is Fired.NOOP or due.attempts > 1:
                await self._settle(due)
        except Exception as error:
            # The lease is over some time; then it is fired again under the same id.
            log.warning("deadline %s on %s is left to its lease: %s", due.kind, due.stream, explain(error))

    async def _settle(self, due: Due) -> None:
        """Set the row to what the stream's state says now, unless an append did it meanwhile."""
        armed = (await self.current(due.stream)).get(due.kind)
        if armed is None:
            await self.pool.execute(_DELETE, *due.key, timeout=5)
        elif armed.version == due.version and armed.due_at <= self.clock.now():
            # It is armed and due, and still nothing was done: not a loop that spins.
            await self.pool.execute(_POSTPONE, *due.key, pause_ms(due.attempts), timeout=5)
        else:
            await self.pool.execute(_SET, *due.key, armed.due_at, armed.version, timeout=5)
            self.wake()
