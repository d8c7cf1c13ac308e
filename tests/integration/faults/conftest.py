"""A second gateway of the house that may be broken; and event stores of one's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import asyncpg
import pytest
from chaos.replicas import second_processes
from chaos.stores import migrated
from circolo_devstack.stack import Stack
from circolo_events.appender import Appender
from circolo_events.store import Store


@pytest.fixture(scope="module")
def gateways(victim: Stack) -> Iterator[list[str]]:
    """Both URLs."""
    with second_processes(victim, ["gateway"]) as second:
        yield [victim.url, second.url]


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    """On an empty database with the kit's tables."""
    async with asyncpg.create_pool(database, min_size=1, max_size=8) as pool:
        await migrated(pool)
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
