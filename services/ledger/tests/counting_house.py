"""The ledger on real servers, and cardgames' log as matches would fill it; no other service runs."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import circolo_events
import circolo_ledger
import msgspec
from circolo_contracts.ledger import Paid, PayoutView, Reversed, payout_stream
from circolo_contracts.wire import Actor, Answer, Ask, Command, Seen
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_events.store import Recorded, Store
from circolo_ledger import prove
from circolo_ledger.proof import Proof
from circolo_ledger.registry import REGISTRY
from circolo_ledger.service import Ledger, compose
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from msgspec import Raw, Struct
from nats.js.errors import NotFoundError
from ranked_table import Match, balances, payments_of

KIT = ("kit", Path(circolo_events.__file__).parent / "migrations")
OWN = ("ledger", Path(circolo_ledger.__file__).parents[2] / "migrations")


class CountingHouse:
    def __init__(self, settings: Settings, bus: NatsBus, closing: AsyncExitStack) -> None:
        self.settings = settings
        self.bus = bus
        self.client = CommandClient(bus, attempt=2.0, total=20.0)
        self.closing = closing
        self.games: Appender
        self.store: Store

    async def open(self) -> Ledger:
        """A replica that nobody has started yet."""
        pool = await pools.create(self.settings, "ledger", name="ledger")
        self.closing.push_async_callback(pool.close)
        clock = DatabaseClock()
        await clock.start(pool)
        self.closing.push_async_callback(clock.stop)
        return await compose(Platform("ledger", self.settings, self.bus, pool, clock, "ledger"))

    @asynccontextmanager
    async def at_work(self, replicas: int = 1) -> AsyncIterator[list[Ledger]]:
        ledgers = [await self.open() for _ in range(replicas)]
        for ledger in ledgers:
            await ledger.start()
        try:
            yield ledgers
        finally:
            for ledger in ledgers:
                await ledger.stop()

    # ------------------------------------------------------------ cardgames

    async def plays(self, match: Match, *, start: int = 0, stop: int | None = None) -> None:
        """What cardgames would commit, from one event of the match to another."""
        for event_id, event in match.events[start:stop]:
            new = NewEvent(event_id, type(event).__name__, 1, canonical.encode(event), b"{}")
            await self.games.append(Append(match.stream, ANY_VERSION, uuid.uuid4().hex, [new]))
        for name in ("DealEnded", "MatchEnded"):
            self.bus.publish(f"poke.cardgames.{name}", b"")

    async def play_all(self, matches: Iterable[Match]) -> None:
        await asyncio.gather(*(self.plays(match) for match in matches))

    # ------------------------------------------------------------ the ledger

    async def send(self, stream: str, data: Struct, actor: Actor, command_id: str = "") -> Answer:
        command = Command(actor, Raw(canonical.encode(data)), command_id or uuid.uuid4().hex, type(data).__name__)
        return await self.client.send("ledger", stream, command)

    async def look(self, cause: str) -> PayoutView | None:
        answer = await self.client.send("ledger", payout_stream(cause), Ask())
        return msgspec.json.decode(answer.view, type=PayoutView) if isinstance(answer, Seen) else None

    async def log(self) -> list[Recorded]:
        return [row async for row in prove.events_of(self.store, list(REGISTRY.by_name))]

    async def payments(self) -> list[Paid | Reversed]:
        return [REGISTRY.decode(row.type, row.schema_v, row.data) for row in await self.log()]  # type: ignore[misc]

    async def balances(self) -> Counter[str]:
        return balances(await self.payments())  # type: ignore[arg-type]

    async def prove(self) -> Proof:
        async with self.store.pool.acquire() as connection:
            return await prove.prove(connection)


def due_of(matches: Sequence[Match]) -> Counter[str]:
    """By account, what the pure parts pay for these."""
    return balances([payment for match in matches for payment in payments_of(match)])


async def prepare(database: str) -> None:
    await migrate(database, "cardgames", [KIT])
    await migrate(database, "ledger", [KIT, OWN])


@asynccontextmanager
async def opened(database: str, nats_url: str) -> AsyncIterator[CountingHouse]:
    async with AsyncExitStack() as closing:
        await prepare(database)
        bus = await NatsBus.connect(nats_url, name="tests")
        closing.push_async_callback(bus.close)
        with suppress(NotFoundError):  # the feed of another test's database
            await bus.client.jetstream().delete_stream("LOG_ledger")
        house = CountingHouse(Settings(postgres_url=database, nats_url=nats_url), bus, closing)
        house.games = Appender(lambda: pools.connect(house.settings, "cardgames", name="cardgames"))
        house.games.start()
        closing.push_async_callback(house.games.stop)
        pool = await pools.create(house.settings, "ledger", name="test")
        closing.push_async_callback(pool.close)
        house.store = Store(pool)
        yield house
