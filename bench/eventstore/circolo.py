"""Our side: callers who append to streams of their own through one Appender on one connection; and the log read whole.

``python -m bench.eventstore.circolo append|fill|read --url=... ...``; prints one line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import time
import uuid
from pathlib import Path
from typing import Any

import asyncpg
import circolo_events
import uvloop
from circolo_events.appender import Append, Appender, NewEvent, Outcome, Status
from circolo_events.canonical import SHARDS
from circolo_events.pages import Pages
from circolo_events.store import Store

from ..peers.meter import milliseconds, percentile
from ..processes import resident

MIGRATIONS = Path(circolo_events.__file__).parent / "migrations"
DATA = b'{"card":"7D","seat":0,"pad":"' + b"x" * 169 + b'"}'
META = b'{"actor":"player-0","pad":"' + b"x" * 71 + b'"}'
PER_STREAM = 40
"""Events; then the caller goes on with a new stream, as a table does with a new match."""
RECORD = ("shard", "pos", "stream", "version", "event_id", "command_id", "command_seq", "command_n", "type", "schema_v",
          "data", "meta")  # fmt: skip


async def migrate(url: str) -> None:
    connection = await asyncpg.connect(url)
    for file in sorted(MIGRATIONS.glob("*.sql")):
        await connection.execute(file.read_text())
    await connection.close()


class Caller:
    """Appends to one stream after the other, each time as soon as the last append was answered."""

    def __init__(self, appender: Appender, events: int) -> None:
        self._appender = appender
        self._events = events
        self._stream = ""
        self._version = PER_STREAM

    async def append(self) -> None:
        if self._version + self._events > PER_STREAM:
            self._stream, self._version = f"match-{uuid.uuid4().hex}", 0
        events = [NewEvent(uuid.uuid4().hex, "CardPlayed", 1, DATA, META) for _ in range(self._events)]
        outcome = await self._appender.append(Append(self._stream, self._version, uuid.uuid4().hex, events))
        assert isinstance(outcome, Outcome) and outcome.status is Status.APPENDED, outcome
        self._version = outcome.version


async def append(o: argparse.Namespace) -> dict[str, Any]:
    appender = Appender(lambda: asyncpg.connect(o.url))
    appender.start()
    callers = [Caller(appender, o.events) for _ in range(o.callers)]
    await asyncio.gather(*(caller.append() for caller in callers))
    statements, cpu = appender.statements, time.process_time()
    until = time.perf_counter() + o.seconds

    async def calls(caller: Caller) -> list[float]:
        taken = []
        while (before := time.perf_counter()) < until:
            await caller.append()
            after = time.perf_counter()
            if after <= until:
                taken.append(after - before)
        return taken

    latencies = sorted(itertools.chain.from_iterable(await asyncio.gather(*map(calls, callers))))
    statements, cpu = appender.statements - statements, time.process_time() - cpu
    await appender.stop()
    return {
        "events_per_s": round(len(latencies) * o.events / o.seconds),
        "p50_ms": milliseconds(percentile(latencies, 0.5)),
        "p99_ms": milliseconds(percentile(latencies, 0.99)),
        "appends_per_statement": round(len(latencies) / max(1, statements), 1),
        "own_cpu_pct": round(100 * cpu / o.seconds),
    }


async def fill(o: argparse.Namespace) -> dict[str, Any]:
    appender = Appender(lambda: asyncpg.connect(o.url))
    appender.start()
    left = o.events

    async def calls(caller: Caller) -> None:
        nonlocal left
        while left > 0:
            left -= 5
            await caller.append()

    await asyncio.gather(*(calls(Caller(appender, 5)) for _ in range(256)))
    await appender.stop()
    return {}


async def read(o: argparse.Namespace) -> dict[str, Any]:
    """By ``Pages``, as a projector that catches up does: every shard in position order, gaps refused."""
    async with asyncpg.create_pool(o.url, min_size=1, max_size=2) as pool:
        pages = Pages(Store(pool), o.page // SHARDS)
        after = dict.fromkeys(range(SHARDS), 0)
        count = size = 0
        memory = []
        before = time.perf_counter()
        while True:
            events, ends = await pages.next(after)
            if not events:
                break
            count += len(events)
            size += sum(len(event.data) + len(event.meta) for event in events)
            after |= ends
            memory.append(resident())
        seconds = time.perf_counter() - before
    return {
        "events": count, "bytes": size, "events_per_s": round(count / seconds),
        "rss_first_mb": round(memory[0] / 2**20, 1), "rss_last_mb": round(memory[-1] / 2**20, 1),
        "rss_most_mb": round(max(memory) / 2**20, 1),
    }  # fmt: skip


async def copy(o: argparse.Namespace) -> dict[str, Any]:
    """Raw COPY into a table with the same indexes: in each transaction as many rows as ``callers`` appends have."""
    connection = await asyncpg.connect(o.url)
    await connection.execute("DROP TABLE IF EXISTS copied; CREATE TABLE copied (LIKE event INCLUDING ALL)")
    positions, shards = itertools.count(1), itertools.cycle(range(SHARDS))

    def rows() -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        for _ in range(o.callers):
            stream, command = f"match-{uuid.uuid4().hex}", uuid.uuid4()
            found += [
                (
                    next(shards), next(positions), stream, seq + 1, uuid.uuid4(), command, seq, o.events,
                    "CardPlayed", 1, DATA, META,
                )
                for seq in range(o.events)
            ]  # fmt: skip
        return found

    written, taken = 0, []
    begun = time.perf_counter()
    while time.perf_counter() - begun < o.seconds:
        batch = rows()
        before = time.perf_counter()
        await connection.copy_records_to_table("copied", records=batch, columns=RECORD)
        taken.append(time.perf_counter() - before)
        written += len(batch)
    seconds = time.perf_counter() - begun
    await connection.execute("DROP TABLE copied")
    await connection.close()
    taken.sort()
    return {
        "events_per_s": round(written / seconds),
        "p50_ms": milliseconds(percentile(taken, 0.5)),
        "p99_ms": milliseconds(percentile(taken, 0.99)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    work = {"append": append, "fill": fill, "read": read, "copy": copy}
    parser.add_argument("what", choices=tuple(work))
    parser.add_argument("--url", required=True)
    for name, default in (("callers", 64), ("events", 1), ("page", 8000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=5.0)
    o = parser.parse_args()
    print(json.dumps(uvloop.run(work[o.what](o))))


if __name__ == "__main__":
    main()
