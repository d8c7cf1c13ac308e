"""The Postgres store keeps the contract, and its appender survives what happens to connections."""

from __future__ import annotations

import asyncio
import itertools
import random
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import AsyncMock, Mock

import asyncpg
import msgspec
import pytest
from circolo_events.appender import (
    ANY_VERSION,
    NEW_STREAM,
    Append,
    Appender,
    AppenderFull,
    AppendFailed,
    Outcome,
    Status,
    arguments,
)
from circolo_events.canonical import shard_of
from circolo_events.pages import Pages
from circolo_events.store import Page, PositionGap, Recorded, Store, check_contiguous
from circolo_events.testing.store_contract import StoreContract, appended, new_stream, some_append

Connect = Callable[[], Awaitable[asyncpg.Connection]]


class TestPostgresStore(StoreContract):
    """The contract, here."""


def event(shard: int, pos: int) -> Recorded:
    return Recorded(shard, pos, f"thing-{pos}", pos, f"{pos:032x}", f"{shard:032x}", 0, 1, "T", 1, b"", b"", 0)


def page(after: dict[int, int], *shards: tuple[int, list[int] | None]) -> Page:
    """As the database gathers it, with a shard's positions in this order."""
    rows: list[tuple[object, ...]] = []
    for shard, positions in shards:
        if positions is None:
            rows.append((shard, *[None] * 12))
            continue
        events = [event(shard, pos) for pos in positions]
        columns = [list(column) for column in zip(*map(msgspec.structs.astuple, events), strict=True)][1:]
        for ids in (3, 4):
            columns[ids] = b"".join(map(bytes.fromhex, columns[ids]))  # type: ignore[call-overload]
        rows.append((shard, *columns))
    return Page(after, rows)  # type: ignore[arg-type]


def test_a_hole_in_the_positions_stops_the_reader() -> None:
    check_contiguous({3: 0}, [event(3, 1), event(3, 2)])
    check_contiguous({2: 5, 3: 0}, [event(2, 6), event(3, 1)])
    with pytest.raises(PositionGap, match="position 4 after 2"):
        check_contiguous({3: 0}, [event(3, 1), event(3, 2), event(3, 4)])
    for second, third in ([], [1, 2, 4]), ([], [2, 3]), ([6], [1, 3]), ([7], [1]), ([6], [1, 1, 2]), ([6], None):
        with pytest.raises(PositionGap):
            page({2: 5, 3: 0}, *[(2, second)] * bool(second), (3, third)).events()


def test_a_page_that_comes_in_disorder_is_put_in_order() -> None:
    in_order = [event(2, 6), event(2, 7), event(3, 1), event(3, 2), event(3, 3)]
    for second in itertools.permutations([6, 7]):
        for third in itertools.permutations([1, 2, 3]):
            mixed = page({2: 5, 3: 0}, (2, list(second)), (3, list(third)))
            assert mixed.events() == in_order
            assert (mixed.ends, mixed.longest) == ({2: 7, 3: 3}, 3)


async def test_a_log_that_comes_in_disorder_is_put_in_order() -> None:
    in_order = [event(2, 6), event(2, 7), event(3, 1), event(3, 2), event(3, 3)]
    pool = Mock(fetch=AsyncMock())
    for events in itertools.permutations(in_order):
        pool.fetch.return_value = list(map(msgspec.structs.astuple, events))
        read = await Store(pool).read_log({2: 5, 3: 0})
        assert [e for e in read if e.shard == 2] + [e for e in read if e.shard == 3] == in_order
    pool.fetch.return_value = list(map(msgspec.structs.astuple, in_order[1:]))
    with pytest.raises(PositionGap, match="position 7 after 5"):
        await Store(pool).read_log({2: 5, 3: 0})


def test_a_page_of_a_log_that_does_not_go_on_is_empty() -> None:
    assert (page({3: 7}).events(), page({3: 7}).ends, page({3: 7}).longest) == ([], {}, 0)


async def test_a_page_has_the_events_that_are_read_one_by_one(store: Store, appender: Appender) -> None:
    streams = [new_stream() for _ in range(40)]
    for events in (3, 1, 2):
        await asyncio.gather(*(appended(appender, some_append(s, ANY_VERSION, events=events)) for s in streams))
    after = {shard: min(head, 2) for shard, head in (await store.heads()).items()}
    page = await store.read_page(after, 7)
    assert page.events() == await store.read_log(after, 7)
    assert (page.longest, sum(page.ends.values()) - sum(after[s] for s in page.ends)) == (7, len(page.events()))
    [shard] = {e.shard for e in await store.read_stream(streams[0])}
    of_stream = [e for e in (await store.read_page({shard: 0}, 500)).events() if e.stream == streams[0]]
    assert of_stream == await store.read_stream(streams[0])


async def test_two_processes_appending_to_the_same_streams_lose_and_double_nothing(
    store: Store, connect: Connect
) -> None:
    streams = [new_stream() for _ in range(8)]
    appenders = [Appender(connect) for _ in range(2)]
    for appender in appenders:
        appender.start()

    async def writer(appender: Appender, stream: str) -> int:
        done, version = 0, 0
        while done < 10:
            outcome = await appended(appender, some_append(stream, version))
            version = outcome.version
            done += outcome.status is Status.APPENDED
        return done

    await asyncio.gather(*(writer(a, s) for a in appenders for s in streams))
    for appender in appenders:
        await appender.stop()
    for stream in streams:
        assert [r.version for r in await store.read_stream(stream)] == list(range(1, 21))
    assert len(await store.read_log(dict.fromkeys(range(16), 0))) == 160


async def test_store_4_killed_connections_leave_no_hole_and_no_double(store: Store, database: str) -> None:
    appender = Appender(lambda: asyncpg.connect(database, server_settings={"application_name": "appender"}))
    appender.start()
    streams = [new_stream() for _ in range(20)]
    killed = 0

    async def killer() -> None:
        nonlocal killed
        while killed < 8:
            killed += await store.pool.fetchval(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'appender' "
                "AND datname = current_database()"
            )
            await asyncio.sleep(0.03)

    async def writer(stream: str) -> int:
        version = 0
        while killed < 8 or version < 10:
            outcome = await appended(appender, some_append(stream, version))
            assert outcome.version == version + 1
            version += 1
        return version

    async with asyncio.timeout(20):
        written, *_ = await asyncio.gather(asyncio.gather(*(writer(s) for s in streams)), killer())
    await appender.stop()
    for stream, versions in zip(streams, written, strict=True):
        assert [r.version for r in await store.read_stream(stream)] == list(range(1, versions + 1))
    assert sum((await store.heads()).values()) == sum(written)


async def test_an_append_that_the_database_will_never_take_fails_alone(appender: Appender) -> None:
    good, bad = some_append(new_stream(), NEW_STREAM), some_append("thing-bad\x00", NEW_STREAM)
    outcomes = await asyncio.gather(appender.append(good), appender.append(bad))
    assert isinstance(outcomes[0], Outcome)
    assert isinstance(outcomes[1], AppendFailed)


async def test_without_a_database_the_caller_is_told_in_time() -> None:
    async def nowhere() -> asyncpg.Connection:
        raise ConnectionRefusedError

    appender = Appender(nowhere, give_up_seconds=0.2)
    appender.start()
    assert isinstance(await appender.append(some_append(new_stream(), NEW_STREAM)), AppendFailed)
    await appender.stop()


async def test_a_full_queue_refuses_instead_of_growing(connect: Connect) -> None:
    appender = Appender(connect, max_queued=2)
    for _ in range(2):
        appender.submit(some_append(new_stream(), NEW_STREAM), lambda outcome: None)
    with pytest.raises(AppenderFull):
        appender.submit(some_append(new_stream(), NEW_STREAM), lambda outcome: None)


async def test_appends_that_wait_share_a_statement(appender: Appender) -> None:
    await asyncio.gather(*(appended(appender, some_append(new_stream(), NEW_STREAM)) for _ in range(200)))
    assert appender.statements < 20


async def test_each_append_of_a_mixed_statement_has_its_own_outcome(store: Store, appender: Appender) -> None:
    chance = random.Random(20261130)
    for _ in range(6):
        asked: list[Append] = []
        expected: list[tuple[Status, int]] = []
        firsts = {new_stream(): some_append("", NEW_STREAM, events=2) for _ in range(40)}
        firsts = {stream: msgspec.structs.replace(first, stream=stream) for stream, first in firsts.items()}
        await asyncio.gather(*(appended(appender, first) for first in firsts.values()))
        for stream, first in firsts.items():
            append, outcome = chance.choice(
                [
                    (some_append(stream, 2, events=3), (Status.APPENDED, 5)),
                    (some_append(stream, 2), (Status.APPENDED, 3)),
                    (some_append(stream, ANY_VERSION), (Status.APPENDED, 3)),
                    (some_append(new_stream(), NEW_STREAM, events=2), (Status.APPENDED, 2)),
                    (some_append(new_stream(), ANY_VERSION), (Status.APPENDED, 1)),
                    (some_append(new_stream(), 1), (Status.CONFLICT, 0)),
                    (some_append(stream, 1), (Status.CONFLICT, 2)),
                    (some_append(stream, NEW_STREAM), (Status.CONFLICT, 2)),
                    (first, (Status.DUPLICATE, 2)),
                    (msgspec.structs.replace(first, expected=2), (Status.DUPLICATE, 2)),
                    (msgspec.structs.replace(first, expected=ANY_VERSION), (Status.DUPLICATE, 2)),
                ]
            )
            asked.append(append)
            expected.append(outcome)
        before = appender.statements
        outcomes = await asyncio.gather(*map(appender.append, asked))
        assert appender.statements == before + 1
        assert [(o.status, o.version) for o in outcomes if isinstance(o, Outcome)] == expected
        for append, outcome in zip(asked, outcomes, strict=True):
            assert isinstance(outcome, Outcome)
            stored = [e for e in await store.read_stream(append.stream) if e.pos >= outcome.position > 0]
            if outcome.status is not Status.CONFLICT:
                assert [e.id for e in stored][: len(append.events)] == [e.id for e in append.events]
    start = dict.fromkeys(range(16), 0)
    check_contiguous(start, await store.read_log(start, 10_000))


async def test_a_statement_planned_on_a_small_store_walks_through_no_large_one(pool: asyncpg.Pool) -> None:
    """A session keeps its plans, and Postgres prefers a walk while a table has five rows."""
    call = "SELECT * FROM append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)"

    def batch(streams: list[str], expected: int) -> list[Append]:
        return sorted((some_append(s, expected) for s in streams), key=lambda a: (shard_of(a.stream), a.stream))

    few, many = [new_stream() for _ in range(5)], [new_stream() for _ in range(1000)]
    async with pool.acquire() as session, pool.acquire() as other:
        await session.execute(call, *arguments(batch(few, NEW_STREAM)))
        for table in ("stream", "event", "shard_head"):
            await session.execute(f"VACUUM ANALYZE {table}")
        for version in range(1, 9):
            await session.execute(call, *arguments(batch(few, version)))
        await other.execute(call, *arguments(batch(many, NEW_STREAM)))
        async with session.transaction():
            await session.execute(call, *arguments(batch(few, 9)))
            read = await session.fetchrow(
                "SELECT sum(seq_tup_read) AS walked, sum(idx_tup_fetch) AS looked_up FROM pg_stat_xact_user_tables "
                "WHERE relname IN ('stream', 'event')"
            )
    assert read is not None
    assert read["walked"] == 0
    assert read["looked_up"] < 50


async def test_store_1_a_late_commit_is_never_below_the_reader(store: Store, connect: Connect) -> None:
    """The shard's counter is locked until the commit: a later append to the shard waits, so nobody sees a hole."""
    slow, stream = await connect(), new_stream()
    transaction = slow.transaction()
    await transaction.start()
    await slow.execute("UPDATE shard_head SET head = head")
    fast = Appender(connect)
    fast.start()
    waiting = asyncio.create_task(fast.append(some_append(stream, NEW_STREAM)))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    assert await store.read_log(dict.fromkeys(range(16), 0)) == []
    await transaction.rollback()
    assert isinstance(await waiting, Outcome)
    assert [e.pos for e in await store.read_log(dict.fromkeys(range(16), 0))] == [1]
    await fast.stop()
    await slow.close()


async def test_a_command_is_found_by_its_first_event(store: Store, appender: Appender) -> None:
    stream, item = (stream := new_stream()), some_append(stream, NEW_STREAM, events=3)
    await appended(appender, item)
    found = await store.find_command(stream, item.command)
    assert found is not None
    assert (found.version, found.n, found.id) == (1, 3, item.events[0].id)
    assert await store.find_command(stream, uuid.uuid4().hex) is None


async def fill(pool: asyncpg.Pool, per_shard: int) -> None:
    """A long log without the appender, and without statistics for the planner."""
    await pool.execute(
        """
        INSERT INTO event (shard, pos, stream, version, event_id, command_id, command_seq, command_n, type, schema_v,
                           data, meta)
        SELECT shard, pos, 'tally-' || shard || '-' || pos / 50, pos % 50, gen_random_uuid(), gen_random_uuid(), 0, 1,
               'Added', 1, '{}', '{}'
        FROM generate_series(0, 15) AS shard, generate_series(1, $1) AS pos
        """,
        per_shard,
    )
    await pool.execute("UPDATE shard_head SET head = $1", per_shard)


@pytest.mark.parametrize("read", ["log", "page", "types"])
async def test_a_page_of_a_long_log_touches_no_more_rows_than_it_has(pool: asyncpg.Pool, read: str) -> None:
    await fill(pool, 3_000)
    async with pool.acquire() as connection, connection.transaction():
        store, after = Store(connection), dict.fromkeys(range(16), 100)  # type: ignore[arg-type]
        count = "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'event'"
        touched = -(await connection.fetchval(count))
        if read == "log":
            assert len(await store.read_log(after, 500)) == 16 * 500
        elif read == "page":
            assert len((await store.read_page(after, 500)).events()) == 16 * 500
        else:
            events, ends = await store.read_types(after, ["Added"], 500)
            assert (len(events), ends[7]) == (16 * 500, 600)
        touched += await connection.fetchval(count)
        assert touched <= 2 * 16 * 500, f"{touched} rows for a page of {16 * 500}"


async def test_a_hole_as_long_as_a_page_is_not_taken_for_the_end(pool: asyncpg.Pool, store: Store) -> None:
    await fill(pool, 200)
    await pool.execute("DELETE FROM event WHERE shard = 3 AND pos BETWEEN 51 AND 150")
    after = dict.fromkeys(range(16), 50)
    for read in (store.read_log, store.read_page):
        with pytest.raises(PositionGap, match="shard 3: position None after 50"):
            await read(after, 20)
    with pytest.raises(PositionGap, match="shard 3"):
        await store.read_types(after, ["Added"], 20)


async def test_pages_are_the_log_in_order_once(pool: asyncpg.Pool, store: Store) -> None:
    await fill(pool, 105)
    pages, after, read = Pages(store, 10), dict.fromkeys(range(16), 0), 0
    while True:
        events, ends = await pages.next(after)
        if not events:
            break
        check_contiguous(after, events)
        assert ends == {event.shard: event.pos for event in events}
        read += len(events)
        after |= ends
    assert (read, after) == (16 * 105, dict.fromkeys(range(16), 105))


async def test_the_database_makes_the_next_page_while_this_one_is_handled(
    pool: asyncpg.Pool, store: Store, connect: Connect
) -> None:
    await fill(pool, 105)
    pages, after = Pages(store, 10), dict.fromkeys(range(16), 0)
    _, after = await pages.next(after)

    async def is_asked_for() -> None:
        looker = await connect()
        async with asyncio.timeout(5):
            while not await looker.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND query LIKE '%AS cursor (shard, after)%' AND pid <> pg_backend_pid()"
            ):
                await asyncio.sleep(0.01)
        await looker.close()

    with ThreadPoolExecutor() as other:
        # The loop stands still meanwhile, as it does while a page is handled.
        other.submit(lambda: asyncio.run(is_asked_for())).result()
    assert {event.pos for event in (await pages.next(after))[0]} == set(range(11, 21))
    pages.close()


async def test_what_was_read_ahead_is_for_who_goes_on_from_there_and_nobody_else(
    pool: asyncpg.Pool, store: Store
) -> None:
    await fill(pool, 50)
    pages, start = Pages(store, 10), dict.fromkeys(range(16), 0)
    first = await pages.next(start)
    assert await pages.next(start) == first, "again from the start"
    events, _ = await pages.next(dict.fromkeys(range(16), 30))
    assert {event.pos for event in events} == set(range(31, 41))
    pages.close()
