"""A house with the logs that are read and the projector's tables in one database, and a way to commit what happens."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncpg
import circolo_events
from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.codes import CodeEvent
from circolo_contracts.ledger import PayoutEvent
from circolo_contracts.rooms import PlayerEvent, RoomEvent
from circolo_events.appender import Append, Appender, NewEvent, Outcome
from circolo_events.bus import NatsBus
from circolo_events.registry import EventRegistry
from circolo_events.subscription import Subscription
from circolo_projector import brilli, matches, rooms
from circolo_projector.family import Family
from circolo_projector.generations import Generations
from circolo_service.migrate import migrate
from msgspec import Struct

KIT = Path(circolo_events.__file__).parent / "migrations"
OWN = Path(__file__).parents[1] / "migrations"
SOURCES = ("rooms", "cardgames", "ledger")
TABLES = {
    "rooms": ("room",),
    "matches": ("match", "match_player", "standing"),
    "brilli": ("ledger_entry", "balance", "brilli_standing"),
}
REGISTRY = EventRegistry.of_unions(PlayerEvent, CodeEvent, RoomEvent, MatchEvent, PayoutEvent)
FAMILIES = {family.name: family for family in (rooms.FAMILY, matches.FAMILY, brilli.FAMILY)}


class House:
    def __init__(self, pool: asyncpg.Pool, appenders: dict[str, Appender]) -> None:
        self.pool = pool
        self.appenders = appenders
        self.registry: EventRegistry = REGISTRY

    async def commit(self, stream: str, after: int, events: Sequence[Struct], *, source: str = "rooms") -> int:
        made = []
        for event in events:
            name, schema_v, data = self.registry.encode(event)
            made.append(NewEvent(uuid.uuid4().hex, name, schema_v, data, b"{}"))
        outcome = await self.appenders[source].append(Append(stream, after, uuid.uuid4().hex, made))
        assert isinstance(outcome, Outcome), outcome
        return outcome.version

    @asynccontextmanager
    async def generations(
        self, bus: NatsBus | None = None, *, family: Family = rooms.FAMILY
    ) -> AsyncIterator[Generations]:
        kept = Generations(family, self.pool, bus)
        await kept.start()
        try:
            yield kept
        finally:
            await kept.stop()

    async def rows(self, generation: int, family: Family = rooms.FAMILY) -> list[list[tuple[object, ...]]]:
        """Every row of every table of a generation, in the order of their bytes."""
        return [
            [tuple(r) for r in await self.pool.fetch(f"SELECT t.* FROM {name}_g{generation} AS t ORDER BY t::text")]
            for name in TABLES[family.name]
        ]

    async def lobby(self) -> list[str]:
        return [r[0] for r in await self.pool.fetch("SELECT room FROM lobby ORDER BY created_at DESC, room")]


async def until_live(generations: Generations, number: int, seconds: float = 8) -> None:
    async with asyncio.timeout(seconds):
        while generations.live is None or generations.live.number != number:
            await asyncio.sleep(0.02)


async def caught_up(generations: Generations, number: int) -> None:
    await generations.filling[number].subscription.caught_up()


def reader(generations: Generations, number: int = 1) -> Subscription:
    return generations.filling[number].subscription


@asynccontextmanager
async def opened(database: str) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        for source in SOURCES:
            await migrate(database, source, [("kit", KIT)])
        await migrate(database, "projector", [("kit", KIT), ("projector", OWN)])
        pool = await stack.enter_async_context(
            asyncpg.create_pool(database, min_size=1, max_size=8, server_settings={"search_path": "projector"})
        )
        appenders = {source: _appender(database, source) for source in SOURCES}
        for appender in appenders.values():
            appender.start()
            stack.push_async_callback(appender.stop)
        yield House(pool, appenders)


def _appender(database: str, source: str) -> Appender:
    return Appender(lambda: asyncpg.connect(database, server_settings={"search_path": source}))
