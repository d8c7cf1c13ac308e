"""A tombola service on a real Postgres and NATS, the rooms' log that it reads, and the people at the table."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import circolo_events
import msgspec
from circolo_contracts.games import TOMBOLA
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import GameRequested, SeatOccupant
from circolo_contracts.tombola import TombolaView
from circolo_contracts.wire import Actor, Ask, Command, Done, Pushed, Refused, Seen, pushed_decoder
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from circolo_tombola.registry import REGISTRY
from circolo_tombola.service import TombolaService, compose
from msgspec import UNSET, Raw, Struct
from nats.js.errors import NotFoundError

KIT = [("kit", Path(circolo_events.__file__).parent / "migrations")]


class AheadClock:
    """The database's clock, and as far ahead of it as a test has moved it."""

    def __init__(self, clock: DatabaseClock) -> None:
        self._clock = clock
        self.ahead_ms = 0

    def now(self) -> int:
        return self._clock.now() + self.ahead_ms


class Club:
    def __init__(self, settings: Settings, bus: NatsBus, closing: AsyncExitStack) -> None:
        self.settings = settings
        self.bus = bus
        self.client = CommandClient(bus)
        self.room = uuid.uuid4().hex
        self.clocks: list[AheadClock] = []
        self.ahead_ms = 0
        self._closing = closing
        self._rooms: Appender | None = None

    async def open(self) -> TombolaService:
        """Another replica."""
        pool = await pools.create(self.settings, "tombola", name="tombola")
        self._closing.push_async_callback(pool.close)
        measured = DatabaseClock()
        await measured.start(pool)
        self._closing.push_async_callback(measured.stop)
        clock = AheadClock(measured)
        clock.ahead_ms = self.ahead_ms
        self.clocks.append(clock)
        service = await compose(Platform("tombola", self.settings, self.bus, pool, clock, "tombola"))  # type: ignore[arg-type]
        await service.start()
        return service

    def pass_time(self, ms: int) -> None:
        """For every replica, those to come included."""
        self.ahead_ms += ms
        for clock in self.clocks:
            clock.ahead_ms = self.ahead_ms

    async def order(self, event: Struct) -> None:
        """What rooms would commit."""
        if self._rooms is None:
            self._rooms = Appender(lambda: pools.connect(self.settings, "rooms", name="rooms"))
            self._rooms.start()
            self._closing.push_async_callback(self._rooms.stop)
        name = type(event).__name__
        new = NewEvent(uuid.uuid4().hex, name, 1, canonical.encode(event), b"{}")
        await self._rooms.append(Append(f"room-{self.room}", ANY_VERSION, uuid.uuid4().hex, [new]))
        self.bus.publish(f"poke.rooms.{name}", b"")

    async def request(
        self, people: Sequence[str], *, host: str = "", previous: str | None = None, **settings: Any
    ) -> str:
        """Start a game; returns its stream."""
        game_id = uuid.uuid4().hex
        order = GameRequested(
            1, "TOMBOLA", game_id, 1, [SeatOccupant(player=one) for one in people],
            {**TOMBOLA.defaults(), **settings}, host=host or people[0],
            previous=UNSET if previous is None else previous,
        )  # fmt: skip
        await self.order(order)
        stream = f"tombola-{game_id}"
        await until(lambda: self.look(stream))
        return stream

    async def send(
        self, stream: str, player: str, command: Struct, *, key: str = "", expected: int | None = None
    ) -> Any:
        return await self.client.send(
            "tombola", stream,
            Command(
                actor=Actor("player", player), data=Raw(canonical.encode(command)), type=type(command).__name__,
                id=key or uuid.uuid4().hex, expected=UNSET if expected is None else expected,
            ),
        )  # fmt: skip

    async def do(self, stream: str, player: str, command: Struct, **how: Any) -> TombolaView:
        """It must be done; the view of who did it."""
        answer = await self.send(stream, player, command, **how)
        assert isinstance(answer, Done), answer
        return msgspec.json.decode(answer.view, type=TombolaView)

    async def refused(self, stream: str, player: str, command: Struct, **how: Any) -> RefusalCode:
        answer = await self.send(stream, player, command, **how)
        assert isinstance(answer, Refused), answer
        return answer.code

    async def ask(self, stream: str, player: str = "", after: int | None = None) -> Seen | None:
        answer = await self.client.send("tombola", stream, Ask(player, UNSET if after is None else after))
        if isinstance(answer, Refused):
            assert answer.code is RefusalCode.NOT_FOUND
            return None
        assert isinstance(answer, Seen)
        return answer

    async def look(self, stream: str, player: str = "") -> TombolaView | None:
        seen = await self.ask(stream, player)
        return None if seen is None else msgspec.json.decode(seen.view, type=TombolaView)

    async def seen(self, stream: str, player: str = "") -> TombolaView:
        view = await self.look(stream, player)
        assert view is not None
        return view

    async def watch(self, stream: str, audience: str) -> list[Pushed]:
        """Everything that is pushed to an audience from now on."""
        got: list[Pushed] = []
        await self.bus.subscribe(
            f"view.{stream}.{audience}", lambda message: got.append(pushed_decoder.decode(message.data))
        )
        await self.bus.flush()
        return got

    async def settle(self) -> None:
        """What was pushed by now has arrived."""
        await self.bus.flush()
        await asyncio.sleep(0.05)


@asynccontextmanager
async def opened(database: str, nats_url: str) -> AsyncIterator[Club]:
    async with AsyncExitStack() as closing:
        for schema in ("rooms", "tombola"):
            await migrate(database, schema, KIT)
        bus = await NatsBus.connect(nats_url, name="tests")
        closing.push_async_callback(bus.close)
        with suppress(NotFoundError):  # the feed of another test's database
            await bus.client.jetstream().delete_stream("LOG_tombola")
        yield Club(Settings(postgres_url=database, nats_url=nats_url), bus, closing)


async def until(what: Callable[[], Awaitable[Any]], seconds: float = 15.0) -> Any:
    async with asyncio.timeout(seconds):
        while True:
            found = await what()
            if found:
                return found
            await asyncio.sleep(0.02)


async def stored(service: TombolaService, stream: str) -> list[Any]:
    return [REGISTRY.decode(row.type, row.schema_v, row.data) for row in await service.store.read_stream(stream)]
