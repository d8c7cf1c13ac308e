"""What the ``circolo`` command prints: lines that stay, and a status line while something is going on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Table

console = Console(highlight=False, soft_wrap=True)


def say(line: str) -> None:
    """A line that stays. Names and paths are printed as they are, never read as markup."""
    console.print(line, markup=False)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner with ``what`` at a terminal, one line elsewhere."""
    if console.is_terminal:
        with console.status(what):
            yield
    else:
        say(f"{what} ...")
        yield


def status_table(run: dict[str, Any]) -> Table:
    """Servers and services of a running stack."""
    table = Table(box=None, pad_edge=False)
    for heading in ("name", "process", "health", "restarts", "port", "log"):
        table.add_column(heading, justify="right" if heading in ("process", "restarts", "port") else "left")
    for program in run.get("programs", []):
        health = "ready" if program["ready"] else "starting" if program["pid"] else "down"
        words = (program["name"], program["pid"], health, program["restarts"], program["port"], program["log"])
        table.add_row(*("-" if word is None else str(word) for word in words))
    return table


def running_since(run: dict[str, Any]) -> str:
    started = datetime.fromtimestamp(run["started"], UTC)
    return started.strftime("%Y-%m-%d %H:%M:%S UTC")
