"""The consumer that publishes: a service's log, in order, to JetStream, for outsiders and for consumers of subjects.

Its cursor is what JetStream really holds: the last message says how far the feed is (``feed``). It is read at the
start and whenever there is doubt, so that a JetStream that lost its tail, or everything, gets it again from Postgres.
Every publish says the sequence that it expects to follow, so two relays never interleave.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import time
from collections.abc import Mapping

import asyncpg
import msgspec
from circolo_contracts.wire import poke_subject
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import APIError, NotFoundError
from opentelemetry import metrics

from .bus import BusSubscription, NatsBus
from .canonical import SHARDS
from .failures import DATABASE_AWAY, LogBehind, explain, is_usual_at_start, passes
from .feed import Encode, heads_of, pack, whole, without_secrets
from .leader import Lease
from .polling import POLL_SECONDS, Polls, until_tick, woken_within
from .registry import EventRegistry
from .store import Recorded, Store
from .subscription import check_not_ahead

log = logging.getLogger(__name__)

ROUND_SECONDS = 0.04
"""At most one message in this time: what came meanwhile goes out together."""
CHECK_SECONDS = 2.0
"""How often JetStream is asked whether it still holds what it acknowledged."""
MAX_MESSAGE_BYTES = 512 * 1024
EVENTS_PER_SHARD = 64
PUBLISH_SECONDS = 3.0
LONGEST_PAUSE_SECONDS = 2.0

_meter = metrics.get_meter("circolo.events")
_lag = _meter.create_gauge("circolo.relay.lag", description="Events committed and not yet on JetStream")
_published = _meter.create_counter("circolo.relay.events", description="Events that JetStream acknowledged")


class Doubt(Exception):
    """JetStream does not hold what we thought: read the cursor again."""


class Relay:
    """``Relay.log`` feeds ``log.<service>`` (services), ``Relay.open`` feeds ``open.<service>`` (analysts, outsiders).

    ``pool`` and ``store`` are the service's own. Any number of replicas may run; one is at work.
    """

    def __init__(self, service: str, feed: str, store: Store, bus: NatsBus, pool: asyncpg.Pool, encode: Encode) -> None:
        self.service = service
        self.subject = f"{feed}.{service}"
        self.stream = f"{feed.upper()}_{service}"
        self.store = store
        self.state = "STARTING"
        """STARTING, STANDBY, RUNNING or STALLED (``problem`` says why)."""
        self.problem = ""
        self.published = 0
        self.lag = 0
        self._encode = encode
        self._bus = bus
        self._pool = pool
        self._lease = Lease(pool, f"relay.{self.subject}")
        self._heads: dict[int, int] | None = None
        self._sequence = 0
        self._turn_of_shard = 0
        self._wake = asyncio.Event()
        self._stopping = False
        self._task: asyncio.Task[None] | None = None
        self._poke: BusSubscription | None = None
        self._check_at = 0.0
        self._labels = {"service": service, "feed": feed}

    @classmethod
    def log(cls, service: str, store: Store, bus: NatsBus, pool: asyncpg.Pool) -> Relay:
        return cls(service, "log", store, bus, pool, whole)

    @classmethod
    def open(cls, service: str, store: Store, bus: NatsBus, pool: asyncpg.Pool, registry: EventRegistry) -> Relay:
        return cls(service, "open", store, bus, pool, without_secrets(registry))

    async def start(self) -> None:
        self._poke = await self._bus.subscribe(poke_subject(self.service), lambda _: self.wake())
        self._bus.reconnected.append(self._doubt)
        self._task = asyncio.create_task(self._run(), name=f"relay {self.subject}")

    async def stop(self, timeout: float = 10.0) -> None:
        """Finish the message in hand; what it does not carry is published after the next start."""
        self._stopping = True
        self.wake()
        self._bus.reconnected.remove(self._doubt)
        if self._poke is not None:
            with contextlib.suppress(NatsError):
                await self._poke.unsubscribe()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=timeout)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            await self._lease.release()
        except DATABASE_AWAY:
            log.info("relay %s: the lease runs out by itself", self.subject)

    def wake(self) -> None:
        """Somebody appended."""
        self._wake.set()

    def _doubt(self) -> None:
        self._heads = None
        self._wake.set()

    # ------------------------------------------------------------ the loop

    async def _run(self) -> None:
        pause = 0.05
        woken = True
        while not self._stopping:
            self._wake.clear()
            try:
                idle = await self._turn(woken)
            except Doubt as doubt:
                log.warning("relay %s: %s; what is missing is published again", self.subject, doubt)
                self._heads = None
                continue
            except Exception as error:
                woken = True
                self._stall(error)
                await woken_within(self._wake, pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
                continue
            pause = 0.05
            woken = True
            if not idle:
                await asyncio.sleep(ROUND_SECONDS)
            elif self._heads is None:
                await woken_within(self._wake, until_tick(POLL_SECONDS))
            else:
                with Polls.of(self._pool).watch().over(self.store.heads_table, self._heads, self._wake):
                    woken = await woken_within(self._wake, self._lease.until_due())

    async def _turn(self, woken: bool) -> bool:
        """One message. True when there was nothing to publish."""
        if not await self._lease.hold():
            self._become("STANDBY")
            self._heads = None
            return True
        jetstream = self._bus.client.jetstream(timeout=PUBLISH_SECONDS)
        if self._heads is None:
            await self._read_cursor(jetstream)
            woken = True
        assert self._heads is not None
        heads = self._heads
        await self._check(jetstream, heads)
        events = await self.store.read_log(heads, EVENTS_PER_SHARD) if woken else []
        self._become("RUNNING")
        if not events:
            return True
        await self._publish(jetstream, heads, self._fairly(events))
        return False

    def _fairly(self, events: list[Recorded]) -> list[Recorded]:
        """Another shard first each time, so that a busy one does not fill every message."""
        first = self._turn_of_shard = (self._turn_of_shard + 1) % SHARDS
        return sorted(events, key=lambda e: ((e.shard - first) % SHARDS, e.pos))

    # ------------------------------------------------------------ JetStream

    async def _read_cursor(self, jetstream: JetStreamContext) -> None:
        """What JetStream holds, after making sure that the stream exists. Raises LogBehind."""
        heads = await self.store.heads()
        try:
            info = await jetstream.stream_info(self.stream)
        except NotFoundError:
            info = await jetstream.add_stream(
                StreamConfig(
                    name=self.stream, subjects=[self.subject], storage=StorageType.FILE,
                    retention=RetentionPolicy.LIMITS, description=f"The events of {self.service}, by its relay",
                )
            )  # fmt: skip
        sequence = info.state.last_seq
        held = dict.fromkeys(range(SHARDS), 0)
        if info.state.messages:
            message = await jetstream.get_last_msg(self.stream, self.subject)
            try:
                held = heads_of(message.data or b"")
            except msgspec.MsgspecError as error:
                raise LogBehind(f"the last message of {self.stream} was not published by a relay") from error
        check_not_ahead(held, heads)
        self._heads, self._sequence = held, sequence
        self._check_at = time.monotonic() + CHECK_SECONDS

    async def _check(self, jetstream: JetStreamContext, held: Mapping[int, int]) -> None:
        now = time.monotonic()
        if now < self._check_at:
            return
        self._check_at = now + CHECK_SECONDS
        try:
            state = (await jetstream.stream_info(self.stream)).state
        except NotFoundError as error:
            raise Doubt("the stream is gone") from error
        if self._heads is not held:
            raise Doubt("the connection was lost meanwhile")
        if state.last_seq != self._sequence or (self._sequence > 0 and state.messages == 0):
            raise Doubt(f"JetStream is at {state.last_seq} with {state.messages} messages, not at {self._sequence}")
        heads = await self.store.heads()
        check_not_ahead(held, heads)
        self.lag = sum(max(0, heads[shard] - position) for shard, position in held.items())
        _lag.set(self.lag, self._labels)

    async def _publish(self, jetstream: JetStreamContext, heads: Mapping[int, int], events: list[Recorded]) -> None:
        message, after, ranges = pack(self.service, heads, events, self._encode, max_bytes=self._max_bytes)
        try:
            ack = await jetstream.publish(
                self.subject, message, timeout=PUBLISH_SECONDS, stream=self.stream,
                headers={
                    "Nats-Msg-Id": message_id(self.service, self._sequence, ranges),
                    "Nats-Expected-Last-Sequence": str(self._sequence),
                },
            )  # fmt: skip
        except APIError as error:
            raise Doubt(f"JetStream did not take a message ({error.err_code})") from error
        except (NatsError, TimeoutError) as error:
            # Unknown, not failed: it may be there.
            self._heads = None
            raise error from None
        if ack.duplicate or ack.seq != self._sequence + 1:
            raise Doubt(f"a message was there already, at {ack.seq}")
        self._heads, self._sequence = after, ack.seq
        count = sum(last - first + 1 for _, first, last in ranges)
        self.published += count
        _published.add(count, self._labels)

    @property
    def _max_bytes(self) -> int:
        return min(MAX_MESSAGE_BYTES, (self._bus.client.max_payload or MAX_MESSAGE_BYTES) - 4096)

    # ------------------------------------------------------------ what operators see

    def _become(self, state: str) -> None:
        if state != self.state:
            self.state, self.problem = state, ""
            log.info("relay %s: %s", self.subject, state)

    def _stall(self, error: Exception) -> None:
        problem = explain(error)
        if problem != self.problem:
            level = logging.WARNING if self.state == "STARTING" and is_usual_at_start(error) else logging.ERROR
            trace = None if passes(error) else error
            log.log(level, "relay %s stands still and tries again: %s", self.subject, problem, exc_info=trace)
        self.state, self.problem = "STALLED", problem
        self._heads = None


def message_id(service: str, sequence: int, ranges: list[tuple[int, int, int]]) -> str:
    """The same for the same ranges after the same message; so a repetition is known, and a republication is none."""
    text = ";".join(f"{shard}:{first}-{last}" for shard, first, last in ranges)
    return f"{service}.{sequence}.{hashlib.sha256(text.encode()).hexdigest()[:32]}"
