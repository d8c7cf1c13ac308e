"""Running the sides, each in a process of its own, and folding repeats into medians."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
from circolo_devstack.databases import with_database

from ..install import PYTHON
from ..peers.targets import ROOT, NotInstalled
from .circolo import migrate

LIBRARY = [str(PYTHON), str(Path(__file__).with_name("library.py"))]
CIRCOLO = [sys.executable, "-m", "bench.eventstore.circolo"]
Figures = dict[str, Any]


def side(argv: list[str], what: str, url: str, **options: object) -> Figures:
    """Raises subprocess.CalledProcessError."""
    words = [*argv, what, f"--url={url}", *(f"--{name}={value}" for name, value in options.items())]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def two_databases(url: str) -> tuple[str, str]:
    """Empty ones for us (with our tables) and for the library, on one server. Raises NotInstalled."""
    if not PYTHON.exists():
        raise NotInstalled("the library is not installed: run `python -m bench install --only=python` first")
    ours, theirs = with_database(url, "ours"), with_database(url, "theirs")

    async def make() -> None:
        connection = await asyncpg.connect(url)
        for name in ("ours", "theirs"):
            await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        await connection.close()
        await migrate(ours)

    asyncio.run(make())
    return ours, theirs


def in_turns(repeats: int, sides: dict[str, Callable[[], Figures]]) -> dict[str, list[Figures]]:
    found: dict[str, list[Figures]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, work in sides.items():
            found[name].append(work())
    return found


def median(figures: list[Figures], name: str) -> float:
    return float(statistics.median(each[name] for each in figures))


def spread(figures: list[Figures], name: str) -> str:
    values = [each[name] for each in figures]
    return f"{statistics.median(values):,.0f} ({min(values):,.0f}-{max(values):,.0f})"
