"""JetStream gets everything, once, in order; and what it loses it gets again from Postgres."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import msgspec
import pytest
from circolo_devstack.servers import Servers
from circolo_events.appender import Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.feed import Envelope, analysts_stream, heads_of, pack, unpack, whole
from circolo_events.registry import EventRegistry, EventType
from circolo_events.relay import Relay
from circolo_events.store import Recorded, Store
from circolo_events.testing.store_contract import appended, new_stream, some_append
from nats.errors import Error as NatsError
from nats.js.errors import NotFoundError


class Dealt(msgspec.Struct, frozen=True):
    deck: str
    dealer: int


class Played(msgspec.Struct, frozen=True):
    card: str


class Opened(msgspec.Struct, frozen=True):
    at: int


REGISTRY = EventRegistry(
    EventType("Dealt", Dealt, secret=frozenset({"deck"})), EventType("Played", Played), EventType("Opened", Opened),
    open_marker="Opened",
)  # fmt: skip


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[NatsBus]:
    bus = await NatsBus.connect(nats_url, name="relay-test")
    yield bus
    await bus.close()


@pytest.fixture
async def service(bus: NatsBus) -> AsyncIterator[str]:
    """A name of its own, so that tests share one server."""
    name = f"s{uuid.uuid4().hex}"
    yield name
    js = bus.client.jetstream()
    for feed in ("LOG", "OPEN"):
        with contextlib.suppress(NotFoundError):
            await js.delete_stream(f"{feed}_{name}")


async def held(bus: NatsBus, stream: str) -> list[Envelope]:
    """Everything JetStream holds, in order, checked for holes and doubles."""
    js = bus.client.jetstream()
    state = (await js.stream_info(stream)).state
    events: list[Envelope] = []
    last: dict[int, int] = {}
    for sequence in range(state.first_seq, state.last_seq + 1):
        message = await js.get_msg(stream, sequence)
        header, envelopes = unpack(message.data or b"")
        assert sum(end - start + 1 for _, start, end in header.ranges) == len(envelopes)
        for envelope in envelopes:
            assert envelope.pos == last.get(envelope.shard, 0) + 1
            last[envelope.shard] = envelope.pos
        assert {int(s): p for s, p in header.heads.items() if p} == last
        events += envelopes
    return events


async def until_held(bus: NatsBus, stream: str, count: int, seconds: float = 8) -> list[Envelope]:
    async with asyncio.timeout(seconds):
        while True:
            try:
                events = await held(bus, stream)
            except (NatsError, TimeoutError):  # not there yet, or just being replaced
                events = []
            if len(events) >= count:
                return events
            await asyncio.sleep(0.02)


async def ten_streams(appender: Appender, version: int, streams: list[str]) -> None:
    await asyncio.gather(*(appended(appender, some_append(stream, version)) for stream in streams))


async def test_every_event_is_published_once_in_the_order_of_its_shard(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool
) -> None:
    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    streams = [new_stream() for _ in range(20)]
    for version in range(10):
        await ten_streams(appender, version, streams)
        bus.publish(f"poke.{service}", b"")
    events = await until_held(bus, relay.stream, 200)
    await relay.stop()
    assert len(events) == 200
    stored = {(e.shard, e.pos): e for e in await store.read_log(dict.fromkeys(range(16), 0))}
    for event in events:
        original = stored[event.shard, event.pos]
        assert (event.stream, event.id, event.version) == (original.stream, original.id, original.version)
        assert bytes(event.data) == original.data  # type: ignore[arg-type]
        assert bytes(event.meta) == original.meta  # type: ignore[arg-type]
    info = await bus.client.jetstream().stream_info(relay.stream)
    assert info.state.messages < 100, "many events share a message"
    assert info.config.storage == "file"


async def test_a_relay_that_starts_again_goes_on_behind_the_last_message(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool
) -> None:
    streams = [new_stream() for _ in range(10)]
    for round_ in range(3):
        await ten_streams(appender, round_, streams)
        relay = Relay.log(service, store, bus, pool)
        await relay.start()
        await until_held(bus, relay.stream, 10 * (round_ + 1))
        await relay.stop()
        assert relay.published == 10
    assert len(await held(bus, relay.stream)) == 30


@pytest.mark.parametrize("loss", ["deleted", "purged", "tail"])
async def test_ops_17_what_jetstream_loses_while_we_run_is_published_again(
    loss: str, bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("circolo_events.relay.CHECK_SECONDS", 0.1)
    streams = [new_stream() for _ in range(10)]
    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    for version in range(3):
        await ten_streams(appender, version, streams)
        await until_held(bus, relay.stream, 10 * (version + 1))
    js = bus.client.jetstream()
    if loss == "deleted":
        await js.delete_stream(relay.stream)
    elif loss == "purged":
        await js.purge_stream(relay.stream)
    else:
        config = (await js.stream_info(relay.stream)).config
        first = (await js.get_msg(relay.stream, 1)).data or b""
        await js.delete_stream(relay.stream)
        await js.add_stream(config)
        await js.publish(relay.subject, first)
    assert len(await until_held(bus, relay.stream, 30)) == 30
    await ten_streams(appender, 3, streams)
    assert len(await until_held(bus, relay.stream, 40)) == 40
    await relay.stop()


async def test_ops_4_17_a_killed_nats_and_a_wiped_disk_are_filled_again(
    servers: Servers, bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool
) -> None:
    if servers.nats is None:
        pytest.skip("the servers were given from outside: this test kills one")
    streams = [new_stream() for _ in range(10)]
    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    await ten_streams(appender, 0, streams)
    await until_held(bus, relay.stream, 10)
    servers.nats.kill()
    await ten_streams(appender, 1, streams)  # nobody who plays waits for the relay
    servers.nats.start()
    await asyncio.to_thread(servers.nats.wait_ready)
    events = await until_held(bus, relay.stream, 20, seconds=10)
    assert len(events) == 20
    await relay.stop()


async def test_a_connection_that_is_lost_while_jetstream_is_asked_only_means_that_it_is_asked_again(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    from nats.js import JetStreamContext

    monkeypatch.setattr("circolo_events.relay.CHECK_SECONDS", 0.0)
    stream_info = JetStreamContext.stream_info
    losses = 0

    async def interrupted(self: JetStreamContext, *args: Any, **kwargs: Any) -> Any:
        nonlocal losses
        info = await stream_info(self, *args, **kwargs)
        if losses < 5:
            losses += 1
            for callback in bus.reconnected:
                callback()
        return info

    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    await ten_streams(appender, 0, streams := [new_stream() for _ in range(10)])
    await until_held(bus, relay.stream, 10)
    monkeypatch.setattr(JetStreamContext, "stream_info", interrupted)
    await ten_streams(appender, 1, streams)
    relay.wake()
    await until_held(bus, relay.stream, 20)
    await relay.stop()
    assert losses
    assert "stands still" not in caplog.text


async def test_two_relays_at_once_never_interleave(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool
) -> None:
    """As if the lease did not work at all."""
    relays = [Relay.log(service, store, bus, pool) for _ in range(2)]
    for number, relay in enumerate(relays):
        relay._lease.name = f"not the same {number}"
        await relay.start()
    streams = [new_stream() for _ in range(10)]
    for version in range(10):
        await ten_streams(appender, version, streams)
        for relay in relays:
            relay.wake()
        await asyncio.sleep(0.02)
    assert len(await until_held(bus, relays[0].stream, 100)) == 100
    for relay in relays:
        await relay.stop()
    assert len(await held(bus, relays[0].stream)) == 100


async def test_a_publish_whose_acknowledgement_is_lost_is_neither_lost_nor_doubled(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nats.js import JetStreamContext

    publish = JetStreamContext.publish
    calls = 0

    async def deaf(self: JetStreamContext, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        ack = await publish(self, *args, **kwargs)
        if calls % 2:
            raise TimeoutError
        return ack

    monkeypatch.setattr(JetStreamContext, "publish", deaf)
    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    streams = [new_stream() for _ in range(10)]
    for version in range(5):
        await ten_streams(appender, version, streams)
        relay.wake()
        assert len(await until_held(bus, relay.stream, 10 * version + 10)) == 10 * version + 10
    await relay.stop()
    assert calls >= 5


async def test_store_31_ten_thousand_events_need_few_messages(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool
) -> None:
    streams = [new_stream() for _ in range(100)]
    await asyncio.gather(*(appended(appender, some_append(stream, 0, events=100)) for stream in streams))
    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    async with asyncio.timeout(20):
        while relay.published < 10_000:
            await asyncio.sleep(0.02)
    await relay.stop()
    state = (await bus.client.jetstream().stream_info(relay.stream)).state
    assert state.messages < 60
    assert state.bytes / state.messages < 600 * 1024


async def test_the_open_feed_has_every_event_at_its_place_without_its_secrets(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool
) -> None:
    stream = new_stream()
    meta = b'{"actor":["player","who"]}'

    def event(name: str, data: bytes, schema_v: int = 1) -> NewEvent:
        return NewEvent(uuid.uuid4().hex, name, schema_v, data, meta)

    await appended(
        appender,
        Append(stream, 0, uuid.uuid4().hex, [
            event("Dealt", b'{"dealer":1,"deck":"B1 B3"}'), event("Played", b'{"card":"B1"}'),
            event("FromTheFuture", b'{"seed":"ab"}'), event("Dealt", b'{"hand":"B1"}', schema_v=2),
        ]),
    )  # fmt: skip
    relay = Relay.open(service, store, bus, pool, REGISTRY)
    await relay.start()
    events = await until_held(bus, f"OPEN_{service}", 4)
    assert [bytes(e.data) for e in events[:2]] == [b'{"dealer":1}', b'{"card":"B1"}']  # type: ignore[arg-type]
    assert [e.omitted for e in events[2:]] == ["unknown", "unknown"]
    raw = (await bus.client.jetstream().get_msg(relay.stream, 1)).data or b""
    assert b"B3" not in raw
    assert b"seed" not in raw
    assert b"player" not in raw
    assert [e.data for e in await analysts_stream(store, REGISTRY, stream)] == [e.data for e in events]
    await appended(appender, Append(stream, 4, uuid.uuid4().hex, [event("Opened", b'{"at":1}')]))
    await until_held(bus, f"OPEN_{service}", 5)
    assert [bytes(e.data) for e in await analysts_stream(store, REGISTRY, stream)] == [  # type: ignore[arg-type]
        b'{"dealer":1,"deck":"B1 B3"}', b'{"card":"B1"}', b'{"seed":"ab"}', b'{"hand":"B1"}', b'{"at":1}',
    ]  # fmt: skip
    await relay.stop()


def recorded(pos: int, data: bytes = b'{"n":1}', shard: int = 3) -> Recorded:
    return Recorded(shard, pos, "thing-1", pos, f"{pos:032x}", "c", 0, 1, "Happened", 1, data, b"{}", 7)


def test_a_message_is_cut_where_it_is_full_and_says_where_it_ends() -> None:
    heads = dict.fromkeys(range(16), 0)
    events = [recorded(pos, b'{"t":"%s"}' % (b"x" * 1000)) for pos in range(1, 11)] + [recorded(1, shard=9)]
    message, after, ranges = pack("rooms", heads, events, whole, max_bytes=6000)
    assert len(message) <= 6000
    assert ranges == [(3, 1, after[3])]
    assert after[3] < 10
    assert heads_of(message) == after
    _, rest, ranges = pack("rooms", after, events[after[3] :], whole, max_bytes=60_000)
    assert (rest[3], rest[9]) == (10, 1)
    assert ranges == [(3, after[3] + 1, 10), (9, 1, 1)]


def test_an_event_greater_than_a_message_is_named_and_does_not_stop_the_feed() -> None:
    heads = dict.fromkeys(range(16), 0)
    events = [recorded(1, b'{"t":"%s"}' % (b"x" * 9000)), recorded(2)]
    message, after, _ = pack("rooms", heads, events, whole, max_bytes=6000)
    _, envelopes = unpack(message)
    assert [e.omitted for e in envelopes] == ["size", msgspec.UNSET]
    assert after[3] == 2


async def test_store_35_a_feed_that_is_ahead_of_its_store_is_not_written_on(
    bus: NatsBus, service: str, store: Store, appender: Appender, pool: asyncpg.Pool, caplog: pytest.LogCaptureFixture
) -> None:
    """Postgres came back from an old backup: somebody must decide, and outsiders must not get two histories."""
    heads = dict.fromkeys(range(16), 0)
    message, _, _ = pack(service, heads, [recorded(pos) for pos in range(1, 6)], whole, max_bytes=60_000)
    js = bus.client.jetstream()
    await js.add_stream(name=f"LOG_{service}", subjects=[f"log.{service}"])
    await js.publish(f"log.{service}", message)
    await appended(appender, some_append(new_stream(), 0))
    relay = Relay.log(service, store, bus, pool)
    await relay.start()
    async with asyncio.timeout(5):
        while relay.state != "STALLED":
            await asyncio.sleep(0.01)
    await relay.stop()
    assert "has handled 5 of shard 3, which ends at" in caplog.text
    assert (await js.stream_info(relay.stream)).state.messages == 1


async def test_a_relay_waits_for_a_schema_that_is_not_migrated(
    bus: NatsBus, service: str, pool: asyncpg.Pool, caplog: pytest.LogCaptureFixture
) -> None:
    relay = Relay.log(service, Store(pool, schema="nowhere"), bus, pool)
    await relay.start()
    async with asyncio.timeout(5):
        while relay.state != "STALLED":
            await asyncio.sleep(0.01)
    await relay.stop()
    assert "not migrated yet" in caplog.text
    with pytest.raises(NotFoundError):
        await bus.client.jetstream().stream_info(relay.stream)
