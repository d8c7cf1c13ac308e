"""``python -m bench trivia``: a reveal at a full table, a buzz, memory a room, files of questions a second.

The service runs in this process on the servers that Circolo brings, with fsync on; its subscribers are NATS
connections of the same process, so that what they take of the core is in their figures. Gateways are not measured. The
half second for which a question is shown before its clock starts is passed over by moving the service's clock.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import time
import tracemalloc
import uuid
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import circolo_events
from circolo_contracts.games import TRIVIA, SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.trivia import AnswerQuestion, Buzz, NextQuestion, OrderTrivia, PickTile, SkipQuestion
from circolo_contracts.wire import Actor, Answer, Command, Done, view_subject
from circolo_devstack.servers import Servers, embedded_servers
from circolo_devstack.temporary import temporary_folder
from circolo_events import canonical
from circolo_events.appender import Append, AppendFailed, Outcome
from circolo_events.bus import Message, NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from circolo_trivia.bank.importing import sorted_out
from circolo_trivia.board import categories, value_of
from circolo_trivia.rehearsal import Night, player
from circolo_trivia.service import TriviaNights, compose
from circolo_trivia.state import TriviaState
from msgspec import Raw, Struct

from .machine import described
from .processes import load_average

SEATS = 24
QUESTIONS = 30
LEAD_MS = 500
ROWS_OF_A_FILE = 1_000
REVEALED = b'"QuestionRevealed"'


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tables", type=int, default=4, help=f"full tables, of {QUESTIONS} questions each, in turn")
    parser.add_argument("--presses", type=int, default=200, help="double presses of the buzzer")


def run(options: argparse.Namespace) -> int:
    print(described())
    print(f"import: {_rows_a_second():,.0f} questions a second of CPU, of a file of {ROWS_OF_A_FILE:,}")
    print(f"memory: {_memory():.1f} KB a room of {SEATS} with {QUESTIONS} questions, half played")
    with temporary_folder() as folder, embedded_servers(folder) as servers:
        asyncio.run(_on_servers(servers, options))
    print(f"load average at the end {load_average():.1f}")
    return 0


def _rows_a_second() -> float:
    rows = [{"text": f"Question {n}?", "options": ["a", "b", "c", "d"], "answer": 1} for n in range(ROWS_OF_A_FILE)]
    data = json.dumps(rows).encode()
    begun = time.process_time()
    taken = sorted_out(data, "JSON", "EN", "storia").taken
    return len(taken) / (time.process_time() - begun)


def _memory(rooms: int = 200) -> float:
    """KB of what the service keeps of a live game: its state with all questions."""
    tracemalloc.start()
    kept = [_half_played(number) for number in range(rooms)]
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / len(kept) / 1024


def _half_played(number: int) -> TriviaState:
    night = Night(SEATS, seed=number, questions=QUESTIONS)
    for _ in range(QUESTIONS // 2):
        night.opened()
        for seat in range(SEATS):
            night.by(seat, AnswerQuestion((seat + number) % 4, night.state.no))
        night.by(0, NextQuestion())
    return night.state


# ---------------------------------------------------------------- on servers


class _Hall:
    """A trivia service, and a way to talk to it."""

    def __init__(self, service: TriviaNights, client: CommandClient, clock: DatabaseClock) -> None:
        self.service = service
        self.client = client
        self.clock = clock
        self.committed = 0.0
        """``perf_counter`` of the last commit, before anything was made of it."""
        self._submit = service.appender.submit
        service.appender.submit = self._noting  # type: ignore[method-assign]  # to know when its statement returned

    def _noting(self, item: Append, done: Callable[[Outcome | AppendFailed], None]) -> None:
        def noted(outcome: Outcome | AppendFailed) -> None:
            self.committed = time.perf_counter()
            done(outcome)

        self._submit(item, noted)

    async def ask(self, stream: str, actor: Actor, data: Struct) -> Answer:
        command = Command(actor, Raw(canonical.encode(data)), uuid.uuid4().hex, type(data).__name__)
        return await self.client.send("trivia", stream, command)

    async def say(self, stream: str, seat: int, data: Struct) -> Done:
        answer = await self.ask(stream, Actor("player", player(seat)), data)
        assert isinstance(answer, Done), answer
        return answer

    async def open(self, seats: int, **settings: SettingValue) -> str:
        stream = f"trivia-{uuid.uuid4().hex}"
        order = OrderTrivia(
            "TRIVIA", 1, player(0), "8" * 32, [SeatOccupant(player=player(n)) for n in range(seats)],
            {**TRIVIA.defaults(), **settings},
        )  # fmt: skip
        answer = await self.ask(stream, Actor("service", "trivia"), order)
        assert isinstance(answer, Done), answer
        return stream

    def later(self, ms: int) -> None:
        self.clock.offset_ms += ms


async def _on_servers(servers: Servers, options: argparse.Namespace) -> None:
    kit = ("kit", Path(circolo_events.__file__).parent / "migrations")
    own = ("trivia", Path(__file__).parents[1] / "services" / "trivia" / "migrations")
    settings = Settings(postgres_url=servers.postgres_url, nats_url=servers.nats_url)
    async with AsyncExitStack() as closing:
        await migrate(servers.postgres_url, "rooms", [kit])
        await migrate(servers.postgres_url, "trivia", [kit, own])
        buses = [await NatsBus.connect(servers.nats_url, name="bench") for _ in range(SEATS + 2)]
        for bus in buses:
            closing.push_async_callback(bus.close)
        pool = await pools.create(settings, "trivia", name="trivia")
        closing.push_async_callback(pool.close)
        clock = DatabaseClock()
        await clock.measure(pool)
        service = await compose(Platform("trivia", settings, buses[0], pool, clock, "trivia"))
        await service.start()
        closing.push_async_callback(service.stop)
        hall = _Hall(service, CommandClient(buses[1]), clock)
        print(f"\n{SEATS} seats, each its own connection to NATS:\n")
        print("| from | p50 ms | p99 ms | slowest ms |\n|---|---|---|---|")
        await _reveals(hall, buses[2:], options.tables)
        await _presses(hall, options.presses)


async def _reveals(hall: _Hall, buses: Sequence[NatsBus], tables: int) -> None:
    """All answer in one moment; it is over when the last of the subscribers has the reveal."""
    from_first: list[float] = []
    from_commit: list[float] = []
    for _ in range(tables):
        stream = await hall.open(SEATS, questions=QUESTIONS, teams=4)
        revealed = asyncio.Semaphore(0)

        def heard(message: Message, got: asyncio.Semaphore = revealed) -> None:
            if REVEALED in message.data:
                got.release()

        subscriptions = [
            await bus.subscribe(view_subject(stream, f"seat-{seat}"), heard) for seat, bus in enumerate(buses)
        ]
        for bus in buses:
            await bus.flush()
        for no in range(1, QUESTIONS + 1):
            await hall.say(stream, 0, NextQuestion())
            hall.later(LEAD_MS)
            begun = time.perf_counter()
            answers = asyncio.gather(*(hall.say(stream, seat, AnswerQuestion(seat % 4, no)) for seat in range(SEATS)))
            for _ in range(SEATS):
                await revealed.acquire()
            over = time.perf_counter()
            from_first.append((over - begun) * 1000)
            from_commit.append((over - hall.committed) * 1000)
            await answers
            await hall.say(stream, 0, NextQuestion())
        for subscription in subscriptions:
            await subscription.unsubscribe()
    _row("the reveal's commit to the last of 24", from_commit)
    _row("24 answers at once, the first tap to the last of 24", from_first)


async def _presses(hall: _Hall, count: int) -> None:
    """Two press in one moment; it is over when both know who was first."""
    found: list[float] = []
    while len(found) < count:
        stream = await hall.open(4, mode="SHOWDOWN", categories=6)
        for no in range(1, min(24, count - len(found)) + 1):
            state: TriviaState = await hall.service.runtime.state(stream)
            tile = no - 1
            picked = PickTile(categories(state.questions)[tile // 4], value_of(tile))
            await hall.say(stream, state.control, picked)
            hall.later(LEAD_MS)
            begun = time.perf_counter()
            pair = [hall.ask(stream, Actor("player", player(seat)), Buzz(no)) for seat in (no % 4, (no + 1) % 4)]
            told = await asyncio.gather(*pair)
            found.append((time.perf_counter() - begun) * 1000)
            assert sum(isinstance(answer, Done) for answer in told) == 1
            await hall.say(stream, 0, SkipQuestion())
            await hall.say(stream, 0, NextQuestion())
    _row("a double press to both answers", found)


def _row(name: str, found: Sequence[float]) -> None:
    cut = statistics.quantiles(found, n=100, method="inclusive")
    print(f"| {name} | {cut[49]:.1f} | {cut[98]:.1f} | {max(found):.1f} |")
