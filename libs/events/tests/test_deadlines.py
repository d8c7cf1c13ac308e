"""What is due is fired: once, in time, by whichever worker is free, and never lost."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping

import asyncpg
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Done, Refused, Seen
from circolo_events import deadlines as module
from circolo_events.appender import Appender, Arm
from circolo_events.canonical import deadline_command_id, shard_of
from circolo_events.clock import FixedClock
from circolo_events.deadlines import LEASE, DeadlineWorker, Fired, fired, pause_ms
from circolo_events.decider import Deadline
from circolo_events.testing.store_contract import appended, new_stream, some_append
from msgspec import Raw


class Table:
    """A service with one kind of deadline: it notes what was fired, and clears the row as an append would."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.clock = FixedClock()
        self.fired: Counter[str] = Counter()
        self.answer = Fired.DONE
        self.armed: dict[str, Deadline] = {}
        self.asked = 0

    async def handle(self, stream: str, version: int, command_id: str) -> Fired:
        assert command_id == deadline_command_id(stream, "turn", version)
        self.fired[stream] += 1
        if self.answer is Fired.DONE:
            await self.pool.execute("DELETE FROM deadline WHERE stream = $1", stream)
        return self.answer

    async def current(self, stream: str) -> Mapping[str, Deadline]:
        self.asked += 1
        return {"turn": self.armed[stream]} if stream in self.armed else {}

    def worker(self, **more: int) -> DeadlineWorker:
        return DeadlineWorker(self.pool, self.clock, {"turn": self.handle}, self.current, **more)

    async def arm(self, stream: str, in_ms: int, version: int = 1, kind: str = "turn") -> None:
        await self.pool.execute(
            "INSERT INTO deadline (shard, stream, kind, due_at, version) VALUES ($1, $2, $3, $4, $5)",
            shard_of(stream), stream, kind, self.clock.now() + in_ms, version,
        )  # fmt: skip

    async def rows(self) -> list[tuple[int, int, int]]:
        return [
            tuple(r) for r in await self.pool.fetch("SELECT due_at, version, attempts FROM deadline ORDER BY due_at")
        ]

    async def until_fired(self, count: int) -> None:
        async with asyncio.timeout(5):
            while self.fired.total() < count:
                await asyncio.sleep(0.005)


@pytest.fixture
def table(pool: asyncpg.Pool) -> Table:
    return Table(pool)


async def test_a_deadline_is_fired_when_it_is_due_and_not_before(table: Table) -> None:
    worker = table.worker()
    await table.arm(new_stream(), 1000)
    await worker.start()
    await asyncio.sleep(0.3)
    assert not table.fired
    table.clock.advance(1000)
    await table.until_fired(1)
    await worker.stop()
    assert await table.rows() == []


async def test_what_an_append_arms_is_fired_and_what_it_clears_is_not(table: Table, appender: Appender) -> None:
    kept, cleared = new_stream(), new_stream()
    due = table.clock.now() + 50
    for stream in (kept, cleared):
        await appended(appender, some_append(stream, 0, arm=(Arm("turn", due, 1),)))
    await appended(appender, some_append(cleared, 1, clear=("turn",)))
    table.clock.advance(100)
    worker = table.worker()
    await worker.start()
    await table.until_fired(1)
    await asyncio.sleep(0.25)
    assert table.fired == {kept: 1}
    await worker.stop()


async def test_two_workers_side_by_side_fire_each_deadline_once(table: Table) -> None:
    for _ in range(200):
        await table.arm(new_stream(), -1)
    workers = [table.worker() for _ in range(2)]
    for worker in workers:
        await worker.start()
    await table.until_fired(200)
    await asyncio.sleep(0.3)
    assert set(table.fired.values()) == {1}
    assert len(table.fired) == 200
    for worker in workers:
        await worker.stop()


async def test_after_a_no_op_the_row_is_moved_to_what_the_state_says(table: Table) -> None:
    moved, gone = new_stream(), new_stream()
    table.answer = Fired.NOOP
    await table.arm(moved, -10)
    await table.arm(gone, -5)
    later = table.clock.now() + 60_000
    table.armed[moved] = Deadline(due_at=later, version=4)
    worker = table.worker()
    await worker.start()
    await table.until_fired(2)
    await asyncio.sleep(0.1)
    assert await table.rows() == [(later, 4, 0)]
    await asyncio.sleep(0.3)
    assert table.fired.total() == 2
    await worker.stop()


async def test_a_no_op_never_touches_a_row_that_was_armed_anew_meanwhile(table: Table) -> None:
    stream = new_stream()
    await table.arm(stream, -10, version=1)

    async def overtaken(of: str, version: int, command_id: str) -> Fired:
        table.fired[of] += 1
        await table.pool.execute(
            "UPDATE deadline SET version = 9, due_at = $1, lease_until = 0, attempts = 0", table.clock.now() + 9000
        )
        return Fired.NOOP

    worker = DeadlineWorker(table.pool, table.clock, {"turn": overtaken}, table.current)
    await worker.start()
    await table.until_fired(1)
    await asyncio.sleep(0.1)
    await worker.stop()
    assert await table.rows() == [(table.clock.now() + 9000, 9, 0)]


async def test_a_no_op_on_what_is_armed_and_due_does_not_spin(table: Table) -> None:
    stream = new_stream()
    table.answer = Fired.NOOP
    await table.arm(stream, -10)
    table.armed[stream] = Deadline(due_at=table.clock.now() - 10, version=1)
    worker = table.worker()
    await worker.start()
    await asyncio.sleep(0.6)
    await worker.stop()
    assert 1 <= table.fired.total() <= 3
    assert len(await table.rows()) == 1


@pytest.mark.parametrize("how", ["raises", "unavailable"])
async def test_a_deadline_whose_handler_fails_is_fired_again_later(table: Table, how: str) -> None:
    stream = new_stream()
    await table.arm(stream, -10)
    ids: list[str] = []

    async def flaky(of: str, version: int, command_id: str) -> Fired:
        ids.append(command_id)
        if len(ids) < 3:
            if how == "raises":
                raise RuntimeError("no")
            return Fired.UNAVAILABLE
        return await table.handle(of, version, command_id)

    worker = DeadlineWorker(table.pool, table.clock, {"turn": flaky}, table.current)
    await worker.start()
    await table.until_fired(1)
    await worker.stop()
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert await table.rows() == []


async def test_a_slow_handler_keeps_its_lease_and_is_not_fired_beside_itself(table: Table) -> None:
    stream, calls = new_stream(), []
    await table.arm(stream, -10)

    async def slow(of: str, version: int, command_id: str) -> Fired:
        calls.append(of)
        await asyncio.sleep(0.9)
        return await table.handle(of, version, command_id)

    workers = [DeadlineWorker(table.pool, table.clock, {"turn": slow}, table.current, lease_ms=300) for _ in range(2)]
    for worker in workers:
        await worker.start()
    await table.until_fired(1)
    for worker in workers:
        await worker.stop()
    assert calls == [stream]


async def test_game_C3_a_worker_that_dies_at_the_deadline_loses_nothing(table: Table) -> None:
    stream = new_stream()
    await table.arm(stream, -10)
    hangs = asyncio.Event()

    async def never(of: str, version: int, command_id: str) -> Fired:
        hangs.set()
        await asyncio.sleep(60)
        return Fired.DONE

    dying = DeadlineWorker(table.pool, table.clock, {"turn": never}, table.current, lease_ms=300)
    await dying.start()
    await hangs.wait()
    await dying.stop(timeout=0)
    other = table.worker()
    await other.start()
    await asyncio.sleep(0.1)
    assert not table.fired, "the lease holds"
    await table.until_fired(1)
    await other.stop()


async def test_slow_handlers_are_bounded_and_do_not_hold_up_the_others(table: Table) -> None:
    running = peak = 0

    async def slow(of: str, version: int, command_id: str) -> Fired:
        nonlocal running, peak
        running += 1
        peak = max(peak, running)
        await asyncio.sleep(0.02)
        running -= 1
        return await table.handle(of, version, command_id)

    for _ in range(40):
        await table.arm(new_stream(), -10)
    worker = DeadlineWorker(table.pool, table.clock, {"turn": slow}, table.current, concurrency=4)
    await worker.start()
    await table.until_fired(40)
    await worker.stop()
    assert peak == 4
    assert set(table.fired.values()) == {1}


async def test_a_kind_without_a_handler_is_said_aloud_and_kept(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    await table.arm(new_stream(), -10, kind="mystery")
    worker = table.worker()
    await worker.start()
    await asyncio.sleep(0.1)
    await worker.stop()
    assert "kind mystery" in caplog.text
    assert len(await table.rows()) == 1


async def test_store_33_a_hundred_thousand_future_deadlines_and_a_long_transaction_cost_nothing(table: Table) -> None:
    pool, now = table.pool, table.clock.now()
    await pool.execute(
        "INSERT INTO deadline (shard, stream, kind, due_at, version) "
        "SELECT n % 16, 'thing-' || n, 'turn', $1::int8 + n, 1 FROM generate_series(1, 100000) AS n", now + 600_000,
    )  # fmt: skip
    await pool.execute("ANALYZE deadline")
    async with pool.acquire() as connection:
        prepared = await connection.prepare(LEASE)
        plan = str(await prepared.explain(now - 1, now, ["turn"], 32, 1000))
    assert plan.count("deadline_due") == 2, plan  # what is due, and what is due next
    assert "Seq Scan on deadline" not in plan, plan
    old = await pool.acquire()
    long = old.transaction(isolation="repeatable_read")
    await long.start()
    await old.fetchval("SELECT count(*) FROM deadline")
    for _ in range(20):  # dead rows, which vacuum may not remove
        await pool.execute(
            "UPDATE deadline SET due_at = due_at - 1 WHERE stream LIKE 'thing-1%' AND due_at < $1", now + 602_000
        )
    stream = new_stream()
    await table.arm(stream, -1)
    worker = table.worker()
    began = time.monotonic()
    await worker.start()
    await table.until_fired(1)
    assert time.monotonic() - began < 0.5
    began = time.monotonic()
    for _ in range(20):
        await pool.fetch(LEASE, now - 30_000, now, ["turn"], 32, 1000)
    assert (time.monotonic() - began) / 20 < 0.02
    await worker.stop()
    await long.rollback()
    await pool.release(old)


def test_what_an_answer_means_for_a_deadline() -> None:
    done = Done(version=3, position=7, replayed=False, view=Raw(b"{}"), view_version=3)
    assert fired(done) is Fired.DONE
    assert fired(Done(3, 0, False, Raw(b"{}"), 3)) is Fired.NOOP
    assert fired(Refused(RefusalCode.UNAVAILABLE)) is Fired.UNAVAILABLE
    assert fired(Refused(RefusalCode.INTERNAL)) is Fired.UNAVAILABLE
    assert fired(Refused(RefusalCode.GAME_NOT_RUNNING)) is Fired.NOOP
    assert fired(Seen(1, "public", Raw(b"{}"))) is Fired.NOOP


def test_a_failed_deadline_rests_longer_each_time_but_not_for_ever() -> None:
    assert [pause_ms(n) for n in (1, 2, 3)] == [250, 500, 1000]
    assert pause_ms(100) == module.LONGEST_PAUSE_MS
