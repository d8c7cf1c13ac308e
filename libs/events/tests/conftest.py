"""A migrated event store of its own for each test, on a real Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import asyncpg
import circolo_events
import pytest
from circolo_events.appender import Appender
from circolo_events.store import Store

MIGRATIONS = Path(circolo_events.__file__).parent / "migrations"


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    async with asyncpg.create_pool(database, min_size=1, max_size=8) as pool:
        for file in sorted(MIGRATIONS.glob("*.sql")):
            await pool.execute(file.read_text())
        yield pool


@pytest.fixture
def store(pool: asyncpg.Pool) -> Store:
    return Store(pool)


@pytest.fixture
def connect(database: str) -> Callable[[], Awaitable[asyncpg.Connection]]:
    return lambda: asyncpg.connect(database)


@pytest.fixture
async def appender(pool: asyncpg.Pool, connect: Callable[[], Awaitable[asyncpg.Connection]]) -> AsyncIterator[Appender]:
    appender = Appender(connect)
    appender.start()
    yield appender
    await appender.stop()
