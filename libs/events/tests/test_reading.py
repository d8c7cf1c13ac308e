"""Reads of streams share statements; what one reader meets is nobody else's."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import msgspec
import pytest
import tally
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Refused, Seen
from circolo_events import reading
from circolo_events.appender import Appender
from circolo_events.bus import NatsBus
from circolo_events.clock import FixedClock
from circolo_events.reading import StreamReader
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_events.testing.store_contract import appended, new_stream, some_append
from msgspec import Raw, Struct

Connect = Callable[[], Awaitable[asyncpg.Connection]]


def order(data: Struct) -> Command:
    return Command(Actor("player", tally.OWNER), Raw(msgspec.json.encode(data)), uuid.uuid4().hex, type(data).__name__)


def new_tally() -> str:
    return f"tally-{uuid.uuid4().hex}"


@pytest.fixture
async def open_runtime(store: Store, connect: Connect, nats_url: str) -> AsyncIterator[Callable[[], Runtime]]:
    """Replicas of one service, in memory all of them cold."""
    bus = await NatsBus.connect(nats_url, name="test")
    appender = Appender(connect)
    appender.start()
    runtimes: list[Runtime] = []

    def open_one() -> Runtime:
        runtime = Runtime("tallies", store, appender, tally.REGISTRY, [tally.TALLY], bus, FixedClock())
        runtimes.append(runtime)
        return runtime

    yield open_one
    for runtime in runtimes:
        await runtime.stop()
    await appender.stop()
    await bus.close()


async def test_a_hundred_questions_at_once_are_a_few_statements(open_runtime: Callable[[], Runtime]) -> None:
    writer, asked = open_runtime(), open_runtime()
    streams = [new_tally() for _ in range(100)]
    await asyncio.gather(*(writer.execute(s, order(tally.Add(n))) for n, s in enumerate(streams, 1)))
    answers = await asyncio.gather(*(asked.ask(stream, Ask()) for stream in streams))
    assert [msgspec.json.decode(a.view)["total"] for a in answers if isinstance(a, Seen)] == list(range(1, 101))
    assert asked.reader.statements <= 3


async def test_questions_about_one_stream_share_a_read_that_began_after_them(
    open_runtime: Callable[[], Runtime],
) -> None:
    writer, asked = open_runtime(), open_runtime()
    stream = new_tally()
    await writer.execute(stream, order(tally.Add(1)))
    first = asyncio.create_task(asked.ask(stream, Ask()))
    await asyncio.sleep(0)
    await writer.execute(stream, order(tally.Add(2)))
    later = await asyncio.gather(*(asked.ask(stream, Ask()) for _ in range(20)))
    assert all(isinstance(answer, Seen) and answer.version == 2 for answer in later)
    assert isinstance(await first, Seen)
    assert asked.reader.statements <= 3


async def test_who_is_a_step_behind_costs_no_second_read_and_who_is_far_behind_is_told_all(
    open_runtime: Callable[[], Runtime],
) -> None:
    runtime = open_runtime()
    stream = new_tally()
    for amount in range(1, 11):
        await runtime.execute(stream, order(tally.Add(amount)))

    async def told_after(version: int) -> tuple[list[int], int]:
        before = runtime.reader.statements
        answer = await runtime.ask(stream, Ask(after=version))
        assert isinstance(answer, Seen) and not answer.reset
        return [msgspec.json.decode(told)["amount"] for told in answer.happened], runtime.reader.statements - before

    assert await told_after(10) == ([], 1)
    assert await told_after(9) == ([10], 1)
    assert await told_after(0) == (list(range(1, 11)), 2)
    both = await asyncio.gather(*(told_after(version) for version in (3, 0, 8)))
    assert [amounts for amounts, _ in both] == [list(range(4, 11)), list(range(1, 11)), [9, 10]]


async def test_the_first_command_of_a_new_stream_costs_no_read(open_runtime: Callable[[], Runtime]) -> None:
    runtime = open_runtime()
    done = await runtime.execute(new_tally(), order(tally.Add(3)))
    assert isinstance(done, Done) and done.version == 1
    assert runtime.reader.statements == 0


async def test_a_stream_that_was_not_read_yet_is_decided_on_as_it_is(open_runtime: Callable[[], Runtime]) -> None:
    stream, first, again = new_tally(), order(tally.Add(600)), order(tally.Add(1))
    for command in (first, again):
        assert isinstance(await open_runtime().execute(stream, command), Done)
    refused = await open_runtime().execute(stream, order(tally.Add(600)))
    assert refused == Refused(RefusalCode.NOT_ALLOWED, current_version=2, field="amount")
    repeated = await open_runtime().execute(stream, again)
    assert isinstance(repeated, Done)
    assert (repeated.version, repeated.replayed, repeated.view_version) == (2, True, 2)
    nothing = await open_runtime().execute(stream, order(tally.Add(0)))
    assert isinstance(nothing, Done) and (nothing.version, nothing.position) == (2, 0)
    cold = open_runtime()
    answers = await asyncio.gather(*(cold.execute(stream, order(tally.Add(1))) for _ in range(5)))
    assert [answer.version for answer in answers if isinstance(answer, Done)] == [3, 4, 5, 6, 7]


async def test_a_stream_that_cannot_be_folded_fails_alone(
    open_runtime: Callable[[], Runtime], store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    writer, asked = open_runtime(), open_runtime()
    good, bad = [new_tally() for _ in range(9)], new_tally()
    await asyncio.gather(*(writer.execute(stream, order(tally.Add(1))) for stream in [*good, bad]))
    await store.pool.execute("UPDATE event SET type = 'FromTheFuture' WHERE stream = $1", bad)
    answers = await asyncio.gather(*(asked.ask(stream, Ask()) for stream in [*good[:5], bad, *good[5:]]))
    assert answers.pop(5) == Refused(RefusalCode.INTERNAL)
    assert all(isinstance(answer, Seen) for answer in answers)
    assert asked.reader.statements <= 3
    assert f"{bad} could not be folded" in caplog.text


async def test_while_the_database_is_away_every_question_is_answered_unavailable(
    open_runtime: Callable[[], Runtime], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = open_runtime()
    streams = [new_tally() for _ in range(10)]
    await asyncio.gather(*(runtime.execute(stream, order(tally.Add(1))) for stream in streams))

    async def away(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(store, "read_streams", away)
    answers: list[Answer] = list(await asyncio.gather(*(runtime.ask(stream, Ask()) for stream in streams)))
    assert answers == [Refused(RefusalCode.UNAVAILABLE)] * 10
    monkeypatch.undo()
    assert isinstance(await runtime.ask(streams[0], Ask()), Seen)
    assert isinstance(await runtime.execute(streams[0], order(tally.Add(1))), Done)


async def test_only_the_reader_of_a_corrupted_row_hears_of_it(
    store: Store, appender: Appender, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = [new_stream() for _ in range(5)]
    for stream in streams:
        await appended(appender, some_append(stream, 0))
    whole = store.read_streams

    async def corrupted(asked: list[str], after: list[int], most: int, *, timeout: float | None = None) -> object:
        if streams[3] in asked:
            raise asyncpg.DataCorruptedError
        return await whole(asked, after, most, timeout=timeout)

    monkeypatch.setattr(store, "read_streams", corrupted)
    reader = StreamReader(store)
    found = await asyncio.gather(*(reader.events(stream) for stream in streams), return_exceptions=True)
    assert isinstance(found.pop(3), asyncpg.DataCorruptedError)
    assert all(isinstance(events, list) and len(events) == 1 for events in found)


async def test_a_stream_longer_than_a_page_is_read_whole_and_in_order(
    store: Store, appender: Appender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PAGE", 8)
    lengths = {new_stream(): events for events in (1, 7, 8, 9, 16, 30)}
    for stream, events in lengths.items():
        await appended(appender, some_append(stream, 0, events=events))
    reader = StreamReader(store)
    found = await asyncio.gather(*(reader.events(stream) for stream in lengths))
    assert [[event.version for event in events] for events in found] == [
        list(range(1, events + 1)) for events in lengths.values()
    ]
    assert [event.version for event in await reader.events(next(iter(lengths)), 1)] == []
