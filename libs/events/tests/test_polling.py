"""Who polls at the same moment asks together, and nobody pays for another one's trouble."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence

import asyncpg
import pytest
from circolo_events import polling
from circolo_events.appender import Append, Appender, NewEvent
from circolo_events.canonical import shard_of
from circolo_events.leader import Lease
from circolo_events.polling import Polls, Together
from circolo_events.store import Recorded, Store
from circolo_events.subscription import Limits, Subscription
from circolo_events.testing.store_contract import appended, new_stream


async def happen(appender: Appender, stream: str, version: int) -> None:
    event = NewEvent(uuid.uuid4().hex, "Played", 1, b"{}", b"{}")
    await appended(appender, Append(stream, version, uuid.uuid4().hex, [event]))


async def turns() -> None:
    """Of the loop, until whatever was begun has come to its next wait."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_many_ask_in_one_moment_is_one_question_and_what_comes_while_it_runs_is_the_next() -> None:
    questions: list[list[str]] = []
    goes_on = asyncio.Event()

    async def ask(keys: Sequence[str]) -> dict[str, int]:
        questions.append(list(keys))
        await goes_on.wait()
        return {key: len(key) for key in keys if key != "unheard of"}

    together = Together(ask)
    first = [asyncio.create_task(together.of(key)) for key in ("one", "three", "one")]
    await turns()
    later = asyncio.create_task(together.of("one"))
    unknown = asyncio.create_task(together.of("unheard of"))
    given_up = asyncio.create_task(together.of("four"))
    await turns()
    given_up.cancel()
    goes_on.set()
    assert [await task for task in first] == [3, 5, 3]
    assert await later == 3
    with pytest.raises(KeyError):
        await unknown
    assert questions == [["one", "three"], ["one", "unheard of", "four"]]


def test_everybody_polls_at_the_same_moment_and_within_the_period(monkeypatch: pytest.MonkeyPatch) -> None:
    for now in (0.4, 0.401, 0.5, 0.599):
        monkeypatch.setattr(polling.time, "monotonic", lambda now=now: now)
        assert now + polling.until_tick(0.2) == pytest.approx(0.6)


async def test_who_rests_after_a_batch_does_not_wait_for_a_whole_poll_as_well(
    pool: asyncpg.Pool, store: Store, appender: Appender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody pokes here, and every tick is as far away as it can be."""
    monkeypatch.setattr("circolo_events.polling.until_tick", lambda period: period)
    seen: list[float] = []
    loop, stream = asyncio.get_running_loop(), new_stream()

    async def note(_: object, events: Sequence[Recorded]) -> None:
        seen.extend(loop.time() for _ in events)

    limits = Limits(poll_seconds=0.5, round_seconds=0.5)
    reader = Subscription("seer", 1, "things", pool=pool, store=store, handle=note, limits=limits)
    await reader.start()
    for version in range(3):
        await happen(appender, stream, version)
        async with asyncio.timeout(3):
            while len(seen) == version:
                await asyncio.sleep(0.01)
    assert seen[2] - seen[1] < 0.9, "half a second, not a whole one"
    await reader.stop()


async def test_the_heads_of_several_logs_are_one_statement_and_a_log_that_is_not_there_hurts_only_itself(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    polls = Polls.of(pool)
    assert polls is Polls.of(pool)
    stream = new_stream()
    await happen(appender, stream, 0)
    schema = await pool.fetchval("SELECT current_schema()")
    there = f"{schema}.shard_head"
    asked = polls.heads.asked
    one, other = await asyncio.gather(polls.heads.of(store.heads_table), polls.heads.of(there))
    assert one == other and one[shard_of(stream)] == 1 and sum(one) == 1
    assert polls.heads.asked == asked + 1
    found, missing = await asyncio.gather(
        polls.heads.of(there), polls.heads.of("nowhere.shard_head"), return_exceptions=True
    )
    assert found == one
    assert isinstance(missing, asyncpg.UndefinedTableError)


async def test_who_sleeps_is_woken_when_his_log_goes_on_or_cannot_be_asked_and_at_no_other_time(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    watch = Polls.of(pool).watch(0.02)
    assert watch is Polls.of(pool).watch(0.02)
    heads = await store.heads()
    stream = new_stream()
    up_to_date, on_another, lost, without = (asyncio.Event() for _ in range(4))
    other_shards = {shard: head for shard, head in heads.items() if shard != shard_of(stream)}
    with (
        watch.over(store.heads_table, heads, up_to_date),
        watch.over(store.heads_table, other_shards, on_another),
        watch.over("nowhere.shard_head", heads, lost),
        watch.over(store.heads_table, {**heads, 16: 0}, without),
    ):
        await asyncio.wait_for(lost.wait(), 2)
        await asyncio.wait_for(without.wait(), 2)
        assert not up_to_date.is_set()
        await happen(appender, stream, 0)
        await asyncio.wait_for(up_to_date.wait(), 2)
    assert not on_another.is_set()
    await asyncio.sleep(0.1)  # a look that had begun is over
    asked = Polls.of(pool).heads.asked
    await asyncio.sleep(0.1)  # five periods
    assert Polls.of(pool).heads.asked == asked, "nobody sleeps any more"


async def test_a_wake_up_at_the_last_moment_is_none_that_is_lost() -> None:
    wake = asyncio.Event()
    assert not await polling.woken_within(wake, 0)
    task = asyncio.create_task(polling.woken_within(wake, 0))
    await asyncio.sleep(0)
    wake.set()
    assert await task


async def test_leases_are_kept_together_and_a_name_has_one_holder_also_within_a_process(pool: asyncpg.Pool) -> None:
    leases = [Lease(pool, f"reader {number}") for number in range(8)]
    rivals = [Lease(pool, "reader 0"), Lease(pool, "one that is new"), Lease(pool, "one that is new")]
    asked = Polls.of(pool).leases.asked
    assert all(await asyncio.gather(*(lease.hold() for lease in leases)))
    assert Polls.of(pool).leases.asked == asked + 1
    held = await asyncio.gather(*(lease.hold() for lease in rivals))
    assert not held[0]
    assert sorted(held[1:]) == [False, True]
    await leases[0].release()
    assert await rivals[0].hold()


async def test_a_rival_who_asks_in_the_same_statement_is_not_taken_for_the_holder(pool: asyncpg.Pool) -> None:
    holder, rivals = Lease(pool, "reader"), [Lease(pool, "reader") for _ in range(4)]
    assert await holder.hold()
    for place in range(len(rivals) + 1):
        holder._held_in = -1.0  # as when a third of its time is over
        asking = [*rivals[:place], holder, *rivals[place:]]
        held = await asyncio.gather(*(each.hold() for each in asking))
        assert [lease for lease, holds in zip(asking, held, strict=True) if holds] == [holder]


async def test_an_idle_reader_reads_nothing_and_hears_of_an_event_without_a_poke(
    pool: asyncpg.Pool, store: Store, appender: Appender, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Recorded] = []
    reads = 0
    read_log = store.read_log

    async def counted(*arguments: object) -> list[Recorded]:
        nonlocal reads
        reads += 1
        return await read_log(*arguments)  # type: ignore[arg-type]

    async def note(_: object, events: Sequence[Recorded]) -> None:
        seen.extend(events)

    monkeypatch.setattr(store, "read_log", counted)
    readers = [
        Subscription(f"seer {n}", 1, "things", pool=pool, store=store, handle=note, limits=Limits(poll_seconds=0.02))
        for n in range(4)
    ]
    for reader in readers:
        await reader.start()
        await reader.caught_up()
    await asyncio.sleep(0.1)  # whoever still had something to save has saved it
    before, asked = reads, Polls.of(pool).heads.asked
    await asyncio.sleep(0.3)  # fifteen ticks
    assert reads == before
    assert 0 < Polls.of(pool).heads.asked - asked < 30  # not four times fifteen
    await happen(appender, new_stream(), 0)
    async with asyncio.timeout(2):
        while len(seen) < 4:
            await asyncio.sleep(0.01)
    for reader in readers:
        await reader.stop()
