"""``python -m bench startup``: from `make up` to its ready line, and what each process takes when nobody plays."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from circolo_devstack.ports import free_port

from .machine import described
from .peers.targets import ROOT
from .processes import Memory, load_average, memory, tree_cpu

READY = "Circolo is ready"
START_SECONDS = 120.0
IDLE_SECONDS = 10.0


class NotStarted(Exception):
    """No ready line."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeats", type=int, default=3)


@contextmanager
def up(data: Path, *words: str) -> Iterator[tuple[float, dict[str, int]]]:
    """Seconds from ``make up`` to ready, and the processes by name; ends it as Ctrl-C does."""
    arguments_of_up = f"ARGS=--port {free_port()} --data {data} {' '.join(words)}"
    begun = time.perf_counter()
    make = subprocess.Popen(
        ["make", "up", arguments_of_up], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    too_late = threading.Timer(START_SECONDS, os.killpg, (make.pid, signal.SIGKILL))
    too_late.start()
    try:
        assert make.stdout is not None
        if not any(READY in line for line in make.stdout):
            raise NotStarted(f"`make up` ended with {make.wait()}")
        seconds = time.perf_counter() - begun
        too_late.cancel()
        run = json.loads((data / "run.json").read_text())
        yield seconds, {"supervisor": run["pid"], **{each["name"]: each["pid"] for each in run["programs"]}}
    finally:
        too_late.cancel()
        if make.poll() is None:
            os.killpg(make.pid, signal.SIGINT)
        make.communicate(timeout=60)


def run(options: argparse.Namespace) -> int:
    print(described())
    print("| `make up` | data | seconds to ready |\n|---|---|---|")
    idle = {}
    for words in ((), ("--one-process",)):
        times: dict[str, list[float]] = {"new": [], "kept": []}
        for _ in range(options.repeats):
            folder = Path(tempfile.mkdtemp(prefix="circolo-bench-"))
            data = folder / "data"
            try:
                for taken in times.values():
                    with up(data, *words) as (seconds, roots):
                        taken.append(seconds)
                        if len(times["kept"]) == options.repeats:
                            idle[words] = quiet(roots)
            finally:
                reset = [sys.executable, "-m", "circolo_devstack", "reset", "--yes", "--data", str(data)]
                subprocess.run(reset, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
                shutil.rmtree(folder, ignore_errors=True)
        for state, each in times.items():
            values = f"{statistics.median(each):.2f} ({min(each):.2f}-{max(each):.2f})"
            print(f"| {' '.join(words) or 'each its own process'} | {state} | {values} |", flush=True)
    for words, (sizes, busy) in idle.items():
        print(f"\nIdle, {' '.join(words) or 'each its own process'}:\n")
        print("| process | RSS MB | PSS MB | CPU % of a core |\n|---|---|---|---|")
        for name, size in [*sizes.items(), ("all", _sum(sizes))]:
            spent = sum(busy.values()) if name == "all" else busy[name]
            print(f"| {name} | {size.resident / 2**20:.0f} | {size.proportional / 2**20:.0f} | {spent:.1f} |")
    print(f"\nload average at the end {load_average():.1f}")
    return 0


def quiet(roots: dict[str, int]) -> tuple[dict[str, Memory], dict[str, float]]:
    """Memory by process after a while without players, and the share of a core that it takes meanwhile."""
    before = tree_cpu(roots)
    time.sleep(IDLE_SECONDS)
    after = tree_cpu(roots)
    return memory(roots), {name: 100 * (after[name] - before[name]) / IDLE_SECONDS for name in roots}


def _sum(sizes: dict[str, Memory]) -> Memory:
    return Memory(sum(each.resident for each in sizes.values()), sum(each.proportional for each in sizes.values()))
