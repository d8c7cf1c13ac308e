"""The contract of an event store, as tests: subclass it where the fixtures ``store`` and ``appender`` are."""

from __future__ import annotations

import asyncio
import hashlib
import uuid

from ..appender import ANY_VERSION, NEW_STREAM, Append, Appender, Arm, NewEvent, Outcome, Status, link
from ..store import Store, check_contiguous


def some_append(
    stream: str, expected: int, *, events: int = 1, command: str | None = None, data: bytes = b'{"n":1}',
    arm: tuple[Arm, ...] = (), clear: tuple[str, ...] = (),
) -> Append:  # fmt: skip
    made = [NewEvent(uuid.uuid4().hex, "Happened", 1, data, b"{}") for _ in range(events)]
    return Append(stream, expected, command or uuid.uuid4().hex, made, arm, clear)


def new_stream(kind: str = "thing") -> str:
    return f"{kind}-{uuid.uuid4().hex}"


async def appended(appender: Appender, item: Append) -> Outcome:
    outcome = await appender.append(item)
    assert isinstance(outcome, Outcome), outcome
    return outcome


class StoreContract:
    """What every event store promises."""

    async def test_what_was_appended_is_read_back_in_order(self, store: Store, appender: Appender) -> None:
        stream = new_stream()
        first = some_append(stream, NEW_STREAM, events=2, data=b'{"n":1}')
        assert (await appended(appender, first)).version == 2
        assert (await appended(appender, some_append(stream, 2, data=b'{"n":2}'))).version == 3
        rows = await store.read_stream(stream)
        assert [(r.version, r.data) for r in rows] == [(1, b'{"n":1}'), (2, b'{"n":1}'), (3, b'{"n":2}')]
        assert [(r.seq, r.n, r.command) for r in rows[:2]] == [(0, 2, first.command), (1, 2, first.command)]
        assert [r.version for r in await store.read_stream(stream, after=2)] == [3]

    async def test_another_version_is_a_conflict_and_stores_nothing(self, store: Store, appender: Appender) -> None:
        stream = new_stream()
        await appended(appender, some_append(stream, NEW_STREAM, events=3))
        for wrong in (NEW_STREAM, 2, 4):
            outcome = await appended(appender, some_append(stream, wrong))
            assert (outcome.status, outcome.version) == (Status.CONFLICT, 3)
        assert len(await store.read_stream(stream)) == 3

    async def test_a_version_of_a_stream_that_does_not_exist_is_a_conflict(self, appender: Appender) -> None:
        outcome = await appended(appender, some_append(new_stream(), 5))
        assert (outcome.status, outcome.version) == (Status.CONFLICT, 0)

    async def test_store_11_a_command_commits_once_whatever_version_its_retry_expects(
        self, store: Store, appender: Appender
    ) -> None:
        stream = new_stream()
        first = some_append(stream, NEW_STREAM, events=2)
        answer = await appended(appender, first)
        await appended(appender, some_append(stream, 2))
        for expected in (NEW_STREAM, 2, 3, 99, ANY_VERSION):
            again = await appended(appender, some_append(stream, expected, command=first.command))
            assert again == Outcome(Status.DUPLICATE, answer.version, answer.position)
        assert len(await store.read_stream(stream)) == 3

    async def test_the_same_command_id_on_another_stream_is_another_command(self, appender: Appender) -> None:
        command = uuid.uuid4().hex
        for _ in range(2):
            outcome = await appended(appender, some_append(new_stream(), NEW_STREAM, command=command))
            assert outcome.status is Status.APPENDED

    async def test_store_9_twenty_parallel_appends_at_any_version_get_versions_1_to_20(
        self, store: Store, appender: Appender
    ) -> None:
        stream = new_stream()
        outcomes = await asyncio.gather(
            *(appended(appender, some_append(stream, ANY_VERSION)) for _ in range(20))
        )  # fmt: skip
        assert sorted(o.version for o in outcomes) == list(range(1, 21))
        assert [r.version for r in await store.read_stream(stream)] == list(range(1, 21))

    async def test_positions_are_contiguous_in_every_shard_also_after_conflicts(
        self, store: Store, appender: Appender
    ) -> None:
        streams = [new_stream() for _ in range(60)]
        await asyncio.gather(*(appended(appender, some_append(s, NEW_STREAM, events=3)) for s in streams))
        await asyncio.gather(*(appended(appender, some_append(s, 1)) for s in streams))
        await asyncio.gather(*(appended(appender, some_append(s, 3)) for s in streams))
        start = dict.fromkeys(range(16), 0)
        events = await store.read_log(start)
        check_contiguous(start, events)
        assert len(events) == 60 * 4
        assert await store.heads() == {s: sum(e.shard == s for e in events) for s in range(16)}

    async def test_the_log_is_read_on_from_any_position(self, store: Store, appender: Appender) -> None:
        stream = new_stream()
        await appended(appender, some_append(stream, NEW_STREAM, events=5))
        shard = (await store.read_stream(stream))[0].shard
        assert [e.pos for e in await store.read_log({shard: 2}, limit_per_shard=2)] == [3, 4]

    async def test_the_hash_chain_has_one_link_for_each_append(self, store: Store, appender: Appender) -> None:
        stream = new_stream()
        items = [some_append(stream, NEW_STREAM, events=2), some_append(stream, 2), some_append(stream, 3, events=3)]
        tail = b""
        for item in items:
            await appended(appender, item)
            tail = hashlib.sha256(tail + link(item)).digest()
        chains = await store.pool.fetch("SELECT chain FROM event WHERE stream = $1 ORDER BY version", stream)
        assert [c[0] is not None for c in chains] == [False, True, True, False, False, True]
        assert chains[-1][0] == tail == await store.pool.fetchval("SELECT tail FROM stream WHERE stream = $1", stream)

    async def test_deadlines_are_armed_and_cleared_only_by_what_was_appended(
        self, store: Store, appender: Appender
    ) -> None:
        stream = new_stream()

        async def armed() -> list[tuple[str, int, int]]:
            rows = await store.pool.fetch(
                "SELECT kind, due_at, version FROM deadline WHERE stream = $1 ORDER BY kind", stream
            )
            return [tuple(row) for row in rows]

        first = some_append(stream, NEW_STREAM, arm=(Arm("turn", 1_000, 1), Arm("idle", 9_000, 1)))
        await appended(appender, first)
        assert await armed() == [("idle", 9_000, 1), ("turn", 1_000, 1)]
        await appended(appender, some_append(stream, 7, arm=(Arm("turn", 5, 5),), clear=("idle",)))
        await appended(appender, some_append(stream, 1, command=first.command, clear=("idle", "turn")))
        assert await armed() == [("idle", 9_000, 1), ("turn", 1_000, 1)]
        await appended(appender, some_append(stream, 1, arm=(Arm("turn", 2_000, 2),), clear=("idle",)))
        assert await armed() == [("turn", 2_000, 2)]

    async def test_store_22_events_of_any_size_are_stored_whole(self, store: Store, appender: Appender) -> None:
        stream = new_stream()
        for expected, size in enumerate((7_999, 8_000, 500_000)):
            await appended(appender, some_append(stream, expected, data=b"x" * size))
        assert [len(r.data) for r in await store.read_stream(stream)] == [7_999, 8_000, 500_000]
