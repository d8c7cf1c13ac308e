"""What is stored when everything is quiet again: both logs, read models, the feed on JetStream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg
import nats
from circolo_events.canonical import SHARDS
from circolo_events.feed import heads_of
from circolo_events.store import COLUMNS, Recorded
from circolo_projector.rooms import tables
from circolo_projector.rooms.room import Room
from circolo_projector.service import FAMILIES

SERVICES = ("rooms", "cardgames")
_EVENTS = f"SELECT shard, {COLUMNS}, chain FROM {{schema}}.event ORDER BY shard, pos"


@dataclass(frozen=True)
class Row:
    """A stored event with its link of the hash chain (only on the last event of an append)."""

    event: Recorded
    chain: bytes | None


@dataclass(frozen=True)
class Armed:
    stream: str
    kind: str
    due_at: int
    version: int


@dataclass
class Archive:
    """The store of one service. ``rows`` in the order of shard and position; ``now`` by the database's clock, ms."""

    service: str
    rows: list[Row]
    streams: dict[str, tuple[int, bytes]]
    """Version and the end of the hash chain."""
    heads: dict[int, int]
    deadlines: list[Armed]
    now: int
    parked: int = 0
    by_stream: dict[str, list[Row]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.rows:
            self.by_stream.setdefault(row.event.stream, []).append(row)
        for rows in self.by_stream.values():
            rows.sort(key=lambda row: row.event.version)

    def events(self, kind: str) -> dict[str, list[Recorded]]:
        """By stream of this kind, in the order of versions."""
        return {s: [row.event for row in rows] for s, rows in self.by_stream.items() if s.startswith(f"{kind}-")}


@dataclass
class Everything:
    """What the checker looks at besides what clients were told."""

    rooms: Archive
    cardgames: Archive
    read_model: dict[str, Room]
    feeds: dict[str, list[bytes]]
    """By service, every message of its log on JetStream, in order."""

    def of(self, service: str) -> Archive:
        return self.rooms if service == "rooms" else self.cardgames


async def read_archive(connection: asyncpg.Connection, service: str) -> Archive:
    rows = [Row(Recorded(*row[:-1]), row[-1]) for row in await connection.fetch(_EVENTS.format(schema=service))]
    streams = await connection.fetch(f"SELECT stream, version, tail FROM {service}.stream")
    heads = await connection.fetch(f"SELECT shard, head FROM {service}.shard_head")
    armed = await connection.fetch(f"SELECT stream, kind, due_at, version FROM {service}.deadline")
    now = await connection.fetchval("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8")
    parked = await connection.fetchval(f"SELECT count(*) FROM {service}.parked")
    return Archive(
        service, rows, {row[0]: (row[1], row[2]) for row in streams}, {row[0]: row[1] for row in heads},
        [Armed(*row) for row in armed], now, parked,
    )  # fmt: skip


async def read_model(connection: asyncpg.Connection) -> dict[str, Room]:
    """The rows of the generation that is read now, by room."""
    number = await connection.fetchval("SELECT number FROM projector.generation WHERE state = 'LIVE'")
    rows = await connection.fetch(
        f"SELECT * FROM projector.{tables.table(number)}"  # whole rows: what the view shows is some of their columns
    )
    return {row["room"]: tables.room_of(row) for row in rows}


async def read_feed(nats_url: str, service: str) -> list[bytes]:
    """Every message that JetStream holds of the service's log."""
    client = await nats.connect(nats_url)
    try:
        jetstream = client.jetstream()
        held = (await jetstream.stream_info(f"LOG_{service}")).state
        if not held.messages:
            return []
        subscription = await jetstream.subscribe(f"log.{service}", ordered_consumer=True)
        messages: list[bytes] = []
        while len(messages) < held.messages:
            messages.append((await subscription.next_msg(timeout=10)).data)
        await subscription.unsubscribe()
        return messages
    finally:
        await client.close()


async def until_quiet(postgres_url: str, nats_url: str, *, seconds: float = 60.0) -> None:
    """Nothing is appended any more, every consumer has read everything, no deadline is due. Raises TimeoutError.

    What does not come to rest is named by the error.
    """
    until = time.monotonic() + seconds
    calm = 0
    before: list[tuple[int, ...]] = []
    while True:
        waiting: list[str] = []
        try:
            connection = await asyncpg.connect(postgres_url, timeout=5)
            try:
                heads = {s: dict(await connection.fetch(f"SELECT shard, head FROM {s}.shard_head")) for s in SERVICES}
                waiting += await _behind(connection, heads)
            finally:
                await connection.close()
            client = await nats.connect(nats_url, connect_timeout=2, max_reconnect_attempts=1)
            try:
                for service in SERVICES:
                    last = await client.jetstream().get_last_msg(f"LOG_{service}", f"log.{service}")
                    if heads_of(last.data or b"") != heads[service]:
                        waiting.append(f"the feed of {service}")
            finally:
                await client.close()
            now = [tuple(heads[s].get(shard, 0) for shard in range(SHARDS)) for s in SERVICES]
        except Exception as error:
            waiting, now = [f"a server: {type(error).__name__}: {error}"], []
        calm = calm + 1 if not waiting and now == before else 0
        before = now
        if calm >= 3:
            return
        if time.monotonic() > until:
            raise TimeoutError(f"not quiet after {seconds:.0f} s: {'; '.join(waiting) or 'events are still appended'}")
        await asyncio.sleep(0.15)


async def _behind(connection: asyncpg.Connection, heads: dict[str, dict[int, int]]) -> list[str]:
    found: list[str] = []
    live = {
        family.name: await connection.fetchval(f"SELECT number FROM projector.{family.register} WHERE state = 'LIVE'")
        for family in FAMILIES
    }
    for schema in (*SERVICES, "projector"):
        rows = await connection.fetch(f"SELECT consumer, version, source, shard, pos FROM {schema}.checkpoint")
        for consumer, version, source, shard, pos in rows:
            if source not in heads or (schema == "projector" and version != live[consumer]):
                continue
            if pos < heads[source][shard]:
                found.append(f"{consumer} at {pos} of {heads[source][shard]} in shard {shard} of {source}")
    for schema in SERVICES:
        now = "(extract(epoch FROM clock_timestamp()) * 1000)::int8"
        due = await connection.fetchval(f"SELECT count(*) FROM {schema}.deadline WHERE due_at < {now}")
        if due:
            found.append(f"{due} due deadlines of {schema}")
    return found


async def read_everything(postgres_url: str, nats_url: str, services: Sequence[str] = SERVICES) -> Everything:
    connection = await asyncpg.connect(postgres_url)
    try:
        archives = {service: await read_archive(connection, service) for service in services}
        model = await read_model(connection)
    finally:
        await connection.close()
    feeds = {service: await read_feed(nats_url, service) for service in services}
    return Everything(archives["rooms"], archives["cardgames"], model, feeds)
