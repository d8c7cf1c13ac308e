"""``python -m bench moves``: what a move costs, for one or several servers in one run."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from .machine import described
from .peers.report import Run, lag_line, row, table
from .peers.run import Failed, kept, one
from .peers.targets import TARGETS, chosen
from .postgres import fresh_postgres
from .processes import wait_for_quiet


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--targets", default="circolo", help=f"separated by commas: {', '.join(TARGETS)}")
    parser.add_argument("--rooms", default="1,20,100")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--think", type=int, default=0, help="ms between seeing a turn and playing; 0: closed loop")
    parser.add_argument("--warmup", type=int, default=2000, help="ms")
    parser.add_argument("--window", type=int, default=8000, help="ms")
    parser.add_argument("--patience", type=float, default=0, help="seconds to wait before each run for a quiet machine")
    parser.add_argument("--out", type=Path, help="every run, as JSON")


def run(options: argparse.Namespace) -> int:
    targets = chosen(options.targets)
    print(described())
    rows: list[Run] = []
    with contextlib.ExitStack() as stack:
        needed = any(target.needs_postgres for target in targets.values())
        postgres = stack.enter_context(fresh_postgres()) if needed else None
        for rooms in map(int, options.rooms.split(",")):
            numbers = {"rooms": rooms, "warmup": options.warmup, "window": options.window, "think": options.think}
            runs: dict[str, list[Run]] = {name: [] for name in targets}
            for _ in range(options.repeats):
                for name, target in targets.items():
                    wait_for_quiet(options.patience)
                    try:
                        done = one(name, target, postgres, numbers)
                        runs[name].append(done)
                        print(progress(name, rooms, done), file=sys.stderr, flush=True)
                    except Failed as failure:
                        print(f"{name}, {rooms} rooms: {failure}", file=sys.stderr)
            for name, each in runs.items():
                if each:
                    rows.append({**row(name, rooms, each), "think_ms": options.think})
            if options.out:
                kept(rows, options.out)
    print(table(rows))
    print(*(f"Largest lags, {each['rooms']} rooms: {lag_line(each)}" for each in rows if each["lag"]), sep="\n")
    return 0 if rows else 1


def progress(name: str, rooms: int, done: Run) -> str:
    return f"{name}, {rooms} rooms: {done['moves_per_s']:,.0f} moves/s, {done['cpu_ms_per_move']} ms of CPU each"
