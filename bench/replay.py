"""``python -m bench replay``: reading a whole log in order, and its memory, beside the library."""

from __future__ import annotations

import argparse

from .eventstore.sides import CIRCOLO, LIBRARY, in_turns, median, side, spread, two_databases
from .machine import described
from .postgres import fresh_postgres
from .processes import load_average


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--events", type=int, default=240_000)
    parser.add_argument("--page", type=int, default=8_000, help="events asked for at once")
    parser.add_argument("--repeats", type=int, default=3)


def run(options: argparse.Namespace) -> int:
    print(described())
    with fresh_postgres() as (url, _):
        ours, theirs = two_databases(url)
        side(CIRCOLO, "fill", ours, events=options.events)
        side(LIBRARY, "fill", theirs, events=options.events)
        found = in_turns(
            options.repeats,
            {
                "Circolo, Pages": lambda: side(CIRCOLO, "read", ours, page=options.page),
                "eventsourcing, select_notifications": lambda: side(LIBRARY, "read", theirs, page=options.page),
            },
        )
    rate = median(found["Circolo, Pages"], "events_per_s")
    print(
        "| what | events | events/s | RSS after the first page, last, most (MB) | Circolo has |\n|---|---|---|---|---|"
    )
    for name, figures in found.items():
        memory = ", ".join(f"{median(figures, f'rss_{when}_mb'):.1f}" for when in ("first", "last", "most"))
        ratio = rate / median(figures, "events_per_s")
        events = f"{median(figures, 'events'):,.0f}"
        print(f"| {name} | {events} | {spread(figures, 'events_per_s')} | {memory} | {ratio:.2f} x |")
    print(f"load average at the end {load_average():.1f}")
    return 0
