"""The service as a process that is killed in every phase of a game; its people repeat what was not answered."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import asyncpg
import circolo_events
import msgspec
import pytest
from cartelle import A, B
from circolo_contracts.games import TOMBOLA
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.tombola import (
    ClaimAll,
    DrawNumber,
    MarkNumber,
    PauseCalling,
    ResumeCalling,
    SetCalling,
    StartTombola,
    TombolaView,
)
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Refused, Seen
from circolo_events import canonical
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_service.migrate import migrate
from msgspec import Raw, Struct

KIT = [("kit", Path(circolo_events.__file__).parent / "migrations")]


class Keeper:
    """Starts the service again whenever it is told to kill it."""

    def __init__(self, database: str, nats_url: str, log: Path) -> None:
        path = os.pathsep.join(entry for entry in sys.path if entry)
        urls = {"CIRCOLO_POSTGRES_URL": database, "CIRCOLO_NATS_URL": nats_url, "PYTHONPATH": path}
        self.environment = {**os.environ, **urls}
        self.log = log
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "circolo_tombola", env=self.environment, stdout=output, stderr=output
            )

    async def stop(self, how: signal.Signals) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(how)
        return await self.process.wait()


@pytest.fixture
async def keeper(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Keeper]:
    await migrate(database, "rooms", KIT)
    started = Keeper(database, nats_url, tmp_path / "tombola.log")
    await started.start()
    yield started
    assert await started.stop(signal.SIGTERM) == 0, "it drains"
    assert b"Traceback" not in started.log.read_bytes()


class Evening:
    """A game of two; each command may find the service killed at any moment of it."""

    def __init__(self, keeper: Keeper, client: CommandClient) -> None:
        self.keeper = keeper
        self.client = client
        self.stream = f"tombola-{uuid.uuid4().hex}"

    async def say(self, actor: Actor, data: Struct) -> Answer:
        """Under one id until it is answered."""
        command = Command(actor, Raw(canonical.encode(data)), uuid.uuid4().hex, type(data).__name__)
        return await self.client.send("tombola", self.stream, command)

    async def killed_while(self, player: str, data: Struct, after: float) -> TombolaView:
        """The process dies that many seconds after the command was sent."""
        said = asyncio.create_task(self.say(Actor("player", player), data))
        await asyncio.sleep(after)
        await self.keeper.stop(signal.SIGKILL)
        await self.keeper.start()
        answer = await said
        assert isinstance(answer, Done), answer
        return await self.seen(player)

    async def seen(self, player: str = "") -> TombolaView:
        answer = await self.client.send("tombola", self.stream, Ask(player))
        assert isinstance(answer, Seen), answer
        return msgspec.json.decode(answer.view, type=TombolaView)


async def test_kill_9_in_every_phase_loses_no_call_no_mark_and_no_prize(
    keeper: Keeper, database: str, nats_url: str
) -> None:
    async with AsyncExitStack() as closing:
        bus = await NatsBus.connect(nats_url, name="players")
        closing.push_async_callback(bus.close)
        evening = Evening(keeper, CommandClient(bus, attempt=0.5, total=20))
        seats = [SeatOccupant(player=A), SeatOccupant(player=B)]
        start = StartTombola("TOMBOLA", 1, A, "8" * 32, seats, TOMBOLA.defaults())
        assert isinstance(await evening.say(Actor("service", "tombola"), start), Done)
        ticket = (await evening.seen(A)).ticket

        view = await evening.killed_while(A, DrawNumber(), 0.0)
        assert len(view.called) == 1
        view = await evening.killed_while(A, MarkNumber(True, ticket[0][0]), 0.001)  # type: ignore[index]
        assert (view.marks, view.ticket) == ([ticket[0][0]], ticket)  # type: ignore[index]
        view = await evening.killed_while(A, SetCalling("AUTOMATIC", 3), 0.002)
        assert view.calling == "AUTOMATIC"
        due = view.deadline
        assert isinstance(due, int)
        await asyncio.sleep(3.5)
        view = await evening.seen(A)
        assert len(view.called) == 2, "the same clock, kept by the database"
        view = await evening.killed_while(A, PauseCalling(), 0.003)
        assert view.paused == "HOST"
        assert isinstance(await evening.say(Actor("player", A), ResumeCalling()), Done)
        assert isinstance(await evening.say(Actor("player", A), SetCalling("MANUAL")), Done)
        await play_on(evening)
    await the_log_agrees(database, evening)


async def play_on(evening: Evening) -> None:
    """To the tombola; a claim in the middle finds the service dying, and a mark after the end too."""
    killed = False
    while (await evening.seen()).status == "RUNNING":
        await evening.say(Actor("player", A), DrawNumber())
        for player in (A, B):
            claim = asyncio.create_task(evening.say(Actor("player", player), ClaimAll()))
            if not killed and len((await evening.seen()).called) > 30:
                killed = True
                await evening.keeper.stop(signal.SIGKILL)
                await evening.keeper.start()
            answer = await claim
            assert isinstance(answer, (Done, Refused))
    view = await evening.killed_while(A, MarkNumber(True, (await evening.seen(A)).ticket[2][4]), 0.0)  # type: ignore[index]
    assert (view.status, view.result.outcome) == ("ENDED", "WON")  # type: ignore[union-attr]


async def the_log_agrees(database: str, evening: Evening) -> None:
    connection = await asyncpg.connect(database)
    try:
        rows: list[Any] = await connection.fetch(
            "SELECT type, data, version FROM tombola.event WHERE stream = $1 ORDER BY version", evening.stream
        )
    finally:
        await connection.close()
    events = [(row["type"], msgspec.json.decode(row["data"])) for row in rows]
    draws = [data for kind, data in events if kind == "NumberDrawn"]
    assert [row["version"] for row in rows] == [*range(1, len(rows) + 1)]
    assert [draw["seq"] for draw in draws] == [*range(1, len(draws) + 1)]
    assert [draw["number"] for draw in draws] == events[0][1]["draws"][: len(draws)]
    awards = [(data["prize"], data["seat"]) for kind, data in events if kind == "PrizeAwarded"]
    assert len(awards) == len(set(awards)), "none is awarded twice"
    assert [kind for kind, _ in events].count("MatchEnded") == 1
