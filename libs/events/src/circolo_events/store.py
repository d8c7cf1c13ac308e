"""Reading a service's event store. Writing goes through ``Appender`` only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import repeat, starmap
from operator import attrgetter

import asyncpg
from msgspec import Struct

from .canonical import SHARDS, shard_of

COLUMNS = (
    "pos, stream, version, encode(uuid_send(event_id), 'hex'), encode(uuid_send(command_id), 'hex'), "
    "command_seq, command_n, type, schema_v, data, meta, (date_part('epoch', at) * 1000)::int8"
)
"""As ``Recorded`` has them after the shard. Ids as text and time as a number are made by the database: twice as fast
to read."""
_GATHERED = """
array_agg(pos), array_agg(stream), array_agg(version), string_agg(uuid_send(event_id), ''),
string_agg(uuid_send(command_id), ''), array_agg(command_seq), array_agg(command_n), array_agg(type),
array_agg(schema_v), array_agg(data), array_agg(meta), array_agg((date_part('epoch', at) * 1000)::int8)
"""
"""The same of many events, each column as one value; ids are 16 bytes each, one after the other."""
_STORED = "pos, stream, version, event_id, command_id, command_seq, command_n, type, schema_v, data, meta, at"
_NEXT = """
WHERE e.shard = cursor.shard AND e.pos > cursor.after AND e.pos <= cursor.after + $3 ORDER BY e.pos LIMIT $3
"""
"""A range of positions: with a limit alone Postgres may think it cheaper to read and sort all that is left of a shard,
time after time. And a limit: without one, a plan made while the table was empty scans all of it."""


class Recorded(Struct, frozen=True, gc=False):
    """One stored event, not yet decoded. It holds nothing that could lead back to it, and the collector passes it over:
    of a page's thousands that is a tenth of what they cost."""

    shard: int
    pos: int
    """Contiguous from 1 within the shard."""
    stream: str
    version: int
    """Contiguous from 1 within the stream."""
    id: str
    """32 hex digits, as is ``command``."""
    command: str
    seq: int
    """The event's place, from 0, among the ``n`` events of its command."""
    n: int
    type: str
    schema_v: int
    data: bytes
    meta: bytes
    at: int
    """ms since 1970, by the database's clock."""


class Written(Struct, frozen=True, gc=False):
    """What a fold needs of a stored event."""

    version: int
    type: str
    schema_v: int
    data: bytes


class Page:
    """A part of a log as the database sent it, column by column of each shard: a list of 500 values is read in a
    quarter of the time of 500 rows. Where the page ends is known before events are made of it."""

    def __init__(self, after: Mapping[int, int], rows: Sequence[asyncpg.Record]) -> None:
        """Raises PositionGap when a shard has nothing, though its head is beyond ``after``."""
        self._after = after
        self._rows = rows
        self.ends: dict[int, int] = {}
        """The last position of each shard; right if ``events`` finds no gap."""
        self.longest = 0
        """How many events the shard with the most of them has."""
        for shard, positions, *_ in rows:
            if positions is None:
                raise PositionGap(f"shard {shard}: position None after {after[shard]}")
            self.ends[shard] = after[shard] + len(positions)
            self.longest = max(self.longest, len(positions))

    def events(self) -> list[Recorded]:
        """Shard by shard in position order. Raises PositionGap."""
        events: list[Recorded] = []
        for shard, positions, streams, versions, ids, commands, *others in self._rows:
            in_hex = ids.hex(" ", 16).split(), commands.hex(" ", 16).split()
            made = list(map(Recorded, repeat(shard), positions, streams, versions, *in_hex, *others))
            if positions != list(range(self._after[shard] + 1, self.ends[shard] + 1)):
                # They come in order from the shard's index, though SQL does not promise it.
                made.sort(key=_position)
                check_contiguous(self._after, made)
            events += made
        return events


_version, _position, _place = attrgetter("version"), attrgetter("pos"), attrgetter("shard", "pos")


class Store:
    """The log of one service. With ``schema``, another service's log; else the one of the pool's search_path."""

    def __init__(self, pool: asyncpg.Pool, schema: str | None = None) -> None:
        if schema is not None and not re.fullmatch(r"[a-z_]+", schema):
            raise ValueError(f"not a schema name: {schema}")
        self.pool = pool
        self._from = "" if schema is None else f"{schema}."
        self.heads_table = f"{self._from}shard_head"
        # A shard whose head has not moved costs nothing.
        self._cursors = (
            "unnest($1::int2[], $2::int8[]) AS cursor (shard, after) "
            f"JOIN {self.heads_table} h ON h.shard = cursor.shard AND h.head > cursor.after"
        )

    async def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """Every event of the stream with a version above ``after``, in order."""
        rows = await self.pool.fetch(
            f"SELECT shard, {COLUMNS} FROM {self._from}event "
            "WHERE shard = $1 AND stream = $2 AND version > $3 ORDER BY version",
            shard_of(stream), stream, after,
        )  # fmt: skip
        return [Recorded(*row) for row in rows]

    async def read_streams(
        self, streams: Sequence[str], after: Sequence[int], most: int, *, timeout: float | None = None
    ) -> list[list[Written]]:
        """Of each stream the next events after its version, in order and at most ``most``, by one statement."""
        rows = await self.pool.fetch(
            f"""
            SELECT e.*, cursor.place FROM unnest($1::int2[], $2::text[], $3::int8[])
            WITH ORDINALITY AS cursor (shard, stream, after, place)
            CROSS JOIN LATERAL (
                SELECT version, type, schema_v, data FROM {self._from}event e
                WHERE e.shard = cursor.shard AND e.stream = cursor.stream AND e.version > cursor.after
                ORDER BY e.version LIMIT $4
            ) AS e
            """,
            [shard_of(stream) for stream in streams], streams, after, most, timeout=timeout,
        )  # fmt: skip
        found: list[list[Written]] = [[] for _ in streams]
        for version, kind, schema_v, data, place in rows:
            found[place - 1].append(Written(version, kind, schema_v, data))
        for events in found:
            events.sort(key=_version)  # they come in this order from the index, though SQL does not promise it
        return found

    async def read_log(self, after: Mapping[int, int], limit_per_shard: int = 500) -> list[Recorded]:
        """The next events of the named shards, each after its position, in position order within a shard.

        A shard that is not named is not read. Positions are contiguous: a hole is an error (``check_contiguous``).
        """
        shards = sorted(after)
        rows = await self.pool.fetch(
            f"""
            SELECT cursor.shard, e.* FROM {self._cursors}
            LEFT JOIN LATERAL (SELECT {COLUMNS} FROM {self._from}event e {_NEXT}) AS e ON true
            """,
            shards, [after[shard] for shard in shards], limit_per_shard,
        )  # fmt: skip
        events = list(starmap(Recorded, rows))
        try:
            check_contiguous(after, events)
        except PositionGap:
            # They come in order from each shard's index, though SQL does not promise it; to sort all of them there
            # would write every large read to disk first.
            events.sort(key=_place)
            check_contiguous(after, events)
        return events

    async def read_page(self, after: Mapping[int, int], limit_per_shard: int) -> Page:
        """The same events, for who reads a long log: cheaper by the thousand, dearer by the dozen than ``read_log``.

        A column of a shard's page is one value in the database and must stay below 1 GB there. Raises PositionGap.
        """
        shards = sorted(after)
        rows = await self.pool.fetch(
            f"""
            SELECT cursor.shard, e.* FROM {self._cursors}
            CROSS JOIN LATERAL (
                SELECT {_GATHERED} FROM (SELECT {_STORED} FROM {self._from}event e {_NEXT}) AS e
            ) AS e
            """,
            shards, [after[shard] for shard in shards], limit_per_shard,
        )  # fmt: skip
        return Page(after, rows)

    async def read_types(
        self, after: Mapping[int, int], types: Sequence[str], limit_per_shard: int
    ) -> tuple[list[Recorded], dict[int, int]]:
        """Of what ``read_log`` would read only the events of these types; and, by shard, how far the reading went.

        A hole anywhere in what was passed over is an error as there.
        """
        shards = sorted(after)
        rows = await self.pool.fetch(
            f"""
            SELECT cursor.shard, page.passed, page.last, e.* FROM {self._cursors}
            CROSS JOIN LATERAL (
                SELECT count(*) AS passed, max(near.pos) AS last,
                       array_agg(near.pos) FILTER (WHERE near.type = ANY ($4::text[])) AS wanted
                FROM (SELECT e.pos, e.type FROM {self._from}event e {_NEXT}) AS near
            ) AS page
            LEFT JOIN LATERAL (
                SELECT {COLUMNS} FROM {self._from}event e
                WHERE e.shard = cursor.shard AND e.pos = ANY (page.wanted)
            ) AS e ON true
            """,
            shards, [after[shard] for shard in shards], limit_per_shard, types,
        )  # fmt: skip
        ends: dict[int, int] = {}
        events = []
        for shard, passed, last, *event in rows:
            if last is None or last != after[shard] + passed:
                raise PositionGap(f"shard {shard}: {passed} positions from {after[shard] + 1} to {last}")
            ends[shard] = last
            if event[0] is not None:
                events.append(Recorded(shard, *event))
        events.sort(key=_place)
        return events, ends

    async def find_command(self, stream: str, command: str) -> Recorded | None:
        """The first event that this command (32 hex digits) committed on this stream."""
        row = await self.pool.fetchrow(
            f"SELECT shard, {COLUMNS} FROM {self._from}event "
            "WHERE shard = $1 AND stream = $2 AND command_id = $3 AND command_seq = 0",
            shard_of(stream), stream, command,
        )  # fmt: skip
        return None if row is None else Recorded(*row)

    async def heads(self) -> dict[int, int]:
        """The last position of each of the 16 shards."""
        rows = await self.pool.fetch(f"SELECT shard, head FROM {self.heads_table}")
        return whole({row[0]: row[1] for row in rows})


def whole(heads: dict[int, int]) -> dict[int, int]:
    """The heads of a log by shard, if they are there."""
    if len(heads) != SHARDS:
        raise RuntimeError(f"{len(heads)} shard heads instead of {SHARDS}: is the schema migrated?")
    return heads


class PositionGap(RuntimeError):
    """A reader met a hole. It must not go on past it: the store promises contiguous positions."""


def check_contiguous(after: Mapping[int, int], events: Sequence[Recorded]) -> None:
    """Raises PositionGap unless each shard's events follow ``after`` without a hole."""
    shard, expected, last = -1, 0, dict(after)
    for event in events:
        if event.shard != shard:
            if shard >= 0:
                last[shard] = expected - 1
            shard, expected = event.shard, last[event.shard] + 1
        if event.pos != expected:
            raise PositionGap(f"shard {shard}: position {event.pos} after {expected - 1}")
        expected += 1
