"""How far a consumer has read a log, moved by compare-and-set together with the effect; and what it set aside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import asyncpg
from msgspec import Struct

from .failures import CHECKPOINT_MOVED, CheckpointMoved
from .store import Recorded

Connection = Any
"""An asyncpg connection, from a pool or not (asyncpg has no type for both)."""

MOVE = "move_checkpoint($1::text, $2::int4, $3::text, $4::int2[], $5::int8[], $6::int8[])"
"""For a statement that carries its effect along; its first six arguments are ``Move.arguments()``."""
MOVED = f"moved AS MATERIALIZED (SELECT {MOVE})"
"""The same as the first thing after ``WITH``; what follows takes its arguments from number 7 on."""
IDLE_TRANSACTION = "10s"
"""A process that stops in the middle of a batch frees its rows after this time."""

_LOAD = "SELECT shard, pos FROM checkpoint WHERE consumer = $1 AND version = $2 AND source = $3"
_ENSURE = """
INSERT INTO checkpoint (consumer, version, source, shard, pos)
SELECT $1, $2, $3, s, 0 FROM generate_series(0, 15) AS s ON CONFLICT DO NOTHING
"""
_PARK = """
INSERT INTO parked (consumer, version, source, shard, pos, stream, error)
SELECT $1, $2, $3, p.* FROM unnest($4::int2[], $5::int8[], $6::text[], $7::text[]) AS p
"""


class Consumer(Struct, frozen=True):
    """Who reads what. A new ``version`` starts from the first event, beside the old one."""

    name: str
    version: int
    source: str
    """The service whose log is read."""

    def __str__(self) -> str:
        return f"{self.name}.{self.version} on {self.source}"

    @property
    def key(self) -> tuple[str, int, str]:
        return self.name, self.version, self.source

    async def load(self, connection: Connection) -> dict[int, int]:
        """The last position handled of each of the 16 shards; a consumer that is new begins at 0."""
        rows = await connection.fetch(_LOAD, *self.key)
        if len(rows) < 16:
            await connection.execute(_ENSURE, *self.key)
            rows = await connection.fetch(_LOAD, *self.key)
        return {row[0]: row[1] for row in rows}

    async def parked_streams(self, connection: Connection) -> set[str]:
        rows = await connection.fetch(
            "SELECT DISTINCT stream FROM parked WHERE consumer = $1 AND version = $2 AND source = $3", *self.key
        )
        return {row[0] for row in rows}

    async def asked_for(self, connection: Connection) -> list[str]:
        """Parked streams that somebody wants to be tried again."""
        rows = await connection.fetch(
            "SELECT stream FROM parked WHERE consumer = $1 AND version = $2 AND source = $3 AND attempts = 0 "
            "GROUP BY stream ORDER BY min(at)",
            *self.key,
        )
        return [row[0] for row in rows]

    async def ask_for(self, connection: Connection, stream: str) -> int:
        """Ask whoever is at work to try a parked stream again, in order. Returns how many events wait there."""
        rows = await connection.fetch(
            "UPDATE parked SET attempts = 0 WHERE consumer = $1 AND version = $2 AND source = $3 AND stream = $4 "
            "RETURNING pos",
            *self.key,
            stream,
        )
        return len(rows)

    async def parked_positions(self, connection: Connection, stream: str) -> set[int]:
        rows = await connection.fetch(
            "SELECT pos FROM parked WHERE consumer = $1 AND version = $2 AND source = $3 AND stream = $4",
            *self.key,
            stream,
        )
        return {row[0] for row in rows}

    async def failed_again(self, connection: Connection, event: Recorded, error: str) -> None:
        await connection.execute(
            "UPDATE parked SET attempts = greatest(attempts, 1) + (pos = $5)::int, "
            "error = CASE WHEN pos = $5 THEN $6 ELSE error END "
            "WHERE consumer = $1 AND version = $2 AND source = $3 AND stream = $4",
            *self.key, event.stream, event.pos, error,
        )  # fmt: skip

    async def forget(self, connection: Connection) -> None:
        """Of a version that is no longer read."""
        await connection.execute(
            "DELETE FROM checkpoint WHERE consumer = $1 AND version = $2 AND source = $3", *self.key
        )
        await connection.execute("DELETE FROM parked WHERE consumer = $1 AND version = $2 AND source = $3", *self.key)


class Move(Struct, frozen=True):
    """What a batch does to the consumer's book-keeping. Belongs into the transaction of the batch's effect."""

    consumer: Consumer
    before: Mapping[int, int]
    """By shard; ``after`` has the same shards."""
    after: Mapping[int, int]
    park: Sequence[tuple[Recorded, str]] = ()
    """Events set aside, with the reason."""
    release: Sequence[Recorded] = ()
    """Parked events that the batch handles."""

    @property
    def is_plain(self) -> bool:
        """Only the checkpoint moves, so that ``MOVE`` in one statement with the effect is all."""
        return not self.park and not self.release

    def arguments(self) -> tuple[object, ...]:
        shards = sorted(self.before)
        return (*self.consumer.key, shards, [self.before[s] for s in shards], [self.after[s] for s in shards])

    async def alone(self, pool: asyncpg.Pool) -> None:
        """Without an effect of its own in this database, and so nearly always one statement."""
        if not self.is_plain:
            async with pool.acquire(timeout=10) as connection, connection.transaction():
                await self.apply(connection)
            return
        try:
            await pool.execute(f"SELECT {MOVE}", *self.arguments())
        except asyncpg.PostgresError as error:
            raise moved_or(error) from error

    async def apply(self, connection: Connection) -> None:
        """Within the caller's transaction. Raises CheckpointMoved when another replica was here."""
        try:
            await connection.execute(
                f"SELECT set_config('idle_in_transaction_session_timeout', '{IDLE_TRANSACTION}', true), {MOVE}",
                *self.arguments(),
            )
        except asyncpg.PostgresError as error:
            raise moved_or(error) from error
        if self.park:
            events = [event for event, _ in self.park]
            await connection.execute(
                _PARK, *self.consumer.key, [e.shard for e in events], [e.pos for e in events],
                [e.stream for e in events], [reason for _, reason in self.park],
            )  # fmt: skip
        if self.release:
            await connection.execute(
                "DELETE FROM parked WHERE consumer = $1 AND version = $2 AND source = $3 "
                "AND shard = $4 AND pos = ANY($5::int8[])",
                *self.consumer.key, self.release[0].shard, [e.pos for e in self.release],
            )  # fmt: skip


class Statement(Struct, frozen=True):
    """A batch's effect that one statement writes, with the checkpoint's compare-and-set in it and without."""

    with_move: str
    alone: str

    @classmethod
    def of(cls, make: Callable[[int], str]) -> Statement:
        """``make`` gets the number of the first placeholder; above 1, the statement must carry ``MOVED``."""
        return cls(make(7), make(1))

    async def run(self, pool: asyncpg.Pool, move: Move, columns: tuple[list[object], ...]) -> None:
        """``columns`` side by side are the rows; without any only the move is made. One transaction when events are set
        aside or taken up again, else one statement. Raises CheckpointMoved."""
        there_are_rows = bool(columns[0])
        if not there_are_rows:
            await move.alone(pool)
        elif move.is_plain:
            try:
                await pool.execute(self.with_move, *move.arguments(), *columns)
            except asyncpg.PostgresError as error:
                raise moved_or(error) from error
        else:
            async with pool.acquire(timeout=10) as connection, connection.transaction():
                await move.apply(connection)
                await connection.execute(self.alone, *columns)


def moved_or(error: asyncpg.PostgresError) -> Exception:
    """CheckpointMoved when the database said so, else the error itself."""
    if getattr(error, "sqlstate", None) == CHECKPOINT_MOVED:
        return CheckpointMoved(str(error))
    same: Exception = error
    return same
