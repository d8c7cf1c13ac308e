"""The service as a process that is killed in every phase: the night goes on with the same numbers, clock and scores."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest
from circolo_contracts.games import TRIVIA, SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.trivia import AnswerQuestion, Buzz, NextQuestion, OrderTrivia, PickTile, Stake
from circolo_contracts.trivia_view import TriviaView
from circolo_contracts.wire import Answer, Command, Done, Refused
from circolo_events import canonical
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_service.settings import Settings
from circolo_trivia.errands import TRIVIA_ITSELF
from circolo_trivia.rehearsal import player
from msgspec import Raw, Struct
from trivia_club import Club, prepared


class Keeper:
    """Starts the service again whenever it is told to kill it."""

    def __init__(self, database: str, nats_url: str, log: Path) -> None:
        self.environment = {**os.environ, "CIRCOLO_POSTGRES_URL": database, "CIRCOLO_NATS_URL": nats_url}
        self.log = log
        self.process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "circolo_trivia", env=self.environment, stdout=output, stderr=output
            )

    async def stop(self, how: signal.Signals) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(how)
        return await self.process.wait()

    async def kill(self) -> None:
        await self.stop(signal.SIGKILL)
        await self.start()


@pytest.fixture
async def keeper(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Keeper]:
    await prepared(database)
    started = Keeper(database, nats_url, tmp_path / "trivia.log")
    await started.start()
    yield started
    assert await started.stop(signal.SIGTERM) == 0, "it drains"
    assert b"Traceback" not in started.log.read_bytes()


class Players(Club):
    """Ask until they are answered."""

    def __init__(self, database: str, nats_url: str, bus: NatsBus, closing: AsyncExitStack) -> None:
        super().__init__(Settings(postgres_url=database, nats_url=nats_url), bus, closing)
        self.client = CommandClient(bus, attempt=0.5, total=30)

    async def sit_down(self, **settings: SettingValue) -> str:
        stream = f"trivia-{uuid.uuid4().hex}"
        order = OrderTrivia(
            "TRIVIA", 1, player(0), "b" * 32, [SeatOccupant(player=player(n)) for n in range(2)],
            {**TRIVIA.defaults(), **settings}, totals=[500, 400],
        )  # fmt: skip
        command = Command(TRIVIA_ITSELF, Raw(canonical.encode(order)), uuid.uuid4().hex, "OrderTrivia")
        assert isinstance(await self.client.send("trivia", stream, command), Done)
        return stream

    async def when_it_counts(self, stream: str, seat: int, data: Struct) -> Done:
        """Again until it is not too early any more."""
        while True:
            answer: Answer = await self.send(stream, seat, data)
            if isinstance(answer, Done):
                return answer
            assert isinstance(answer, Refused)
            assert answer.code == "TOO_EARLY", answer
            await asyncio.sleep(0.1)


@pytest.fixture
async def players(keeper: Keeper, database: str, nats_url: str) -> AsyncIterator[Players]:
    async with AsyncExitStack() as closing:
        bus = await NatsBus.connect(nats_url, name="players")
        closing.push_async_callback(bus.close)
        yield Players(database, nats_url, bus, closing)


async def killed(keeper: Keeper, players: Players, *streams: str) -> list[str]:
    """The service dies and comes again: everybody sees the same, clocks and scores included. Returns the phases."""
    audiences = (None, 0, 1)
    before = {(stream, seat): await players.seen(stream, seat) for stream in streams for seat in audiences}
    await keeper.kill()
    for (stream, seat), then in before.items():
        assert await players.seen(stream, seat) == then
    return [before[stream, None].phase for stream in streams]


async def test_killed_in_every_phase_the_evening_goes_on_as_it_was(keeper: Keeper, players: Players) -> None:
    quiz = await players.sit_down(seconds=60)
    board = await players.sit_down(mode="SHOWDOWN")
    final = await players.sit_down(mode="TUTTO_O_NIENTE")
    await players.done(final, 0, Stake(300))
    assert await killed(keeper, players, board, final) == ["PICK", "STAKE"]
    await players.seen(quiz, phase="OPEN")

    await players.when_it_counts(quiz, 1, AnswerQuestion(2, 1))
    view = await players.seen(board)
    await players.done(board, view.control, PickTile(view.board[0].category, 200))  # type: ignore[arg-type]
    await players.done(final, 1, Stake(400))
    assert await killed(keeper, players, quiz, board, final) == ["OPEN", "BUZZ", "ANSWER"]

    await players.done(quiz, 0, AnswerQuestion(2, 1))
    await players.when_it_counts(board, 1, Buzz(1))
    await players.done(final, 0, AnswerQuestion(0, 1))
    await players.done(final, 1, AnswerQuestion(1, 1))
    assert await killed(keeper, players, quiz, board, final) == ["REVEAL", "ANSWER", "REVEAL"]

    await players.done(board, 1, AnswerQuestion(3, 1))
    await players.done(quiz, 0, NextQuestion())
    await players.done(final, 0, NextQuestion())
    phases = await killed(keeper, players, board, final)
    assert phases[0] in ("REVEAL", "BUZZ")
    ended = await players.seen(final)
    assert (ended.status, ended.result is not msgspec.UNSET) == ("ENDED", True)


async def test_a_deadline_that_passed_while_the_service_was_away_closes_once_with_what_was_said_in_time(
    keeper: Keeper, players: Players
) -> None:
    quiz = await players.sit_down(seconds=5, speedPoints=False)
    await players.done(quiz, 0, NextQuestion())
    await players.when_it_counts(quiz, 1, AnswerQuestion(0, 1))
    view: TriviaView = await players.seen(quiz, phase="OPEN")
    await keeper.stop(signal.SIGKILL)
    await asyncio.sleep(5)
    await keeper.start()
    closed = await players.seen(quiz, phase="REVEAL")
    assert closed.version == view.version + 1
    assert closed.reveal.reason == "TIME"  # type: ignore[union-attr]
    points = 1000 if closed.reveal.answer == 0 else 0  # type: ignore[union-attr]
    assert [team.total for team in closed.teams] == [500, 400 + points]


async def test_killed_before_a_question_opens_it_opens_when_it_was_to_and_not_before(
    keeper: Keeper, players: Players
) -> None:
    """READY lasts three seconds and a restart may take longer: either way the question opens once, by the old clock."""
    quiz = await players.sit_down(seconds=60)
    ready = await players.seen(quiz, phase="READY")
    assert isinstance(ready.deadline, int)
    await keeper.kill()
    opened = await players.seen(quiz, phase="OPEN")
    assert isinstance(opened.open_at, int)
    assert ready.deadline < opened.open_at
    assert (opened.question_count, opened.teams) == (ready.question_count, ready.teams)
    assert opened.version == ready.version + 1, "it was opened once"
    await players.when_it_counts(quiz, 0, AnswerQuestion(2, 1))
