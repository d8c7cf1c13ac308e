"""An event that cannot be handled stops its stream and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
from circolo_events.appender import Appender
from circolo_events.checkpoints import Connection
from circolo_events.store import Recorded, Store
from circolo_events.subscription import Limits, Subscription
from circolo_events.testing.store_contract import appended, new_stream, some_append

QUICK = Limits(poll_seconds=0.05, retry_after_seconds=(0.01, 0.02))


class Notes:
    """Writes down what it handles, in the batch's transaction; chokes on data that says so."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.chokes_on: bytes | None = b'{"poison":true}'
        self.calls = 0

    async def handle(self, connection: Connection, events: Sequence[Recorded]) -> None:
        self.calls += 1
        for event in events:
            await connection.execute("INSERT INTO note (stream, version) VALUES ($1, $2)", event.stream, event.version)
            if event.data == self.chokes_on:
                raise KeyError("what is this")

    async def of(self, stream: str) -> list[int]:
        rows = await self.pool.fetch("SELECT version FROM note WHERE stream = $1 ORDER BY id", stream)
        return [row[0] for row in rows]


async def a_log_with_poison(pool: asyncpg.Pool, appender: Appender) -> tuple[Notes, str, list[str]]:
    await pool.execute("CREATE TABLE note (id serial, stream text, version int8, UNIQUE (stream, version))")
    bad, others = new_stream(), [new_stream() for _ in range(40)]
    for stream in others:
        await appended(appender, some_append(stream, 0))
    await appended(appender, some_append(bad, 0))
    await appended(appender, some_append(bad, 1, data=b'{"poison":true}'))
    await appended(appender, some_append(bad, 2))
    for stream in others:
        await appended(appender, some_append(stream, 1))
    return Notes(pool), bad, others


async def test_a_poison_event_parks_its_stream_and_never_the_shard(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    notes, bad, others = await a_log_with_poison(pool, appender)
    subscription = Subscription("notes", 1, "things", pool=pool, store=store, handle=notes.handle, limits=QUICK)
    await subscription.start()
    await subscription.caught_up()
    assert await notes.of(bad) == [1]
    assert all([await notes.of(stream) == [1, 2] for stream in others])
    rows = await pool.fetch("SELECT stream, error FROM parked ORDER BY pos")
    assert [row[0] for row in rows] == [bad, bad]
    assert rows[0][1].startswith("KeyError")
    await appended(appender, some_append(bad, 3))
    await subscription.caught_up()
    assert await pool.fetchval("SELECT count(*) FROM parked") == 3
    await subscription.stop()


async def test_an_unparked_stream_is_handled_in_order(pool: asyncpg.Pool, store: Store, appender: Appender) -> None:
    notes, bad, _ = await a_log_with_poison(pool, appender)
    subscription = Subscription("notes", 1, "things", pool=pool, store=store, handle=notes.handle, limits=QUICK)
    await subscription.start()
    await subscription.caught_up()
    assert await subscription.unpark(bad) == 2
    while await pool.fetchval("SELECT max(attempts) FROM parked") != 2:
        subscription.wake()
        await pool.fetch("SELECT pg_sleep(0.02)")
    assert await notes.of(bad) == [1], "it still cannot be handled, and what follows it waits"
    notes.chokes_on = None
    await subscription.unpark(bad)
    while await pool.fetchval("SELECT count(*) FROM parked"):
        await pool.fetch("SELECT pg_sleep(0.02)")
    assert await notes.of(bad) == [1, 2, 3]
    await appended(appender, some_append(bad, 3))
    await subscription.caught_up()
    assert await notes.of(bad) == [1, 2, 3, 4]
    await subscription.stop()


async def test_a_new_process_tries_parked_streams_once(pool: asyncpg.Pool, store: Store, appender: Appender) -> None:
    notes, bad, _ = await a_log_with_poison(pool, appender)
    old = Subscription("notes", 1, "things", pool=pool, store=store, handle=notes.handle, limits=QUICK)
    await old.start()
    await old.caught_up()
    await old.stop()
    notes.chokes_on = None  # the new code knows it
    new = Subscription("notes", 1, "things", pool=pool, store=store, handle=notes.handle, limits=QUICK)
    await new.start()
    while await pool.fetchval("SELECT count(*) FROM parked"):
        await pool.fetch("SELECT pg_sleep(0.02)")
    assert await notes.of(bad) == [1, 2, 3]
    await new.stop()


async def test_an_error_of_the_database_never_parks(pool: asyncpg.Pool, store: Store, appender: Appender) -> None:
    await pool.execute("CREATE TABLE note (id serial, stream text, version int8)")
    stream = new_stream()
    await appended(appender, some_append(stream, 0))
    failures = [asyncpg.DeadlockDetectedError("x"), ConnectionResetError(), TimeoutError(), asyncpg.InterfaceError("x")]
    notes = Notes(pool)

    async def handle(connection: Connection, events: Sequence[Recorded]) -> None:
        await notes.handle(connection, events)
        if failures:
            raise failures.pop()

    subscription = Subscription("notes", 1, "things", pool=pool, store=store, handle=handle, limits=QUICK)
    await subscription.start()
    await subscription.caught_up()
    assert await notes.of(stream) == [1]
    assert notes.calls == 5
    assert await pool.fetchval("SELECT count(*) FROM parked") == 0
    await subscription.stop()


async def test_a_connection_that_died_in_a_bad_moment_parks_nothing(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    """asyncpg says InternalClientError of a connection whose last statement timed out: the event is not to blame."""
    await appended(appender, some_append(new_stream(), 0))
    calls = 0

    async def handle(connection: Connection, events: Sequence[Recorded]) -> None:
        nonlocal calls
        calls += 1
        if calls <= 6:
            raise asyncpg.InternalClientError("cannot switch to state 12; another operation (2) is in progress")

    subscription = Subscription("notes", 1, "things", pool=pool, store=store, handle=handle, limits=QUICK)
    await subscription.start()
    await subscription.caught_up()
    await subscription.stop()
    assert calls == 7
    assert await pool.fetchval("SELECT count(*) FROM parked") == 0
