"""A batch's rows and its checkpoint reach the database together: one statement, or one transaction when events are
set aside or taken up again."""

from __future__ import annotations

from collections.abc import Callable

import asyncpg
from circolo_events.checkpoints import MOVE, Move, moved_or
from msgspec import Struct

MOVED = f"moved AS MATERIALIZED (SELECT {MOVE})"
"""The first thing of a statement that carries the move; what follows takes its arguments from number 7 on."""


class Statement(Struct, frozen=True):
    """The same statement with the checkpoint's compare-and-set in it and without."""

    with_move: str
    alone: str

    @classmethod
    def of(cls, make: Callable[[int], str]) -> Statement:
        """``make`` gets the number of the first placeholder; above 1, the statement must carry ``MOVED``."""
        return cls(make(7), make(1))

    async def run(self, pool: asyncpg.Pool, move: Move, columns: tuple[list[object], ...]) -> None:
        """``columns`` side by side are the rows; without any only the move is made. Raises CheckpointMoved."""
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
