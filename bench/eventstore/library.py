"""The other side: the PyPI library `eventsourcing`, run by the interpreter that has it (see ``install``).

Its application recorder with the settings that it comes with: readers by notification id see no gaps, as ours do not.
``library.py append|fill|read --url=... ...``; prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

from eventsourcing.persistence import ApplicationRecorder, StoredEvent
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment

STATE = b"x" * 300
"""As long as data and metadata of an event on our side."""
PER_STREAM = 40
FILL = 5_000


def recorder(url: str, threads: int) -> tuple[PostgresFactory, ApplicationRecorder]:
    parts = urlsplit(url)
    environment = Environment(
        "bench",
        {
            "POSTGRES_DBNAME": parts.path.lstrip("/"),
            "POSTGRES_HOST": parts.hostname,
            "POSTGRES_PORT": str(parts.port),
            "POSTGRES_USER": parts.username,
            "POSTGRES_PASSWORD": parts.password or "",
            "POSTGRES_POOL_SIZE": str(threads),
            "POSTGRES_MAX_OVERFLOW": "2",
        },
    )
    factory = PostgresFactory(environment)
    return factory, factory.application_recorder()


def events(originator: uuid.UUID, first: int, count: int) -> list[StoredEvent]:
    return [StoredEvent(originator, version, "bench:CardPlayed", STATE) for version in range(first, first + count)]


def append(o: argparse.Namespace) -> dict[str, object]:
    factory, writer = recorder(o.url, o.callers)
    begin = threading.Barrier(o.callers + 1)
    taken: list[list[float]] = [[] for _ in range(o.callers)]
    span = [0.0, 0.0]

    def caller(mine: list[float]) -> None:
        originator, version = uuid.uuid4(), 1
        writer.insert_events(events(originator, version, o.events))
        version += o.events
        begin.wait()
        while True:
            if version > PER_STREAM:
                originator, version = uuid.uuid4(), 1
            before = time.perf_counter()
            if before > span[1]:
                return
            writer.insert_events(events(originator, version, o.events))
            after = time.perf_counter()
            version += o.events
            if after <= span[1]:
                mine.append(after - before)

    threads = [threading.Thread(target=caller, args=(mine,)) for mine in taken]
    for thread in threads:
        thread.start()
    span[0] = time.perf_counter()
    span[1] = span[0] + o.seconds
    begin.wait()
    for thread in threads:
        thread.join()
    factory.close()
    latencies = sorted(latency for mine in taken for latency in mine)
    return {
        "events_per_s": round(len(latencies) * o.events / o.seconds),
        "p50_ms": round(latencies[len(latencies) // 2] * 1000, 2),
        "p99_ms": round(latencies[int(len(latencies) * 0.99)] * 1000, 2),
    }


def fill(o: argparse.Namespace) -> dict[str, object]:
    factory, writer = recorder(o.url, 1)
    left = o.events
    while left > 0:
        batch = [event for _ in range(FILL // PER_STREAM) for event in events(uuid.uuid4(), 1, PER_STREAM)]
        writer.insert_events(batch)
        left -= len(batch)
    factory.close()
    return {}


def resident() -> int:
    """kB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return 0


def read(o: argparse.Namespace) -> dict[str, object]:
    factory, reader = recorder(o.url, 1)
    last, count, size = 0, 0, 0
    memory = []
    before = time.perf_counter()
    while page := reader.select_notifications(start=last, limit=o.page, inclusive_of_start=False):
        count += len(page)
        size += sum(len(event.state) for event in page)
        last = page[-1].id
        memory.append(resident())
    seconds = time.perf_counter() - before
    factory.close()
    return {
        "events": count, "bytes": size, "events_per_s": round(count / seconds),
        "rss_first_mb": round(memory[0] / 1024, 1), "rss_last_mb": round(memory[-1] / 1024, 1),
        "rss_most_mb": round(max(memory) / 1024, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("append", "fill", "read"))
    parser.add_argument("--url", required=True)
    for name, default in (("callers", 8), ("events", 1), ("page", 8000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=5.0)
    o = parser.parse_args()
    print(json.dumps({"append": append, "fill": fill, "read": read}[o.what](o)))


if __name__ == "__main__":
    main()
