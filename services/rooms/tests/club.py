"""A whole rooms service on real servers, and people who talk to it over NATS as the gateway does."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import circolo_events
import msgspec
from circolo_contracts.rooms import CreateRoom, PlayerView, RoomView, SignInAsGuest, Token
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Refused, Seen, encoder
from circolo_events.bus import NatsBus
from circolo_events.canonical import client_command_id
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_rooms.service import GAME_SERVICES, Rooms, compose
from circolo_service.migrate import migrate
from circolo_service.platform import Platform
from circolo_service.settings import Settings
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import Raw, Struct
from nats.js.errors import NotFoundError

KIT = Path(circolo_events.__file__).parent / "migrations"
OWN = Path(__file__).parents[1] / "migrations"
GATEWAY = Actor("service", "gateway")


class SkippingClock(DatabaseClock):
    """The database's clock, which a test may put forward."""

    def skip(self, ms: int) -> None:
        self.offset_ms += ms


class Club:
    """``send`` and ``ask`` go over NATS; ``rooms`` and ``pool`` are for looking behind the counter."""

    def __init__(self, rooms: Rooms, bus: NatsBus, pool: asyncpg.Pool, clock: SkippingClock, key: Ed25519PrivateKey):
        self.rooms = rooms
        self.bus = bus
        self.pool = pool
        self.clock = clock
        self.key = key
        self.client = CommandClient(bus, attempt=2.0, total=5.0)

    async def send(
        self, stream: str, data: Struct, *, who: Actor | str, key: str | None = None, digest: str = ""
    ) -> Answer:
        """``key`` is the command id; without it the command is a new one."""
        actor = Actor("player", who) if isinstance(who, str) else who
        command = Command(
            actor=actor, data=Raw(encoder.encode(data)), id=key or uuid.uuid4().hex, type=type(data).__name__,
            at=self.clock.now(), digest=digest,
        )  # fmt: skip
        return await self.client.send("rooms", stream, command)

    async def done(self, stream: str, data: Struct, **how: Any) -> Done:
        answer = await self.send(stream, data, **how)
        assert isinstance(answer, Done), answer
        return answer

    async def refused(self, stream: str, data: Struct, **how: Any) -> Refused:
        answer = await self.send(stream, data, **how)
        assert isinstance(answer, Refused), answer
        return answer

    async def ask(self, stream: str, viewer: str = "") -> Answer:
        return await self.client.send("rooms", stream, Ask(viewer=viewer))

    async def look(self, stream: str, viewer: str = "") -> RoomView:
        answer = await self.ask(stream, viewer)
        assert isinstance(answer, Seen), answer
        return room_view(answer)

    async def guest(self, name: str = "Anna") -> str:
        """A new player's id."""
        player = uuid.uuid4().hex
        await self.done(f"player-{player}", SignInAsGuest(name), who=player)
        return player

    async def room(self, host: str, visibility: str = "PUBLIC", **settings: Any) -> RoomView:
        stream = f"room-{client_command_id(host, uuid.uuid4().hex)}"
        wish = CreateRoom("BRISCOLA", settings, visibility)  # type: ignore[arg-type]
        return room_view(await self.done(stream, wish, who=host))

    async def event_types(self, stream: str) -> list[str]:
        return [e.type for e in await self.rooms.store.read_stream(stream)]

    async def until(self, holds: Callable[[], Awaitable[bool]], seconds: float = 5.0) -> None:
        async with asyncio.timeout(seconds):
            while not await holds():
                await asyncio.sleep(0.02)


def room_view(answer: Done | Seen) -> RoomView:
    return msgspec.json.decode(answer.view, type=RoomView)


def player_view(answer: Done | Seen) -> PlayerView:
    return msgspec.json.decode(answer.view, type=PlayerView)


def token_of(answer: Done) -> Token:
    assert isinstance(answer.extra, Raw)
    return msgspec.json.decode(answer.extra, type=Token)


async def prepare(database: str) -> None:
    await migrate(database, "rooms", [("kit", KIT), ("rooms", OWN)])
    for source in GAME_SERVICES:
        await migrate(database, source, [("kit", KIT)])


def new_key(folder: Path) -> Path:
    """A PEM file with a fresh key to sign tokens with."""
    pem = folder / f"key-{uuid.uuid4().hex}.pem"
    pem.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return pem


def schema_pool(database: str, schema: str) -> Any:
    return asyncpg.create_pool(database, min_size=1, max_size=5, server_settings={"search_path": schema})


@asynccontextmanager
async def opened_club(database: str, nats_url: str, folder: Path) -> AsyncIterator[Club]:
    """The service on an already prepared database."""
    pem = new_key(folder)
    key = load_pem_private_key(pem.read_bytes(), password=None)
    assert isinstance(key, Ed25519PrivateKey)
    settings = Settings(postgres_url=database, nats_url=nats_url, token_private_key_file=pem)
    bus = await NatsBus.connect(nats_url, name="rooms-test")
    async with schema_pool(database, "rooms") as pool:
        clock = SkippingClock()
        await clock.measure(pool)
        rooms = await compose(Platform("rooms", settings, bus, pool, clock, "rooms"))
        await rooms.start()
        try:
            yield Club(rooms, bus, pool, clock, key)
        finally:
            await rooms.stop()
            with suppress(NotFoundError):
                await bus.client.jetstream().delete_stream("LOG_rooms")
            await bus.close()
