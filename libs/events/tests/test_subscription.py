"""The one read path: everything, once, in order, whatever happens to connections, replicas and stores."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import asyncpg
import circolo_events
import pytest
from circolo_events.appender import Appender
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Connection, Consumer, Move
from circolo_events.failures import CheckpointMoved
from circolo_events.leader import Lease
from circolo_events.store import PositionGap, Recorded, Store
from circolo_events.subscription import Limits, Subscription
from circolo_events.testing.store_contract import appended, new_stream, some_append

MIGRATIONS = Path(circolo_events.__file__).parent / "migrations"
Connect = Callable[[], Awaitable[asyncpg.Connection]]


@pytest.fixture
async def seen(pool: asyncpg.Pool) -> asyncpg.Pool:
    """A table that takes each event once: handling one twice, or out of order, fails loudly."""
    await pool.execute("CREATE TABLE seen (id bigserial, shard int2, pos int8, stream text, PRIMARY KEY (shard, pos))")
    return pool


async def note(connection: Connection, events: Sequence[Recorded]) -> None:
    await connection.execute(
        "INSERT INTO seen (shard, pos, stream) SELECT * FROM unnest($1::int2[], $2::int8[], $3::text[])",
        [e.shard for e in events], [e.pos for e in events], [e.stream for e in events],
    )  # fmt: skip


async def check_seen_all(pool: asyncpg.Pool, count: int) -> None:
    rows = await pool.fetch("SELECT shard, pos FROM seen ORDER BY shard, id")
    assert len(rows) == count
    last: dict[int, int] = {}
    for shard, pos in rows:
        assert pos == last.get(shard, 0) + 1
        last[shard] = pos


def subscribed(pool: asyncpg.Pool, store: Store, **more: object) -> Subscription:
    return Subscription("seer", 1, "things", pool=pool, store=store, handle=note, **more)  # type: ignore[arg-type]


async def test_store_7_sixteen_writers_and_a_tailing_reader_agree(
    seen: asyncpg.Pool, store: Store, connect: Connect
) -> None:
    appenders = [Appender(connect) for _ in range(3)]
    for appender in appenders:
        appender.start()
    subscription = subscribed(seen, store, limits=Limits(max_events=64))
    await subscription.start()

    async def writer(number: int) -> None:
        stream = new_stream()
        for version in range(30):
            await appended(appenders[number % 3], some_append(stream, version))
            subscription.wake()

    await asyncio.gather(*(writer(n) for n in range(16)))
    await subscription.caught_up()
    await check_seen_all(seen, 480)
    await subscription.stop()
    for appender in appenders:
        await appender.stop()


async def test_store_1_a_late_commit_is_not_missed(seen: asyncpg.Pool, store: Store, connect: Connect) -> None:
    """A's append is open while B, on another shard or waiting for the same one, comes in."""
    subscription = subscribed(seen, store)
    await subscription.start()
    slow = await connect()
    transaction = slow.transaction()
    await transaction.start()
    from circolo_events.appender import arguments

    stream = new_stream()
    await slow.fetch(
        "SELECT * FROM append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)",
        *arguments([some_append(stream, 0)]),
    )
    others = Appender(connect)
    others.start()
    waiting = [asyncio.create_task(appended(others, some_append(new_stream(), 0))) for _ in range(32)]
    await asyncio.sleep(0.3)
    await transaction.commit()
    await asyncio.gather(*waiting)
    await subscription.caught_up()
    await check_seen_all(seen, 33)
    await subscription.stop()
    await others.stop()
    await slow.close()


async def test_store_2_4_5_8_a_rolled_back_append_leaves_nothing_to_wait_for(
    seen: asyncpg.Pool, store: Store, appender: Appender, connect: Connect
) -> None:
    from circolo_events.appender import arguments

    subscription = subscribed(seen, store)
    await subscription.start()
    for _ in range(10):
        victim = await connect()
        transaction = victim.transaction()
        await transaction.start()
        await victim.fetch(
            "SELECT * FROM append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)",
            *arguments([some_append(new_stream(), 0)]),
        )
        victim.terminate()
    began = time.monotonic()
    await appended(appender, some_append(new_stream(), 0))
    subscription.wake()
    await subscription.caught_up()
    assert time.monotonic() - began < 1
    await check_seen_all(seen, 1)
    await subscription.stop()


async def test_store_6_an_empty_log_is_caught_up_at_once(seen: asyncpg.Pool, store: Store) -> None:
    subscription = subscribed(seen, store)
    await subscription.start()
    await subscription.caught_up(timeout=1)
    while subscription.state != "RUNNING":
        await asyncio.sleep(0.01)
    await subscription.stop()
    await check_seen_all(seen, 0)


async def test_store_12_without_any_poke_an_event_comes_within_the_poll(
    seen: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    subscription = subscribed(seen, store)
    await subscription.start()
    await subscription.caught_up()
    await asyncio.sleep(0.05)
    began = time.monotonic()
    await appended(appender, some_append(new_stream(), 0))
    while not await seen.fetchval("SELECT count(*) FROM seen"):
        await asyncio.sleep(0.005)
    assert time.monotonic() - began < 0.6  # 0.2, on a busy machine
    await subscription.stop()


async def test_a_poke_wakes_it_at_once(seen: asyncpg.Pool, store: Store, appender: Appender, nats_url: str) -> None:
    bus = await NatsBus.connect(nats_url, name="test")
    source = f"things{uuid.uuid4().hex}"
    subscription = Subscription(
        "seer", 1, source, pool=seen, store=store, handle=note, bus=bus, limits=Limits(poll_seconds=30)
    )
    await subscription.start()
    while subscription.state != "RUNNING":
        await asyncio.sleep(0.01)
    await bus.flush()
    await appended(appender, some_append(new_stream(), 0))
    bus.publish(f"poke.{source}", b"")
    async with asyncio.timeout(2):
        while not await seen.fetchval("SELECT count(*) FROM seen"):
            await asyncio.sleep(0.005)
    await subscription.stop()
    await bus.close()


async def test_store_14_a_source_that_is_not_migrated_is_named_and_waited_for(
    seen: asyncpg.Pool, caplog: pytest.LogCaptureFixture
) -> None:
    subscription = subscribed(seen, Store(seen, schema="things"))
    with caplog.at_level(logging.WARNING):
        await subscription.start()
        while subscription.state != "STALLED":
            await asyncio.sleep(0.01)
    assert "not migrated yet" in subscription.problem
    assert "things.shard_head" in caplog.text
    assert len(caplog.records) == 1, "said once, not at every try"
    assert await seen.fetchval("SELECT count(*) FROM checkpoint") == 0
    async with seen.acquire() as connection, connection.transaction():
        await connection.execute("CREATE SCHEMA things; SET LOCAL search_path TO things")
        for file in sorted(MIGRATIONS.glob("*.sql")):
            await connection.execute(file.read_text())
    async with asyncio.timeout(5):
        while subscription.state != "RUNNING":
            await asyncio.sleep(0.01)
    await subscription.stop()


async def test_a_hole_stops_the_reader_loudly_until_the_store_has_healed(
    seen: asyncpg.Pool, store: Store, appender: Appender, caplog: pytest.LogCaptureFixture
) -> None:
    stream = new_stream()
    await appended(appender, some_append(stream, 0, events=3))
    gone = await seen.fetchrow("DELETE FROM event WHERE stream = $1 AND version = 2 RETURNING *", stream)
    subscription = subscribed(seen, store)
    with caplog.at_level(logging.ERROR):
        await subscription.start()
        while subscription.state != "STALLED":
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
    assert PositionGap.__name__ in caplog.text
    assert await seen.fetchval("SELECT count(*) FROM seen") == 0
    places = ", ".join(f"${n}" for n in range(1, len(gone) + 1))
    await seen.execute(f"INSERT INTO event ({', '.join(gone.keys())}) VALUES ({places})", *gone.values())
    await subscription.caught_up()
    await check_seen_all(seen, 3)
    await subscription.stop()


async def test_store_35_a_log_that_was_replaced_by_an_older_one_is_not_read_on(
    seen: asyncpg.Pool, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    await Consumer("seer", 1, "things").load(seen)
    await seen.execute("UPDATE checkpoint SET pos = 7 WHERE shard = 3")
    subscription = subscribed(seen, store)
    with caplog.at_level(logging.ERROR):
        await subscription.start()
        while subscription.state != "STALLED":
            await asyncio.sleep(0.01)
    assert "has handled 7 of shard 3, which ends at 0" in caplog.text
    await subscription.stop()


async def test_killed_connections_lose_and_double_nothing(
    seen: asyncpg.Pool, store: Store, appender: Appender, connect: Connect
) -> None:
    subscription = subscribed(seen, store, limits=Limits(max_events=32))
    await subscription.start()
    killer = await connect()
    streams = [new_stream() for _ in range(20)]
    for version in range(10):
        await asyncio.gather(*(appended(appender, some_append(stream, version)) for stream in streams))
        await killer.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await asyncio.sleep(0.02)
    await killer.close()
    await asyncio.sleep(0.1)
    await subscription.caught_up()
    await check_seen_all(seen, 200)
    assert not subscription.parked
    await subscription.stop()


async def test_two_replicas_handle_each_event_once_and_one_goes_on_when_the_other_stops(
    seen: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    first, second = subscribed(seen, store), subscribed(seen, store)
    await first.start()
    while first.state != "RUNNING":
        await asyncio.sleep(0.01)
    await second.start()
    streams = [new_stream() for _ in range(20)]
    await asyncio.gather(*(appended(appender, some_append(stream, 0)) for stream in streams))
    await first.caught_up()
    assert (first.state, second.state) == ("RUNNING", "STANDBY")
    await first.stop()
    await asyncio.gather(*(appended(appender, some_append(stream, 1)) for stream in streams))
    await second.caught_up()
    await check_seen_all(seen, 40)
    assert second.handled == 20
    await second.stop()


async def test_a_replica_that_was_frozen_finds_its_checkpoint_moved(
    seen: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    """Without any lease at all, the compare-and-set alone keeps each event to one effect."""
    replicas = [subscribed(seen, store) for _ in range(3)]
    for number, replica in enumerate(replicas):
        replica.lease = Lease(seen, f"not the same {number}")
        await replica.start()
    streams = [new_stream() for _ in range(10)]
    for version in range(20):
        await asyncio.gather(*(appended(appender, some_append(stream, version)) for stream in streams))
        for replica in replicas:
            replica.wake()
    await replicas[0].caught_up()
    await check_seen_all(seen, 200)
    for replica in replicas:
        await replica.stop()


async def test_a_move_from_another_place_changes_nothing(seen: asyncpg.Pool) -> None:
    consumer = Consumer("seer", 1, "things")
    await consumer.load(seen)
    with pytest.raises(CheckpointMoved):
        async with seen.acquire() as connection, connection.transaction():
            await Move(consumer, {1: 0, 2: 5}, {1: 3, 2: 6}).apply(connection)
    assert set((await consumer.load(seen)).values()) == {0}


async def test_what_a_consumer_does_need_not_wait_for_the_disk_and_nothing_else_of_its_session_does(
    seen: asyncpg.Pool,
) -> None:
    consumer, asked = Consumer("seer", 1, "things"), "SHOW synchronous_commit"
    async with seen.acquire() as connection:
        await consumer.load(connection)
        async with connection.transaction():
            await Move(consumer, {1: 0}, {1: 3}).apply(connection)
            assert await connection.fetchval(asked) == "off"
        assert await connection.fetchval(asked) == "on"
    assert await Lease(seen, "seer").hold()
    await Move(consumer, {1: 3}, {1: 4}).alone(seen)
    assert await seen.fetchval(asked) == "on"


async def test_a_lease_passes_on_when_its_holder_is_silent(seen: asyncpg.Pool) -> None:
    first, second = Lease(seen, "one", ttl_ms=150), Lease(seen, "one", ttl_ms=150)
    assert await first.hold()
    assert not await second.hold()
    await asyncio.sleep(0.1)
    assert await first.hold(), "renewed"
    await asyncio.sleep(0.1)
    assert not await second.hold()
    await asyncio.sleep(0.1)
    assert await second.hold()
    assert not await first.hold()
    await second.release()
    assert await first.hold()


async def test_store_18_a_new_version_reads_from_the_start_and_leaves_the_old_one_alone(
    seen: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    await appended(appender, some_append(new_stream(), 0, events=4))
    first = subscribed(seen, store)
    await first.start()
    await first.caught_up()
    counted: list[int] = []

    async def count(connection: Connection, events: Sequence[Recorded]) -> None:
        counted.extend(e.pos for e in events)

    second = Subscription("seer", 2, "things", pool=seen, store=store, handle=count)
    await second.start()
    await second.caught_up()
    assert counted == [1, 2, 3, 4]
    await check_seen_all(seen, 4)
    await first.stop()
    await second.stop()


async def test_a_replica_that_freezes_within_a_batch_frees_its_rows_and_another_goes_on(
    seen: asyncpg.Pool, store: Store, appender: Appender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("circolo_events.checkpoints.IDLE_TRANSACTION", "200ms")
    frozen_at_work = asyncio.Event()

    async def freeze(connection: Connection, events: Sequence[Recorded]) -> None:
        await note(connection, events)
        frozen_at_work.set()
        await asyncio.sleep(60)  # SIGSTOP looks like this to the database

    frozen = Subscription("seer", 1, "things", pool=seen, store=store, handle=freeze)
    healthy = subscribed(seen, store)
    frozen.lease = Lease(seen, "seer", ttl_ms=300)
    healthy.lease = Lease(seen, "seer", ttl_ms=300)
    await appended(appender, some_append(new_stream(), 0))
    await frozen.start()
    await frozen_at_work.wait()
    await healthy.start()
    await healthy.caught_up()
    await check_seen_all(seen, 1)
    assert (frozen.handled, healthy.handled) == (0, 1)
    await frozen.stop(timeout=0)
    await healthy.stop()


async def test_a_batch_is_bounded_in_bytes_and_nothing_of_it_is_passed_over(
    seen: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    streams = [new_stream() for _ in range(8)]
    big = b'{"t":"%s"}' % (b"x" * 20_000)
    for version in range(4):
        await asyncio.gather(*(appended(appender, some_append(s, version, data=big)) for s in streams))
    sizes: list[int] = []

    async def weigh(connection: Connection, events: Sequence[Recorded]) -> None:
        sizes.append(sum(len(e.data) for e in events))
        await note(connection, events)

    subscription = Subscription(
        "seer", 1, "things", pool=seen, store=store, handle=weigh, limits=Limits(max_bytes=100_000)
    )
    await subscription.start()
    await subscription.caught_up()
    await subscription.stop()
    assert max(sizes) <= 100_000
    await check_seen_all(seen, 32)
