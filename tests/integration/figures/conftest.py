"""The projector's tables, filled by its own statements, and read as the gateway reads them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import asyncpg
import circolo_events
import circolo_ledger
import circolo_projector
import pytest
from circolo_projector import brilli, matches, rooms
from circolo_service.migrate import migrate

KIT = ("kit", Path(circolo_events.__file__).parent / "migrations")
OWN = {
    "projector": ("projector", Path(circolo_projector.__file__).parents[2] / "migrations"),
    "ledger": ("ledger", Path(circolo_ledger.__file__).parents[2] / "migrations"),
}


def of_service(database: str, schema: str) -> AbstractAsyncContextManager[asyncpg.Pool]:
    made: AbstractAsyncContextManager[asyncpg.Pool] = asyncpg.create_pool(
        database, min_size=1, max_size=5, server_settings={"search_path": schema}
    )
    return made


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    """Every family has its first generation and its views are turned to it."""
    await migrate(database, "projector", [KIT, OWN["projector"]])
    async with of_service(database, "projector") as made:
        for family in (rooms.FAMILY, matches.FAMILY, brilli.FAMILY):
            await made.execute(family.create(1) + family.turn_views(1))
        yield made
