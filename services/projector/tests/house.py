"""A house with rooms' log and the projector's tables in one database, and a way to commit what happens in rooms."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncpg
import circolo_events
from circolo_events.appender import Append, Appender, NewEvent, Outcome
from circolo_events.bus import NatsBus
from circolo_events.registry import EventRegistry
from circolo_events.store import Store
from circolo_projector import tables
from circolo_projector.generations import Generations
from circolo_projector.writer import REGISTRY
from circolo_service.migrate import migrate
from msgspec import Struct

KIT = Path(circolo_events.__file__).parent / "migrations"
OWN = Path(__file__).parents[1] / "migrations"


class House:
    def __init__(self, pool: asyncpg.Pool, appender: Appender) -> None:
        self.pool = pool
        self.appender = appender
        self.rooms = Store(pool, schema="rooms")
        self.registry: EventRegistry = REGISTRY

    async def commit(self, stream: str, after: int, events: Sequence[Struct]) -> int:
        made = []
        for event in events:
            name, schema_v, data = self.registry.encode(event)
            made.append(NewEvent(uuid.uuid4().hex, name, schema_v, data, b"{}"))
        outcome = await self.appender.append(Append(stream, after, uuid.uuid4().hex, made))
        assert isinstance(outcome, Outcome), outcome
        return outcome.version

    @asynccontextmanager
    async def generations(
        self, bus: NatsBus | None = None, *, model: int = tables.MODEL_VERSION
    ) -> AsyncIterator[Generations]:
        kept = Generations(self.pool, self.rooms, bus, model=model)
        await kept.start()
        try:
            yield kept
        finally:
            await kept.stop()

    async def rows(self, generation: int) -> list[tuple[object, ...]]:
        return [tuple(r) for r in await self.pool.fetch(f"SELECT * FROM {tables.table(generation)} ORDER BY room")]

    async def lobby(self) -> list[str]:
        return [r[0] for r in await self.pool.fetch("SELECT room FROM lobby ORDER BY created_at DESC, room")]


async def until_live(generations: Generations, number: int, seconds: float = 8) -> None:
    async with asyncio.timeout(seconds):
        while generations.live is None or generations.live.number != number:
            await asyncio.sleep(0.02)


async def caught_up(generations: Generations, number: int) -> None:
    await generations.filling[number].subscription.caught_up()


@asynccontextmanager
async def opened(database: str) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        await migrate(database, "rooms", [("kit", KIT)])
        await migrate(database, "projector", [("kit", KIT), ("projector", OWN)])
        pool = await stack.enter_async_context(
            asyncpg.create_pool(database, min_size=1, max_size=6, server_settings={"search_path": "projector"})
        )
        appender = Appender(lambda: asyncpg.connect(database, server_settings={"search_path": "rooms"}))
        appender.start()
        stack.push_async_callback(appender.stop)
        yield House(pool, appender)
