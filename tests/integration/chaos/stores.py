"""Event stores of one's own, without a service."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import asyncpg
import circolo_events


async def migrated(pool: asyncpg.Pool) -> None:
    """An empty database gets the kit's tables."""
    for file in sorted((Path(circolo_events.__file__).parent / "migrations").glob("*.sql")):
        await pool.execute(file.read_text())


async def copy_tables(source: asyncpg.Pool, target: asyncpg.Pool) -> None:
    """As a dump and a restore do, with the means that a client has."""
    for table in ("shard_head", "stream", "event", "deadline", "checkpoint"):
        held = BytesIO()
        async with source.acquire() as connection:
            await connection.copy_from_table(table, output=held, format="binary")
        held.seek(0)
        async with target.acquire() as connection:
            await connection.execute(f"DELETE FROM {table}")
            await connection.copy_to_table(table, source=held, format="binary")
