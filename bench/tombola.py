"""``python -m bench tombola``: strips a second, a draw at a full table, a hundred tables by the clock, memory a room.

The service runs in this process on the servers that Circolo brings, with fsync on; its subscribers are NATS
connections of the same process, so that what they take of the core is in their figures. Gateways are not measured.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import statistics
import time
import tracemalloc
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import circolo_events
from circolo_contracts.chance import words
from circolo_contracts.games import TOMBOLA, SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.tombola import DrawNumber, MarkNumber, NumberDrawn, StartTombola, TombolaStarted
from circolo_contracts.wire import Actor, Command, Done, view_subject
from circolo_devstack.servers import Servers, embedded_servers
from circolo_devstack.temporary import temporary_folder
from circolo_events import canonical
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from circolo_events.clock import DatabaseClock
from circolo_service import Platform, Settings, pools
from circolo_service.migrate import migrate
from circolo_tombola.marks import Marks
from circolo_tombola.registry import REGISTRY
from circolo_tombola.rehearsal import Rehearsal
from circolo_tombola.service import TombolaService, compose
from circolo_tombola.tickets.counting import strips as count_strips
from circolo_tombola.tickets.strips import strip
from circolo_tombola.tickets.ticket import numbers_of
from msgspec import Raw, Struct

from .machine import described
from .processes import load_average

SEATS = 24
MARKED = 8
"""Numbers marked on each ticket of the table whose draws are timed, and of the rooms whose memory is counted."""
PEOPLE = [f"{seat + 1:032x}" for seat in range(SEATS)]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strips", type=int, default=5_000)
    parser.add_argument("--tables", type=int, default=5, help="full tables, of 90 draws each, one after the other")
    parser.add_argument("--rooms", type=int, default=100, help="on automatic calls at once")
    parser.add_argument("--every", type=int, default=3, help="seconds between their calls")
    parser.add_argument("--seconds", type=float, default=30.0, help="for which they are watched")


def run(options: argparse.Namespace) -> int:
    print(described())
    print(f"the table of counts: {_counting():.2f} s of CPU, once for each process")
    print(f"strips: {_strips(options.strips):,.0f} a second of CPU")
    print(f"memory: {_memory():.1f} KB a room of {SEATS} with {MARKED} marks on each ticket, half played")
    with temporary_folder() as folder, embedded_servers(folder) as servers:
        asyncio.run(_on_servers(servers, options))
    print(f"load average at the end {load_average():.1f}")
    return 0


def _counting() -> float:
    begun = time.process_time()
    count_strips()
    return time.process_time() - begun


def _strips(count: int) -> float:
    seeds = [hashlib.sha256(f"bench {number}".encode()).digest() for number in range(count)]
    begun = time.process_time()
    for seed in seeds:
        strip(words(seed, "tickets", 1))
    return count / (time.process_time() - begun)


def _memory(rooms: int = 200) -> float:
    """KB of what the service keeps of a live game: its state, and the marks of each seat."""
    tracemalloc.start()
    kept = [_half_played(number) for number in range(rooms)]
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / len(kept) / 1024


def _half_played(number: int) -> tuple[object, dict[int, Marks]]:
    game = Rehearsal(PEOPLE, TOMBOLA.defaults(), seed=hashlib.sha256(f"room {number}".encode()).digest())
    game.draw(45)
    marks = {
        seat: Marks(MARKED, frozenset(numbers_of(ticket)[:MARKED]), PEOPLE[seat])
        for seat, ticket in enumerate(game.state.tickets)
        if ticket is not None
    }
    return game.state, marks


# ---------------------------------------------------------------- on servers


class _Hall:
    """A tombola service, and a way to talk to it."""

    def __init__(self, service: TombolaService, client: CommandClient) -> None:
        self.service = service
        self.client = client
        self.committed = 0.0
        """``perf_counter`` of the last commit."""
        service.runtime.on_commit.append(self._note)

    def _note(self) -> None:
        self.committed = time.perf_counter()

    async def say(self, stream: str, actor: Actor, data: Struct) -> Done:
        command = Command(actor, Raw(canonical.encode(data)), uuid.uuid4().hex, type(data).__name__)
        answer = await self.client.send("tombola", stream, command)
        assert isinstance(answer, Done), answer
        return answer

    async def open(self, **settings: SettingValue) -> str:
        stream = f"tombola-{uuid.uuid4().hex}"
        seats = [SeatOccupant(player=player) for player in PEOPLE]
        start = StartTombola("TOMBOLA", 1, PEOPLE[0], "8" * 32, seats, {**TOMBOLA.defaults(), **settings})
        await self.say(stream, Actor("service", "tombola"), start)
        return stream


async def _on_servers(servers: Servers, options: argparse.Namespace) -> None:
    kit = [("kit", Path(circolo_events.__file__).parent / "migrations")]
    settings = Settings(postgres_url=servers.postgres_url, nats_url=servers.nats_url)
    async with AsyncExitStack() as closing:
        for schema in ("rooms", "tombola"):
            await migrate(servers.postgres_url, schema, kit)
        buses = [await NatsBus.connect(servers.nats_url, name="bench") for _ in range(SEATS + 2)]
        for bus in buses:
            closing.push_async_callback(bus.close)
        pool = await pools.create(settings, "tombola", name="tombola")
        closing.push_async_callback(pool.close)
        clock = DatabaseClock()
        await clock.start(pool)
        closing.push_async_callback(clock.stop)
        service = await compose(Platform("tombola", settings, buses[0], pool, clock, "tombola"))
        await service.start()
        closing.push_async_callback(service.stop)
        hall = _Hall(service, CommandClient(buses[1]))
        print(f"\n{SEATS} seats, each its own connection to NATS, {MARKED} marks on each ticket:\n")
        print("| from | p50 ms | p99 ms | slowest ms |\n|---|---|---|---|")
        await _draws(hall, buses[2:], options.tables)
        lateness = await _by_the_clock(hall, options.rooms, options.every, options.seconds)
        print(f"\n{options.rooms} rooms of {SEATS}, a call every {options.every} s, for {options.seconds:.0f} s:")
        print(f"{len(lateness):,} calls, late by p50 {_at(lateness, 50):.0f}, p99 {_at(lateness, 99):.0f}, ", end="")
        print(f"at most {max(lateness):.0f} ms")


async def _draws(hall: _Hall, buses: Sequence[NatsBus], tables: int) -> None:
    """The host's 90 calls, one after the other: each is over when the last of the subscribers has it."""
    from_tap: list[float] = []
    from_commit: list[float] = []
    for _ in range(tables):
        stream = await hall.open()
        await _marked(hall, stream)
        missing = asyncio.Semaphore(0)
        subscriptions = [
            await bus.subscribe(view_subject(stream, f"seat-{seat}"), lambda _, got=missing: got.release())  # type: ignore[misc]
            for seat, bus in enumerate(buses)
        ]
        for bus in buses:
            await bus.flush()
        for _ in range(90):
            begun = time.perf_counter()
            tap = asyncio.create_task(hall.say(stream, Actor("player", PEOPLE[0]), DrawNumber()))
            for _ in range(SEATS):
                await missing.acquire()
            over = time.perf_counter()
            from_tap.append((over - begun) * 1000)
            from_commit.append((over - hall.committed) * 1000)
            await tap
        for subscription in subscriptions:
            await subscription.unsubscribe()
    for name, found in (("the commit to the last of 24", from_commit), ("the host's tap to the last of 24", from_tap)):
        print(f"| {name} | {_at(found, 50):.1f} | {_at(found, 99):.1f} | {max(found):.1f} |")


async def _marked(hall: _Hall, stream: str) -> None:
    state = await hall.service.runtime.state(stream)
    marks = [
        hall.say(stream, Actor("player", player), MarkNumber(True, number))
        for player, ticket in zip(PEOPLE, state.tickets, strict=True)
        for number in numbers_of(ticket)[:MARKED]
    ]
    await asyncio.gather(*marks)


async def _by_the_clock(hall: _Hall, rooms: int, every: int, seconds: float) -> list[float]:
    """ms from when each call was due, an interval after the one before it, to when it was made."""
    streams = await asyncio.gather(*(hall.open(calling="AUTOMATIC", everySeconds=every) for _ in range(rooms)))
    await asyncio.sleep(seconds)
    found: list[float] = []
    for stream in streams:
        rows = await hall.service.store.read_stream(stream)
        events = [REGISTRY.decode(row.type, row.schema_v, row.data) for row in rows]
        times = [event.at for event in events if isinstance(event, (TombolaStarted, NumberDrawn))]
        found += [later - before - 1000 * every for before, later in pairwise(times)]
    return found


def _at(found: Sequence[float], percentile: int) -> float:
    return statistics.quantiles(found, n=100, method="inclusive")[percentile - 1]
