"""Reading a service's event store. Writing goes through ``Appender`` only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import starmap
from operator import itemgetter

import asyncpg
from msgspec import Struct

from .canonical import SHARDS, shard_of

_COLUMNS = (
    "shard, pos, stream, version, encode(uuid_send(event_id), 'hex'), encode(uuid_send(command_id), 'hex'), "
    "command_seq, command_n, type, schema_v, data, meta, (date_part('epoch', at) * 1000)::int8"
)
"""In the order of ``Recorded``. Ids as text and time as a number are made by the database: twice as fast to read."""


class Recorded(Struct, frozen=True):
    """One stored event, not yet decoded."""

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


class Written(Struct, frozen=True):
    """What a fold needs of a stored event."""

    version: int
    type: str
    schema_v: int
    data: bytes


_shard, _pos = itemgetter(0), itemgetter(1)


class Page:
    """Rows of a log as the database sent them: where they end is known before events are made of them."""

    def __init__(self, after: Mapping[int, int], rows: Sequence[asyncpg.Record]) -> None:
        self._after = after
        self._rows = rows
        self._counted = Counter(map(_shard, rows))
        if None in self._counted:
            raise PositionGap(f"no event of a page after {dict(after)}, though the heads are beyond it")

    @property
    def longest(self) -> int:
        """How many events the shard with the most of them has."""
        return max(self._counted.values(), default=0)

    @property
    def ends(self) -> dict[int, int]:
        """The last position of each shard; right if ``events`` finds no gap."""
        return {shard: self._after[shard] + count for shard, count in self._counted.items()}

    def events(self) -> list[Recorded]:
        """In position order within a shard. Raises PositionGap."""
        events = list(starmap(Recorded, self._rows))
        if not self._is_in_order():
            # They come in order from each shard's index, though SQL does not promise it; to sort all of them there
            # would write every large page to disk first.
            events.sort(key=lambda event: (event.shard, event.pos))
            check_contiguous(self._after, events)
        return events

    def _is_in_order(self) -> bool:
        """Shard by shard without a gap. Whole lists are compared: a step of Python's for each event would double what
        it costs to read one."""
        shards, positions = list(map(_shard, self._rows)), list(map(_pos, self._rows))
        first = 0
        for shard, count in self._counted.items():
            rest, after = first + count, self._after[shard]
            if shards[first:rest].count(shard) != count:
                return False
            if positions[first:rest] != list(range(after + 1, after + count + 1)):
                return False
            first = rest
        return True


class Store:
    """The log of one service. With ``schema``, another service's log; else the one of the pool's search_path."""

    def __init__(self, pool: asyncpg.Pool, schema: str | None = None) -> None:
        if schema is not None and not re.fullmatch(r"[a-z_]+", schema):
            raise ValueError(f"not a schema name: {schema}")
        self.pool = pool
        self._from = "" if schema is None else f"{schema}."
        self.heads_table = f"{self._from}shard_head"

    async def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """Every event of the stream with a version above ``after``, in order."""
        rows = await self.pool.fetch(
            f"SELECT {_COLUMNS} FROM {self._from}event "
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
        return (await self.read_page(after, limit_per_shard)).events()

    async def read_page(self, after: Mapping[int, int], limit_per_shard: int) -> Page:
        """What ``read_log`` makes events of. Raises PositionGap when the heads are beyond what is there."""
        # A shard whose head has not moved costs nothing. A page is a range of positions: with a limit alone Postgres
        # may think it cheaper to read and sort all that is left of a shard, page after page. And it has a limit:
        # without one, a plan made while the table was empty scans all of it.
        shards = sorted(after)
        rows = await self.pool.fetch(
            f"""
            SELECT e.* FROM unnest($1::int2[], $2::int8[]) AS cursor (shard, after)
            JOIN {self.heads_table} h ON h.shard = cursor.shard AND h.head > cursor.after
            LEFT JOIN LATERAL (
                SELECT {_COLUMNS} FROM {self._from}event e
                WHERE e.shard = cursor.shard AND e.pos > cursor.after AND e.pos <= cursor.after + $3
                ORDER BY e.pos LIMIT $3
            ) AS e ON true
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
            SELECT page.shard, page.passed, page.last, e.* FROM (
                SELECT cursor.shard, count(*) AS passed, max(near.pos) AS last,
                       array_agg(near.pos) FILTER (WHERE near.type = ANY ($4::text[])) AS wanted
                FROM unnest($1::int2[], $2::int8[]) AS cursor (shard, after)
                JOIN {self.heads_table} h ON h.shard = cursor.shard AND h.head > cursor.after
                LEFT JOIN LATERAL (
                    SELECT e.pos, e.type FROM {self._from}event e
                    WHERE e.shard = cursor.shard AND e.pos > cursor.after AND e.pos <= cursor.after + $3
                    ORDER BY e.pos LIMIT $3
                ) AS near ON true
                GROUP BY cursor.shard
            ) AS page
            LEFT JOIN LATERAL (
                SELECT {_COLUMNS} FROM {self._from}event e WHERE e.shard = page.shard AND e.pos = ANY (page.wanted)
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
                events.append(Recorded(*event))
        events.sort(key=lambda event: (event.shard, event.pos))
        return events, ends

    async def find_command(self, stream: str, command: str) -> Recorded | None:
        """The first event that this command (32 hex digits) committed on this stream."""
        row = await self.pool.fetchrow(
            f"SELECT {_COLUMNS} FROM {self._from}event "
            "WHERE shard = $1 AND stream = $2 AND command_id = $3 AND command_seq = 0",
            shard_of(stream), stream, command,
        )  # fmt: skip
        return None if row is None else Recorded(*row)

    async def heads(self) -> dict[int, int]:
        """The last position of each of the 16 shards."""
        rows = await self.pool.fetch(f"SELECT shard, head FROM {self.heads_table}")
        heads = {row[0]: row[1] for row in rows}
        if len(heads) != SHARDS:
            raise RuntimeError(f"{len(heads)} shard heads instead of {SHARDS}: is the schema migrated?")
        return heads


def _version(event: Written) -> int:
    return event.version


class PositionGap(RuntimeError):
    """A reader met a hole. It must not go on past it: the store promises contiguous positions."""


def check_contiguous(after: Mapping[int, int], events: list[Recorded]) -> None:
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
