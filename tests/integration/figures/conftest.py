"""The projector's tables, filled by its own statements, and read as the gateway reads them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import circolo_events
import circolo_projector
import pytest
from circolo_projector import brilli, matches, rooms
from circolo_service.migrate import migrate

MIGRATIONS = (
    ("kit", Path(circolo_events.__file__).parent / "migrations"),
    ("projector", Path(circolo_projector.__file__).parents[2] / "migrations"),
)


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    """Every family has its first generation and its views are turned to it."""
    await migrate(database, "projector", MIGRATIONS)
    async with AsyncExitStack() as stack:
        made = await stack.enter_async_context(
            asyncpg.create_pool(database, min_size=1, max_size=4, server_settings={"search_path": "projector"})
        )
        for family in (rooms.FAMILY, matches.FAMILY, brilli.FAMILY):
            await made.execute(family.create(1) + family.turn_views(1))
        yield made
