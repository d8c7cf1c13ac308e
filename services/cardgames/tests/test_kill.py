"""The service as a process that is killed in the middle of a match; its players repeat what was not answered."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import circolo_events
import msgspec
import pytest
from circolo_contracts.cardgames import MatchView, PlayCard, StartMatch
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Seen
from circolo_events import canonical
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_service.migrate import migrate
from msgspec import Raw, Struct

KIT = [("kit", Path(circolo_events.__file__).parent / "migrations")]
PEOPLE = [f"{0xA:032x}", f"{0xB:032x}"]


class Keeper:
    """Starts the service again whenever it is told to kill it."""

    def __init__(self, database: str, nats_url: str, log: Path) -> None:
        self.environment = {**os.environ, "CIRCOLO_POSTGRES_URL": database, "CIRCOLO_NATS_URL": nats_url}
        self.log = log
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "circolo_cardgames", env=self.environment, stdout=output, stderr=output
            )

    async def stop(self, how: signal.Signals) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(how)
        return await self.process.wait()


@pytest.fixture
async def keeper(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Keeper]:
    await migrate(database, "rooms", KIT)
    started = Keeper(database, nats_url, tmp_path / "cardgames.log")
    await started.start()
    yield started
    assert await started.stop(signal.SIGTERM) == 0, "it drains"
    assert b"Traceback" not in started.log.read_bytes()


async def test_kill_9_in_the_middle_of_a_match_loses_no_card_and_plays_none_twice(
    keeper: Keeper, database: str, nats_url: str
) -> None:
    stream = f"match-{uuid.uuid4().hex}"
    async with AsyncExitStack() as closing:
        bus = await NatsBus.connect(nats_url, name="players")
        closing.push_async_callback(bus.close)
        client = CommandClient(bus, attempt=0.5, total=20)

        async def send(actor: Actor, data: Struct) -> Answer:
            """Under one id until it is answered."""
            command = Command(actor, Raw(canonical.encode(data)), uuid.uuid4().hex, type(data).__name__)
            return await client.send("cardgames", stream, command)

        seats = [SeatOccupant(player=player) for player in PEOPLE]
        start = StartMatch("BRISCOLA", 1, "b" * 32, seats, {"players": 2, "bestOf": 1})
        assert isinstance(await send(Actor("service", "cardgames"), start), Done)
        accepted: list[str] = []
        while True:
            look = await client.send("cardgames", stream, Ask())
            assert isinstance(look, Seen)
            turn = msgspec.json.decode(look.view, type=MatchView).turn
            if not isinstance(turn, int):
                break
            mine = await client.send("cardgames", stream, Ask(PEOPLE[turn]))
            assert isinstance(mine, Seen)
            card = msgspec.json.decode(mine.view, type=MatchView).hand[0]  # type: ignore[index]
            move = asyncio.create_task(send(Actor("player", PEOPLE[turn]), PlayCard(card)))
            if len(accepted) in (5, 17, 30):
                await asyncio.sleep((len(accepted) % 3) * 0.001)
                await keeper.stop(signal.SIGKILL)
                await keeper.start()
            answer = await move
            assert isinstance(answer, Done), answer
            accepted.append(card)
    connection = await asyncpg.connect(database)
    try:
        rows = await connection.fetch(
            "SELECT type, data, version FROM cardgames.event WHERE stream = $1 ORDER BY version", stream
        )
    finally:
        await connection.close()
    stored = [msgspec.json.decode(row["data"])["card"] for row in rows if row["type"] == "CardPlayed"]
    assert stored == accepted
    assert len(stored) == 40
    assert [row["version"] for row in rows] == list(range(1, len(rows) + 1))
