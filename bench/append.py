"""``python -m bench append``: appending from many callers, beside the library with its threads and raw COPY."""

from __future__ import annotations

import argparse

from .eventstore.sides import CIRCOLO, LIBRARY, Figures, in_turns, median, side, spread, two_databases
from .machine import described
from .postgres import fresh_postgres
from .processes import load_average

CALLERS = 64
THREADS = 8


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--events", default="1,5", help="events an append")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each run")


def run(options: argparse.Namespace) -> int:
    print(described())
    names = {
        "circolo": f"Circolo, {CALLERS} callers on one connection",
        "library": f"eventsourcing, {THREADS} threads",
        "copy": f"raw COPY, {CALLERS} appends a transaction",
    }
    heading = "| what | events an append | events/s | p50 ms | p99 ms | Circolo has |\n|---|---|---|---|---|---|"
    with fresh_postgres() as (url, _):
        ours, theirs = two_databases(url)
        for events in map(int, options.events.split(",")):
            each = {"events": events, "seconds": options.seconds}
            found = in_turns(
                options.repeats,
                {
                    "circolo": lambda each=each: side(CIRCOLO, "append", ours, callers=CALLERS, **each),  # type: ignore[misc]
                    "library": lambda each=each: side(LIBRARY, "append", theirs, callers=THREADS, **each),  # type: ignore[misc]
                    "copy": lambda each=each: side(CIRCOLO, "copy", ours, callers=CALLERS, **each),  # type: ignore[misc]
                },
            )
            rate = median(found["circolo"], "events_per_s")
            print(heading)
            for name, figures in found.items():
                print(line(names[name], events, figures, rate), flush=True)
            batch = median(found["circolo"], "appends_per_statement")
            print(
                f"Circolo: {batch} appends a statement, {median(found['circolo'], 'own_cpu_pct')} % of a core in Python"
            )
    print(f"load average at the end {load_average():.1f}")
    return 0


def line(name: str, events: int, figures: list[Figures], circolo: float) -> str:
    ratio = circolo / median(figures, "events_per_s")
    return (
        f"| {name} | {events} | {spread(figures, 'events_per_s')} | {median(figures, 'p50_ms'):.1f} "
        f"| {median(figures, 'p99_ms'):.1f} | {ratio:.2f} x |"
    )
