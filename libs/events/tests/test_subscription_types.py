"""Who reads of a few types passes over the rest: no effect, no transaction, no wake-up, and still no hole unseen."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Sequence

import asyncpg
import pytest
from circolo_contracts.wire import poke_subject
from circolo_events.appender import Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.canonical import SHARDS, shard_of
from circolo_events.checkpoints import Connection, Consumer
from circolo_events.store import PositionGap, Recorded, Store
from circolo_events.subscription import Limits, Subscription
from circolo_events.testing.store_contract import appended, new_stream

CONSUMER = Consumer("bell", 1, "things")


class Bell:
    """Hears ``Rang`` only."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int]] = []
        self.chokes_on: tuple[str, int] | None = None

    async def handle(self, _: Connection, events: Sequence[Recorded]) -> None:
        assert {event.type for event in events} == {"Rang"}
        if any((event.stream, event.version) == self.chokes_on for event in events):
            raise KeyError("what is this")
        self.heard += [(event.stream, event.version) for event in events]

    def subscribed(self, pool: asyncpg.Pool, store: Store, **more: object) -> Subscription:
        return Subscription(
            "bell", 1, "things", pool=pool, store=store, handle=self.handle, types=["Rang"],
            **more,  # type: ignore[arg-type]
        )  # fmt: skip


async def happen(appender: Appender, stream: str, version: int, *types: str) -> None:
    events = [NewEvent(uuid.uuid4().hex, kind, 1, b"{}", b"{}") for kind in types]
    await appended(appender, Append(stream, version, uuid.uuid4().hex, events))


async def saved(pool: asyncpg.Pool) -> dict[int, int]:
    return await CONSUMER.load(pool)


async def test_only_events_of_its_types_are_handled_and_the_checkpoint_covers_the_others(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    streams = [new_stream() for _ in range(40)]
    for stream in streams:
        await happen(appender, stream, 0, "Played", "Rang", "Played")
        await happen(appender, stream, 3, "Played")
    bell = Bell()
    subscription = bell.subscribed(pool, store)
    await subscription.start()
    await subscription.caught_up()
    assert sorted(bell.heard) == sorted((stream, 2) for stream in streams)
    assert await saved(pool) == await store.heads()
    await happen(appender, streams[0], 4, "Played", "Rang")
    subscription.wake()
    await subscription.caught_up()
    assert bell.heard[-1] == (streams[0], 6)
    await subscription.stop()
    assert subscription.handled == 41


async def test_what_is_passed_over_is_written_down_once_it_is_quiet_and_not_for_each_event(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    subscription = Bell().subscribed(pool, store, limits=Limits(poll_seconds=0.02))
    await subscription.start()
    stream, moves = new_stream(), 0
    shard = shard_of(stream)
    changes, last = 0, 0
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        await happen(appender, stream, moves, "Played")
        moves += 1
        now = (await saved(pool))[shard]
        changes, last = changes + (now != last), now
        await asyncio.sleep(0.01)
    async with asyncio.timeout(3):
        while (await saved(pool))[shard] != moves:
            await asyncio.sleep(0.02)
    assert moves > 20
    assert changes < moves / 3
    await subscription.stop()


async def test_a_poke_of_its_type_wakes_it_at_once_and_a_poke_of_another_does_not(
    pool: asyncpg.Pool, store: Store, appender: Appender, nats_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "circolo_events.polling.until_tick", lambda period: period
    )  # and none of the clock's in between
    bus = await NatsBus.connect(nats_url, name="test")
    source = f"things{uuid.uuid4().hex}"
    bell = Bell()
    subscription = Subscription(
        "bell", 1, source, pool=pool, store=store, handle=bell.handle, bus=bus, types=["Rang"],
        limits=Limits(poll_seconds=30),
    )  # fmt: skip
    await subscription.start()
    while subscription.state != "RUNNING":
        await asyncio.sleep(0.01)
    await bus.flush()
    stream = new_stream()
    await happen(appender, stream, 0, "Played", "Rang")
    bus.publish(poke_subject(source), b"")
    bus.publish(poke_subject(source, "Played"), b"")
    await asyncio.sleep(0.2)
    assert bell.heard == []
    bus.publish(poke_subject(source, "Rang"), b"")
    async with asyncio.timeout(2):
        while bell.heard != [(stream, 2)]:
            await asyncio.sleep(0.005)
    await subscription.stop()
    await bus.close()


async def test_a_hole_among_what_is_passed_over_stops_it_too(
    pool: asyncpg.Pool, store: Store, appender: Appender, caplog: pytest.LogCaptureFixture
) -> None:
    stream = new_stream()
    await happen(appender, stream, 0, "Played", "Played", "Rang")
    gone = await pool.fetchrow("DELETE FROM event WHERE stream = $1 AND version = 1 RETURNING *", stream)
    bell = Bell()
    subscription = bell.subscribed(pool, store)
    with caplog.at_level(logging.ERROR):
        await subscription.start()
        while subscription.state != "STALLED":
            await asyncio.sleep(0.01)
    assert PositionGap.__name__ in caplog.text
    assert bell.heard == []
    places = ", ".join(f"${n}" for n in range(1, len(gone) + 1))
    await pool.execute(f"INSERT INTO event ({', '.join(gone.keys())}) VALUES ({places})", *gone.values())
    await subscription.caught_up()
    assert bell.heard == [(stream, 3)]
    await subscription.stop()


async def test_a_poison_event_parks_its_stream_and_is_handled_when_it_is_unparked(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    bad, good = new_stream(), [new_stream() for _ in range(20)]
    for stream in [*good[:10], bad, *good[10:]]:
        await happen(appender, stream, 0, "Played", "Rang", "Played", "Rang")
    bell = Bell()
    bell.chokes_on = (bad, 2)
    subscription = bell.subscribed(pool, store, limits=Limits(retry_after_seconds=(0.01,)))
    await subscription.start()
    await subscription.caught_up()
    assert sorted(bell.heard) == sorted((stream, version) for stream in good for version in (2, 4))
    assert await saved(pool) == await store.heads()
    bell.heard.clear()
    bell.chokes_on = None
    assert await subscription.unpark(bad) == 2
    async with asyncio.timeout(3):
        while bell.heard != [(bad, 2), (bad, 4)]:
            await asyncio.sleep(0.01)
    await subscription.stop()


async def test_a_long_stretch_of_other_events_is_passed_over_without_rests(
    pool: asyncpg.Pool, store: Store, appender: Appender
) -> None:
    stream = new_stream()
    for start in range(0, 3000, 500):
        await happen(appender, stream, start, *["Played"] * 500)
    await happen(appender, stream, 3000, "Rang")
    bell = Bell()
    subscription = bell.subscribed(pool, store, limits=Limits(max_events=SHARDS, poll_seconds=5))
    await subscription.start()
    async with asyncio.timeout(4):
        while bell.heard != [(stream, 3001)]:
            await asyncio.sleep(0.01)
    assert (await saved(pool))[shard_of(stream)] == 3001
    await subscription.stop()
