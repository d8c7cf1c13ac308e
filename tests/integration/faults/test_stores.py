"""Event stores that lost, doubled or stopped: rows of the event stores' faults that other folders' tests do not hold,
and the full size of those that they hold in short."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import asyncpg
import msgspec
import pytest
import tally
from chaos.proxy import delayed
from chaos.stores import copy_tables, migrated
from circolo_contracts.wire import Actor, Command, Done
from circolo_devstack.binaries import find_postgres
from circolo_devstack.places import cache_folder, make_owned, runnable, unprivileged_user
from circolo_devstack.postgres import Postgres
from circolo_devstack.template import copy_cluster, template_cluster
from circolo_devstack.temporary import temporary_folder
from circolo_events.appender import Appender, arguments
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Connection
from circolo_events.clock import FixedClock
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Recorded, Store
from circolo_events.subscription import Limits, Subscription
from circolo_events.testing.store_contract import appended, new_stream, some_append
from msgspec import Raw

Connect = Callable[[], Awaitable[asyncpg.Connection]]
APPEND = "SELECT * FROM append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)"


class Seen:
    """A reader that takes each event once, in order, or fails."""

    def __init__(self, pool: asyncpg.Pool, store: Store, **limits: object) -> None:
        self.count = 0
        self.of_type: list[tuple[int, int]] = []
        self._last = dict.fromkeys(range(16), 0)
        self.subscription = Subscription(
            "seer",
            1,
            "things",
            pool=pool,
            store=store,
            handle=self._handle,
            limits=Limits(**limits),  # type: ignore[arg-type]
        )

    async def _handle(self, _: Connection, events: Sequence[Recorded]) -> None:
        for event in events:
            assert event.pos == self._last[event.shard] + 1
            self._last[event.shard] = event.pos
            if event.type == "T":
                self.of_type.append((event.shard, event.pos))
        self.count += len(events)


# ---------------------------------------------------------------- 5, 7


async def a_slow_append_after_a_quiet_time(
    pool: asyncpg.Pool, store: Store, connect: Connect, *, quiet: float, held: float
) -> None:
    seen = Seen(pool, store)
    await seen.subscription.start()
    await asyncio.sleep(quiet)
    slow = await connect()
    transaction = slow.transaction()
    await transaction.start()
    await slow.fetch(APPEND, *arguments([some_append(new_stream(), 0)]))
    others = Appender(connect)
    others.start()
    waiting = [asyncio.create_task(appended(others, some_append(new_stream(), 0))) for _ in range(40)]
    await asyncio.sleep(held)
    await transaction.commit()
    await asyncio.gather(*waiting)
    await seen.subscription.caught_up()
    assert seen.count == 41
    await seen.subscription.stop()
    await others.stop()
    await slow.close()


async def test_store_5_the_first_slow_append_after_a_quiet_time_is_not_passed(
    pool: asyncpg.Pool, store: Store, connect: Connect
) -> None:
    async with asyncio.timeout(20):
        await a_slow_append_after_a_quiet_time(pool, store, connect, quiet=0.5, held=0.5)


@pytest.mark.soak
async def test_store_5_eleven_seconds_idle_and_three_held(pool: asyncpg.Pool, store: Store, connect: Connect) -> None:
    async with asyncio.timeout(60):
        await a_slow_append_after_a_quiet_time(pool, store, connect, quiet=11, held=3)


@pytest.mark.soak
async def test_store_7_sixteen_writers_with_a_thousand_events_each_and_a_tailing_reader(
    pool: asyncpg.Pool, store: Store, connect: Connect
) -> None:
    appenders = [Appender(connect) for _ in range(4)]
    for appender in appenders:
        appender.start()
    seen = Seen(pool, store, max_events=64)
    await seen.subscription.start()

    async def writer(number: int) -> None:
        stream = new_stream()
        for version in range(1000):
            await appended(appenders[number % 4], some_append(stream, version))

    async with asyncio.timeout(240):
        await asyncio.gather(*(writer(n) for n in range(16)))
        await seen.subscription.caught_up(60)
    assert seen.count == 16_000
    await seen.subscription.stop()
    for appender in appenders:
        await appender.stop()


# ---------------------------------------------------------------- 13


async def test_store_13_what_is_folded_onto_a_cached_state_equals_a_fold_from_the_first_event(
    store: Store, connect: Connect, nats_url: str
) -> None:
    """There are no snapshots; a process's cached state is what comes nearest: at version 3 here, 10 in the store."""
    bus = await NatsBus.connect(nats_url, name="test")
    service, stream = f"tallies{uuid.uuid4().hex[:8]}", f"tally-{uuid.uuid4().hex}"

    @asynccontextmanager
    async def process() -> AsyncIterator[Runtime]:
        appender = Appender(connect)
        appender.start()
        yield Runtime(service, store, appender, tally.REGISTRY, [tally.TALLY], bus, FixedClock())
        await appender.stop()

    async def add(runtime: Runtime, amount: int) -> None:
        data = Raw(msgspec.json.encode(tally.Add(amount)))
        command = Command(Actor("player", tally.OWNER), data, uuid.uuid4().hex, "Add")
        assert isinstance(await runtime.execute(stream, command), Done)

    async with asyncio.timeout(20), process() as old, process() as other, process() as fresh:
        for amount in (1, 2, 3):
            await add(old, amount)
        for amount in range(4, 11):
            await add(other, amount)
        cached, folded = await old.state(stream), await fresh.state(stream)
        assert (cached.version, cached.total) == (10, 55)
        assert cached == folded
        assert types_in(cached) == types_in(folded)
        await add(old, 1)
        assert await old.state(stream) == await fresh.state(stream)
    await bus.close()


def types_in(value: object) -> object:
    """The type of everything in a state."""
    if isinstance(value, msgspec.Struct):
        return type(value), [types_in(getattr(value, name)) for name in value.__struct_fields__]
    if isinstance(value, (list, tuple)):
        return type(value), [types_in(each) for each in value]
    return type(value)


# ---------------------------------------------------------------- 17


async def read_a_sparse_log(pool: asyncpg.Pool, store: Store, events: int) -> float:
    """Events of which ten are of one type, five at each end; returns events read in a second."""
    each = events // 16
    await pool.execute(
        "INSERT INTO event (shard, pos, stream, version, event_id, command_id, command_seq, command_n, type, schema_v, "
        "data, meta) SELECT n % 16, n / 16 + 1, 'thing-' || n, 1, gen_random_uuid(), gen_random_uuid(), 0, 1, "
        "CASE WHEN n < 5 OR n >= $1 - 5 THEN 'T' ELSE 'Other' END, 1, '{\"n\":1}', '{}' "
        "FROM generate_series(0, $1::int4 - 1) AS n",
        each * 16, timeout=300,
    )  # fmt: skip
    await pool.execute("UPDATE shard_head SET head = $1", each)
    seen = Seen(pool, store)
    began = time.monotonic()
    await seen.subscription.start()
    await seen.subscription.caught_up(240)
    rate = each * 16 / (time.monotonic() - began)
    await seen.subscription.stop()
    assert seen.count == each * 16
    assert sorted(seen.of_type) == sorted(
        [(n % 16, n // 16 + 1) for n in (*range(5), *range(each * 16 - 5, each * 16))]
    )
    return rate


async def test_store_17_a_projection_of_a_type_that_is_rare_reaches_the_end(pool: asyncpg.Pool, store: Store) -> None:
    async with asyncio.timeout(30):
        await read_a_sparse_log(pool, store, 16_000)


@pytest.mark.soak
async def test_store_17_ten_of_a_million(pool: asyncpg.Pool, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    async with asyncio.timeout(600):
        rate = await read_a_sparse_log(pool, store, 1_000_000)
    with capsys.disabled():
        print(f"\n1,000,000 events at {rate:,.0f} a second")


# ---------------------------------------------------------------- 31


async def relay_through(pool: asyncpg.Pool, store: Store, appender: Appender, nats_url: str, events: int) -> float:
    """Seconds that the relay takes for so many events with NATS 50 ms away."""
    there = urlsplit(nats_url)
    assert there.port is not None
    service = f"s{uuid.uuid4().hex}"
    streams = [new_stream() for _ in range(100)]
    await asyncio.gather(*(appended(appender, some_append(s, 0, events=events // 100)) for s in streams))
    async with delayed(there.port, round_trip=0.05) as port:
        url = there._replace(netloc=f"{there.username}:{there.password}@127.0.0.1:{port}").geturl()
        bus = await NatsBus.connect(url, name="far")
        relay = Relay.log(service, store, bus, pool)
        began = time.monotonic()
        await relay.start()
        while relay.published < events:
            await asyncio.sleep(0.02)
        took = time.monotonic() - began
        await relay.stop()
        await bus.client.jetstream().delete_stream(relay.stream)
        await bus.close()
    return took


@pytest.mark.parametrize("events", [2_000, pytest.param(10_000, marks=pytest.mark.soak)])
async def test_store_31_a_relay_whose_jetstream_is_50_ms_away_does_not_pay_that_for_each_event(
    pool: asyncpg.Pool, store: Store, appender: Appender, nats_url: str, events: int
) -> None:
    """One acknowledgement each would take 100 s for 2,000 and 500 s for 10,000."""
    async with asyncio.timeout(60):
        assert await relay_through(pool, store, appender, nats_url, events) < events * 0.05 / 10


# ---------------------------------------------------------------- 35


async def test_store_35_a_store_that_was_restored_into_a_new_cluster_is_read_on_where_it_was(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    """Nothing in a stored row is a number of the old cluster (a transaction id, an oid)."""
    async with asyncio.timeout(60):
        stream = new_stream()
        for version in range(20):
            await appended(appender, some_append(stream, version))
        before = Seen(pool, store)
        await before.subscription.start()
        await before.subscription.caught_up()
        await before.subscription.stop()
        assert before.count == 20
        await appended(appender, some_append(stream, 20))
        async with new_cluster() as url, asyncpg.create_pool(url, min_size=1, max_size=4) as restored:
            await migrated(restored)
            await copy_tables(pool, restored)
            again = Appender(lambda: asyncpg.connect(url))
            again.start()
            assert (await appended(again, some_append(stream, 21))).version == 22
            await again.stop()
            there = Store(restored)
            after = Seen(restored, there)
            after._last.update((await before.subscription.consumer.load(restored)).items())
            await after.subscription.start()
            await after.subscription.caught_up()
            await after.subscription.stop()
            assert after.count == 2
            assert [event.version for event in await there.read_stream(stream)] == list(range(1, 23))


@asynccontextmanager
async def new_cluster() -> AsyncIterator[str]:
    user = unprivileged_user()
    binaries = runnable(find_postgres(), user)
    with temporary_folder() as folder:
        data = make_owned(folder / "postgres", user)
        template = template_cluster(binaries, user, cache_folder())
        server = Postgres(copy_cluster(template, data), log=folder / "postgres.log", fsync=False)
        server.start()
        try:
            await asyncio.to_thread(server.wait_ready)
            yield server.url
        finally:
            await asyncio.to_thread(server.stop)
