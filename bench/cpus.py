"""``python -m bench cpus``: what people's moves cost beside tables at which CPUs search, in turns with none of these.

People of both kinds play a card half a second after they could. Only moves between people are measured; the CPUs keep
the search worker busy all the time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median

from .machine import described
from .peers.report import Run
from .peers.run import Failed, kept, one
from .peers.targets import chosen
from .processes import wait_for_quiet

WITHIN = 2.0
"""Times the p99 without CPU tables."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", default="circolo", choices=("circolo", "circolo-one"))
    parser.add_argument("--rooms", type=int, default=20, help="of two people each, who are measured")
    parser.add_argument("--house", type=int, default=20, help="tables of one person and a CPU that searches")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--think", type=int, default=500, help="ms between seeing a turn and playing")
    parser.add_argument("--warmup", type=int, default=3000, help="ms")
    parser.add_argument("--window", type=int, default=15000, help="ms")
    parser.add_argument("--patience", type=float, default=0, help="seconds to wait before each run for a quiet machine")
    parser.add_argument("--out", type=Path, help="every run, as JSON")


def run(options: argparse.Namespace) -> int:
    """Exit code 1 when the p99 beside CPUs is more than twice the one without."""
    target = chosen(options.target)[options.target]
    numbers = {"rooms": options.rooms, "warmup": options.warmup, "window": options.window, "think": options.think}
    print(described())
    runs: dict[int, list[Run]] = {0: [], options.house: []}
    for _ in range(options.repeats):
        for house, done in runs.items():
            wait_for_quiet(options.patience)
            try:
                done.append({"house": house, **one(options.target, target, None, {**numbers, "house": house})})
            except Failed as failure:
                print(f"{house} CPU tables: {failure}", file=sys.stderr)
    print("| CPU tables | moves/s | p50 ms | p99 ms (runs) | moves beside | cardgames | others | errors |")
    print("|---|---|---|---|---|---|---|---|")
    for house, done in runs.items():
        print(row(house, done))
    if options.out:
        kept([each for done in runs.values() for each in done], options.out)
    without, beside = (median(each["p99_ms"] for each in done) for done in runs.values())
    print(f"p99 beside {options.house} CPU tables is {beside / without:.2f} times the one without")
    return 0 if beside <= WITHIN * without else 1


def row(house: int, done: list[Run]) -> str:
    """Medians."""

    def middle(name: str) -> float:
        return float(median(each[name] for each in done))

    spread = ", ".join(f"{each['p99_ms']:.1f}" for each in done)
    part = "cardgames" if "cardgames" in done[0]["cpu_ms_by_part"] else max(done[0]["cpu_ms_by_part"])
    busy = median(each["cpu_ms_by_part"][part] * each["moves_per_s"] / 10 for each in done)
    figures = [
        f"{middle('moves_per_s'):.0f}", f"{middle('p50_ms'):.1f}", f"{middle('p99_ms'):.1f} ({spread})",
        f"{middle('house_moves'):.0f}", f"{busy:.0f} %", f"{middle('others_cpu_pct'):.0f} %",
        f"{sum(each['errors'] for each in done)}",
    ]  # fmt: skip
    return f"| {house} | {' | '.join(figures)} |"
