"""The rooms and one service of games in the test's own process, on real servers: talked to as a gateway does, with a
clock that is put forward, not waited for.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import circolo_events
import circolo_rooms
import circolo_trivia
import msgspec
from circolo_contracts.rooms import JoinRoom, RoomView
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Seen, encoder
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_rooms.service import GAME_SERVICES
from circolo_rooms.service import compose as compose_rooms
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Raw, Struct
from nats.js.errors import NotFoundError

KIT = ("kit", Path(circolo_events.__file__).parent / "migrations")
OWN = {
    name: (name, Path(package.__file__ or "").parents[2] / "migrations")
    for name, package in (("rooms", circolo_rooms), ("trivia", circolo_trivia))
}
ROOMS = Actor("service", "rooms")


class Lobby:
    """A room and its people."""

    def __init__(self, client: CommandClient, clocks: list[DatabaseClock]) -> None:
        self.client = client
        self.clocks = clocks
        self.room = ""
        """Its code until the people are in, then its id."""

    def later(self, ms: int) -> None:
        for clock in self.clocks:
            clock.offset_ms += ms

    async def send(self, service: str, stream: str, data: Struct, who: Actor | str) -> Answer:
        actor = Actor("player", who) if isinstance(who, str) else who
        command = Command(actor=actor, data=Raw(encoder.encode(data)), id=uuid.uuid4().hex, type=type(data).__name__)
        return await self.client.send(service, stream, command)

    async def in_room(self, data: Struct, who: Actor | str) -> RoomView:
        stream = f"code-{self.room}" if isinstance(data, JoinRoom) else f"room-{self.room}"
        answer = await self.send("rooms", stream, data, who)
        assert isinstance(answer, Done), answer
        return msgspec.json.decode(answer.view, type=RoomView)

    async def room_seen(self, viewer: str) -> RoomView:
        answer = await self.client.send("rooms", f"room-{self.room}", Ask(viewer))
        assert isinstance(answer, Seen), answer
        return msgspec.json.decode(answer.view, type=RoomView)


async def until(what: Callable[[], Awaitable[Any]], seconds: float = 15.0) -> Any:
    async with asyncio.timeout(seconds):
        while True:
            found = await what()
            if found:
                return found
            await asyncio.sleep(0.02)


@asynccontextmanager
async def rooms_and(
    game: str, compose_game: Callable[[Platform], Awaitable[Any]], database: str, nats_url: str, folder: Path
) -> AsyncIterator[tuple[CommandClient, list[DatabaseClock]]]:
    """Who asks the two services, and their clocks."""
    pem = folder / "token.pem"
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    pem.write_bytes(Ed25519PrivateKey.generate().private_bytes(*form))
    for name in ("rooms", *GAME_SERVICES):
        await migrate(database, name, [KIT, *([OWN[name]] if name in OWN else [])])
    async with AsyncExitStack() as closing:
        bus = await NatsBus.connect(nats_url, name=f"{game}-evening")
        closing.push_async_callback(bus.close)
        for log in ("LOG_rooms", f"LOG_{game}"):
            with suppress(NotFoundError):  # the feed of another test's database
                await bus.client.jetstream().delete_stream(log)
        settings = Settings(postgres_url=database, nats_url=nats_url, token_private_key_file=pem)
        clocks = []
        compositions: list[tuple[str, Callable[[Platform], Awaitable[Any]]]] = [
            ("rooms", compose_rooms), (game, compose_game),
        ]  # fmt: skip
        for name, compose in compositions:
            pool = await pools.create(settings, name, name=name)
            closing.push_async_callback(pool.close)
            clock = DatabaseClock()
            await clock.measure(pool)
            clocks.append(clock)
            service = await compose(Platform(name, settings, bus, pool, clock, name))
            await service.start()
            closing.push_async_callback(service.stop)
        yield CommandClient(bus), clocks
