"""The one way to read a service's log: Postgres in position order from the checkpoint, a batch at a time.

Woken in process, by ``poke.<source>``, and within ``poll`` seconds in any case. The effect of a batch and the
checkpoint commit together, by compare-and-set, so that two replicas, a kill or a repetition change nothing. An event
that cannot be handled is parked with the later events of its stream; the shard goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import asyncpg
from circolo_contracts.wire import poke_subject
from msgspec import Struct
from nats.errors import Error as NatsError
from opentelemetry import metrics

from .bus import BusSubscription, NatsBus
from .canonical import SHARDS
from .checkpoints import Connection, Consumer, Move
from .failures import DATABASE_AWAY, CheckpointMoved, LeaseLost, LogBehind, explain, is_usual_at_start, passes
from .leader import Lease
from .pages import Pages
from .polling import POLL_SECONDS, Polls, until_tick, woken_within
from .store import Recorded, Store

log = logging.getLogger(__name__)

Handle = Callable[[Connection, Sequence[Recorded]], Awaitable[None]]
"""The effect of a batch, in the transaction that moves the checkpoint. Within a shard events come in order."""
Commit = Callable[[asyncpg.Pool, Sequence[Recorded], Move], Awaitable[None]]
"""Effect and move by the consumer's own hand; must do both or neither, and raise CheckpointMoved as ``Move.apply``."""

LONGEST_PAUSE_SECONDS = 2.0
SAVE_SECONDS = 1.0
"""How much work of passing over events may be done again after a kill."""
PASSED_FOR_ONE = 8
"""How many events may be passed over in the place of one that is handled."""
MEASURE_EVERY_SECONDS = 2.0


class Limits(Struct, frozen=True):
    """How much a subscription takes at once and how patient it is."""

    poll_seconds: float = POLL_SECONDS
    round_seconds: float = 0.04
    """A rest after a batch, so that under load what is committed meanwhile shares the next one's transaction. A lone
    event is handled at once, who catches up does not rest; after the rest it reads only if the log went on."""
    max_events: int = 1024
    max_bytes: int = 4 * 1024 * 1024
    retry_after_seconds: tuple[float, ...] = (0.05, 0.2, 0.5)
    """When a single event that fails is tried again before it is parked."""


UNHURRIED = Limits(round_seconds=POLL_SECONDS)
"""For whom nobody waits: after a batch it rests as long as who was not woken."""

_meter = metrics.get_meter("circolo.events")
_lag_events = _meter.create_gauge("circolo.consumer.lag", description="Events committed and not yet handled")
_delay = _meter.create_gauge("circolo.consumer.delay", unit="ms", description="Age of the oldest event in hand")
_handled = _meter.create_counter("circolo.consumer.events", description="Events handled or set aside, by outcome")


def in_transaction(handle: Handle) -> Commit:
    """The move first, so that a replica that is late learns it before it does anything."""

    async def commit(pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        async with pool.acquire(timeout=10) as connection, connection.transaction():
            await move.apply(connection)
            if events:
                await handle(connection, events)

    return commit


def check_not_ahead(positions: Mapping[int, int], heads: Mapping[int, int]) -> None:
    """Raises LogBehind when more was handled than the log has: somebody put an older one in its place."""
    for shard, position in positions.items():
        if position > heads[shard]:
            raise LogBehind(f"has handled {position} of shard {shard}, which ends at {heads[shard]}")


def ends_of(events: Sequence[Recorded]) -> dict[int, int]:
    """The last position of each shard."""
    return {event.shard: event.pos for event in events}


class Subscription:
    """A consumer of one service's log. Give ``handle``, or ``commit`` where one statement does it all.

    ``pool`` is on the consumer's own schema, which has the kit's tables; ``store`` reads the source's log. ``start``
    returns at once, also when database or source are not there yet; ``stop`` finishes the batch in hand.

    With ``types`` it is woken by, and given, events of these types only. What it passes over is written down with its
    next effect, or when nothing comes, or every ``SAVE_SECONDS``: read again it would be passed over again.
    """

    def __init__(
        self, name: str, version: int, source: str, *, pool: asyncpg.Pool, store: Store, handle: Handle | None = None,
        commit: Commit | None = None, bus: NatsBus | None = None, limits: Limits | None = None,
        types: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        if (handle is None) == (commit is None):
            raise ValueError("give handle or commit")
        self.consumer = Consumer(name, version, source)
        self.pool = pool
        self.store = store
        self.lease = Lease(pool, f"{name}.{version}.{source}")
        self.state = "STARTING"
        """STARTING, STANDBY (another replica is at work), RUNNING or STALLED (``problem`` says why)."""
        self.problem = ""
        self.lag_events = 0
        self.handled = 0
        """Events handled by this replica since it started."""
        self._full = False
        self.parked: set[str] = set()
        """Streams of which an event could not be handled."""
        self.positions: dict[int, int] | None = None
        """By shard, the last position handled; None while not known."""
        self._saved: dict[int, int] = {}
        """What the checkpoint says; ``positions`` may be ahead of it by events that were passed over."""
        self._save_at = 0.0
        self._types = types
        self._commit = commit if commit is not None else in_transaction(handle)  # type: ignore[arg-type]
        self._bus = bus
        self._limits = limits or Limits()
        self._pages = Pages(store, max(1, self._limits.max_events // SHARDS))
        self._wake = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._pokes: list[BusSubscription] = []
        self._retried_parked = False
        self._measure_at = 0.0
        self._labels = {"consumer": name, "source": source}

    async def start(self) -> None:
        if self._bus is not None:
            for event_type in [""] if self._types is None else self._types:
                subject = poke_subject(self.consumer.source, event_type)
                self._pokes.append(await self._bus.subscribe(subject, lambda _: self.wake()))
        self._task = asyncio.create_task(self._run(), name=f"subscription {self.consumer}")

    async def stop(self, timeout: float = 10.0) -> None:
        """Finish the batch in hand within ``timeout`` seconds, else let it roll back; give the lease away."""
        self._stopping = True
        self.wake()
        for poke in self._pokes:
            with contextlib.suppress(NatsError):
                await poke.unsubscribe()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=timeout)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._pages.close()
        try:
            await self.lease.release()
        except DATABASE_AWAY:
            log.info("%s: the lease runs out by itself", self.consumer)

    def wake(self) -> None:
        """Somebody appended."""
        self._wake.set()

    async def unpark(self, stream: str) -> int:
        """Have a parked stream tried again, in order, by whoever is at work. Returns how many events wait there."""
        waiting = await self.consumer.ask_for(self.pool, stream)
        self.wake()
        return waiting

    async def caught_up(self, timeout: float = 10.0) -> None:
        """Wait until everything is handled that is committed now, by whichever replica. Raises TimeoutError."""
        heads = await self.store.heads()
        async with asyncio.timeout(timeout):
            while True:
                positions = await self.consumer.load(self.pool)
                if all(positions[shard] >= head for shard, head in heads.items()):
                    return
                self.wake()
                await asyncio.sleep(0.02)

    # ------------------------------------------------------------ the loop

    async def _run(self) -> None:
        pause = 0.05
        woken = True
        while not self._stopping:
            self._wake.clear()
            try:
                idle = await self._turn(woken)
            except (CheckpointMoved, LeaseLost) as error:
                log.info("%s: %s", self.consumer, str(error) or type(error).__name__)
                self.positions = None
                await asyncio.sleep(0.01)
                continue
            except Exception as error:
                woken = True
                self._stall(error)
                await woken_within(self._wake, pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
                continue
            pause = 0.05
            woken = self._full
            if self._full:
                continue
            if self.positions is None:
                await woken_within(self._wake, until_tick(self._limits.poll_seconds))
                continue
            watch = Polls.of(self.pool).watch(self._limits.poll_seconds)
            with watch.over(self.store.heads_table, self.positions, self._wake):
                if not idle:  # watched also while it rests, so that nobody waits for a rest and then for a poll
                    await asyncio.sleep(self._limits.round_seconds)
                woken = await woken_within(self._wake, self.lease.until_due())

    async def _turn(self, woken: bool) -> bool:
        """One batch. True when there was nothing to do."""
        self._full = False
        if not await self.lease.hold():
            self._become("STANDBY")
            self.positions = None
            _lag_events.set(0, self._labels)  # whoever is at work tells of it
            _delay.set(0, self._labels)
            return True
        if self.positions is None:
            self.positions = await self._load()
            woken = True
        if self.parked:
            await self._try_parked()
        batch, ends = await self._read(self.positions, woken)
        await self._measure(batch)
        self._become("RUNNING")
        if batch:
            await self._digest(batch, ends)
            return False
        self.positions.update(ends)
        if not ends or time.monotonic() >= self._save_at:
            await self._save()
        return True

    async def _read(self, after: Mapping[int, int], woken: bool) -> tuple[list[Recorded], Mapping[int, int]]:
        """The next batch and how far it goes, by shard. Who was not woken has only his own affairs to see to."""
        if not woken:
            return [], {}
        most = max(1, self._limits.max_events // SHARDS)
        ends: Mapping[int, int]
        if self._types is None:
            events, ends = await self._pages.next(after)
        else:
            most *= PASSED_FOR_ONE
            events, ends = await self.store.read_types(after, self._types, most)
        batch = self._bounded(events)
        self._full = len(batch) < len(events) or any(end - after[shard] >= most for shard, end in ends.items())
        return batch, ends if len(batch) == len(events) else ends_of(batch)

    async def _save(self) -> None:
        """Write down how far events were passed over."""
        assert self.positions is not None
        ahead = self._unsaved()
        if ahead:
            await Move(self.consumer, {shard: self._saved[shard] for shard in ahead}, ahead).alone(self.pool)
            self._saved.update(ahead)
        self._save_at = time.monotonic() + SAVE_SECONDS

    def _unsaved(self) -> dict[int, int]:
        assert self.positions is not None
        return {shard: position for shard, position in self.positions.items() if position != self._saved[shard]}

    async def _load(self) -> dict[int, int]:
        heads = await self.store.heads()  # first: a source that is not migrated leaves no trace of us
        async with self.pool.acquire(timeout=10) as connection:
            positions = await self.consumer.load(connection)
            self.parked = await self.consumer.parked_streams(connection)
            if self.parked and not self._retried_parked:
                for stream in self.parked:  # this process may have newer code
                    await self.consumer.ask_for(connection, stream)
        self._retried_parked = True
        check_not_ahead(positions, heads)
        self._saved = dict(positions)
        return positions

    def _bounded(self, events: list[Recorded]) -> list[Recorded]:
        size = 0
        for index, event in enumerate(events):
            size += len(event.data) + len(event.meta)
            if size > self._limits.max_bytes and index > 0:
                return events[:index]
        return events

    # ------------------------------------------------------------ a batch

    async def _digest(self, batch: Sequence[Recorded], ends: Mapping[int, int] | None = None) -> None:
        """Handle the batch; if an event of it cannot be handled, find it by halves, park it, handle the others."""
        try:
            await self._move(batch, ends=ends)
        except Exception as error:
            if passes(error):
                raise
            if len(batch) > 1:
                middle = len(batch) // 2
                await self._digest(batch[:middle])
                await self._digest(batch[middle:])
            else:
                await self._insist(batch[0], error)

    async def _insist(self, event: Recorded, error: Exception) -> None:
        for seconds in self._limits.retry_after_seconds:
            await asyncio.sleep(seconds)
            try:
                await self._move([event])
                return
            except Exception as again:
                if passes(again):
                    raise
                error = again
        log.error(
            "%s: %s at position %d of shard %d is parked with its stream %s: %s",
            self.consumer, event.type, event.pos, event.shard, event.stream, type(error).__name__,
        )  # fmt: skip
        self.parked.add(event.stream)
        await self._move([event], f"{type(error).__name__}: {error}"[:500].replace("\x00", ""))

    async def _move(
        self, batch: Sequence[Recorded], reason: str = "its stream is parked", ends: Mapping[int, int] | None = None
    ) -> None:
        """``ends``: how far it goes, when that is further than the last events of the batch."""
        positions = self.positions
        assert positions is not None
        after = {**self._unsaved(), **(ends_of(batch) if ends is None else ends)}
        parked = [event for event in batch if event.stream in self.parked] if self.parked else []
        handled = [event for event in batch if event.stream not in self.parked] if parked else batch
        before = {shard: self._saved[shard] for shard in after}
        move = Move(self.consumer, before, after, park=[(event, reason) for event in parked])
        await self._commit(self.pool, handled, move)
        positions.update(after)
        self._saved.update(after)
        self.handled += len(handled)
        _handled.add(len(handled), {**self._labels, "outcome": "handled"})
        if parked:
            _handled.add(len(parked), {**self._labels, "outcome": "parked"})

    # ------------------------------------------------------------ parked streams

    async def _try_parked(self) -> None:
        for stream in await self.consumer.asked_for(self.pool):
            positions = await self.consumer.parked_positions(self.pool, stream)
            events = [event for event in await self.store.read_stream(stream) if event.pos in positions]
            for event in events:
                if not await self._release(event):
                    break
            else:
                self.parked.discard(stream)
                log.info("%s: stream %s is no longer parked (%d events)", self.consumer, stream, len(events))

    async def _release(self, event: Recorded) -> bool:
        where = {event.shard: self._saved[event.shard]}
        try:
            await self._commit(self.pool, [event], Move(self.consumer, where, where, release=[event]))
        except Exception as error:
            if passes(error):
                raise
            log.error("%s: stream %s stays parked: %s", self.consumer, event.stream, type(error).__name__)
            await self.consumer.failed_again(self.pool, event, f"{type(error).__name__}: {error}"[:500])
            return False
        self.handled += 1
        return True

    # ------------------------------------------------------------ what operators see

    async def _measure(self, batch: Sequence[Recorded]) -> None:
        now = time.monotonic()
        if now < self._measure_at:
            return
        self._measure_at = now + MEASURE_EVERY_SECONDS
        heads = await Polls.of(self.pool).positions(self.store.heads_table)
        assert self.positions is not None
        check_not_ahead(self.positions, heads)
        self.lag_events = sum(max(0, heads[shard] - position) for shard, position in self.positions.items())
        _lag_events.set(self.lag_events, self._labels)
        _delay.set(max(0, int(time.time() * 1000) - min(e.at for e in batch)) if batch else 0, self._labels)

    def _become(self, state: str) -> None:
        if state != self.state:
            self.state = state
            self.problem = ""
            log.info("%s: %s", self.consumer, state)

    def _stall(self, error: Exception) -> None:
        problem = explain(error)
        if problem != self.problem:
            level = logging.WARNING if self.state == "STARTING" and is_usual_at_start(error) else logging.ERROR
            trace = None if passes(error) else error
            log.log(level, "%s stands still and tries again: %s", self.consumer, problem, exc_info=trace)
        self.state, self.problem = "STALLED", problem
        self.positions = None
