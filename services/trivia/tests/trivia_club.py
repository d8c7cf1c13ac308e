"""A trivia service on a real Postgres and NATS, and the rooms' log that it reads; no other service runs."""

from __future__ import annotations

import asyncio
import base64
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import circolo_events
import msgspec
from circolo_contracts.games import TRIVIA, SettingValue
from circolo_contracts.questions import FileFormat, ImportQuestions, ImportReport, PreviewQuestions
from circolo_contracts.rooms import GameRequested, SeatOccupant
from circolo_contracts.trivia import TriviaEvent
from circolo_contracts.trivia_view import TriviaView
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Refused, Seen
from circolo_events import canonical
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from circolo_trivia.registry import REGISTRY
from circolo_trivia.rehearsal import player
from circolo_trivia.service import TriviaNights, compose
from msgspec import UNSET, Raw, Struct
from nats.js.errors import NotFoundError

KIT = ("kit", Path(circolo_events.__file__).parent / "migrations")
OWN = ("trivia", Path(__file__).parents[1] / "migrations")


async def prepared(database: str) -> None:
    await migrate(database, "rooms", [KIT])
    await migrate(database, "trivia", [KIT, OWN])


class Club:
    def __init__(self, settings: Settings, bus: NatsBus, closing: AsyncExitStack) -> None:
        self.settings = settings
        self.bus = bus
        self.client = CommandClient(bus)
        self.room = uuid.uuid4().hex
        self._closing = closing
        self._rooms: Appender | None = None
        self._games = 0
        self._clocks: list[DatabaseClock] = []

    async def open(self) -> TriviaNights:
        """Another replica."""
        pool = await pools.create(self.settings, "trivia", name="trivia")
        self._closing.push_async_callback(pool.close)
        clock = DatabaseClock()
        await clock.measure(pool)
        self._clocks.append(clock)
        service = await compose(Platform("trivia", self.settings, self.bus, pool, clock, "trivia"))
        await service.start()
        return service

    def later(self, ms: float) -> None:
        """All replicas' clocks go forward, so that nobody has to wait."""
        for clock in self._clocks:
            clock.offset_ms += ms

    async def room_says(self, event: Struct, *, stream: str = "") -> None:
        """What rooms would commit."""
        if self._rooms is None:
            self._rooms = Appender(lambda: pools.connect(self.settings, "rooms", name="rooms"))
            self._rooms.start()
            self._closing.push_async_callback(self._rooms.stop)
        new = NewEvent(uuid.uuid4().hex, type(event).__name__, 1, canonical.encode(event), b"{}")
        await self._rooms.append(Append(stream or f"room-{self.room}", ANY_VERSION, uuid.uuid4().hex, [new]))
        self.bus.publish("poke.rooms", b"")

    async def request(
        self, people: int = 3, *, previous: str = "", totals: Sequence[int] = (), **settings: SettingValue
    ) -> str:
        """Start a game; returns the night's stream."""
        game_id = uuid.uuid4().hex
        self._games += 1
        order = GameRequested(
            at=1, game="TRIVIA", game_id=game_id, game_no=self._games, host=player(0),
            seats=[SeatOccupant(player=player(n)) for n in range(people)],
            settings={**TRIVIA.defaults(), **settings}, previous=previous or UNSET, totals=list(totals) or UNSET,
        )  # fmt: skip
        await self.room_says(order)
        return f"trivia-{game_id}"

    async def send(
        self, stream: str, seat: int | str, data: Struct, *, key: str = "", at: int = 0, expected: int | None = None
    ) -> Answer:
        """From a seat's person, or anybody by his id."""
        actor = Actor("player", player(seat) if isinstance(seat, int) else seat)
        command = Command(
            actor=actor, data=Raw(msgspec.json.encode(data)), type=type(data).__name__, id=key or uuid.uuid4().hex,
            at=at, expected=UNSET if expected is None else expected,
        )  # fmt: skip
        return await self.client.send("trivia", stream, command)

    async def done(self, stream: str, seat: int, data: Struct) -> Done:
        answer = await self.send(stream, seat, data)
        assert isinstance(answer, Done), answer
        return answer

    async def look(self, stream: str, seat: int | None = None) -> TriviaView | None:
        answer = await self.client.send("trivia", stream, Ask("" if seat is None else player(seat)))
        if isinstance(answer, Refused):
            return None
        assert isinstance(answer, Seen)
        return msgspec.json.decode(answer.view, type=TriviaView)

    async def seen(self, stream: str, seat: int | None = None, *, phase: str = "") -> TriviaView:
        """The view, as soon as the night is there and in this phase."""

        async def there() -> TriviaView | None:
            view = await self.look(stream, seat)
            return view if view is not None and phase in ("", view.phase) else None

        view: TriviaView = await until(there)
        return view

    async def log(self, service: TriviaNights, stream: str) -> list[TriviaEvent]:
        rows = await service.store.read_stream(stream)
        return [REGISTRY.decode(row.type, row.schema_v, row.data) for row in rows]  # type: ignore[misc]

    async def hand_in(
        self, data: bytes, form: FileFormat, *, store: bool, key: str = "", seat: int = 0, theme: str = "storia"
    ) -> ImportReport | Refused:
        wish = (ImportQuestions if store else PreviewQuestions)(base64.b64encode(data).decode(), form, "EN", theme)
        answer = await self.send(f"bank-{player(seat)}", seat, wish, key=key)
        if isinstance(answer, Refused):
            return answer
        assert isinstance(answer, Done)
        return msgspec.json.decode(answer.extra, type=ImportReport)  # type: ignore[arg-type]


@asynccontextmanager
async def club_on(database: str, nats_url: str) -> AsyncIterator[Club]:
    async with AsyncExitStack() as closing:
        await prepared(database)
        bus = await NatsBus.connect(nats_url, name="tests")
        closing.push_async_callback(bus.close)
        with suppress(NotFoundError):  # the feed of another test's database
            await bus.client.jetstream().delete_stream("LOG_trivia")
        yield Club(Settings(postgres_url=database, nats_url=nats_url), bus, closing)


async def until(what: Callable[[], Awaitable[Any]], seconds: float = 20.0) -> Any:
    async with asyncio.timeout(seconds):
        while True:
            found = await what()
            if found:
                return found
            await asyncio.sleep(0.02)
