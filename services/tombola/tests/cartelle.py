"""Words for the rule book: the tickets of the vectors, people, and tables that have just started."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from circolo_contracts.games import TOMBOLA as DESCRIPTOR
from circolo_contracts.tombola import NUMBERS, TombolaStarted
from circolo_tombola.rehearsal import TOMBOLA, Rehearsal
from circolo_tombola.tickets.ticket import Ticket
from msgspec.structs import replace

VECTORS: dict[str, dict[str, Any]] = {
    case["id"]: case for case in json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
}
T1: Ticket = ((4, 23, 41, 60, 85), (12, 37, 55, 68, 71), (9, 18, 44, 79, 90))
T2: Ticket = ((2, 23, 30, 51, 70), (15, 33, 41, 63, 80), (7, 28, 49, 66, 88))
T3: Ticket = ((10, 20, 42, 64, 82), (1, 35, 50, 75, 86), (3, 14, 39, 58, 87))
ORDER = (4, 2, 23, 10, 20, 41, 60, 85, 33, 15, 63, 80, 70, 30, 51)
"""T1 has ambo at draw 3, terno 6, quaterna 7, cinquina 8; T2 ambo 3, terno 10, quaterna 11, cinquina 12; T3 ambo 5."""
A, B, C, D = (letter * 32 for letter in "abcd")
WATCHER = "9" * 32


def person(number: int) -> str:
    """The id of the person at that seat."""
    return f"{number + 1:032x}"


def seed(number: int | str) -> bytes:
    return hashlib.sha256(f"tombola {number}".encode()).digest()


def rows_of(grid: Sequence[Sequence[int]]) -> list[list[int]]:
    """From nine cells a row, 0 for a blank, to the numbers alone."""
    return [[number for number in row if number] for row in grid]


def table(
    tickets: Sequence[Ticket] = (T1, T2, T3), *, order: Sequence[int] = ORDER, drawn: int = 0, **settings: Any
) -> Rehearsal:
    """A, B, C (and D) have these tickets, the calls come in this order, then the other numbers; A is host."""
    people = (A, B, C, D)[: len(tickets)]
    game = Rehearsal(people, {**DESCRIPTOR.defaults(), **settings}, seed=seed(0))
    (started,) = game.events
    assert isinstance(started, TombolaStarted)
    rest = [number for number in range(1, NUMBERS + 1) if number not in order]
    given = replace(started, tickets=[[list(row) for row in each] for each in tickets], draws=[*order, *rest])
    game.events[:] = [given]
    game.states[:] = [TOMBOLA.initial, TOMBOLA.evolve(TOMBOLA.initial, given)]
    game.draw(drawn)
    return game


def seated(players: int = 3, *, seed_no: int | str = 0, **settings: Any) -> Rehearsal:
    """A game with the tickets of its own seed; the person at seat 0 is host."""
    people = [person(number) for number in range(players)]
    return Rehearsal(people, {**DESCRIPTOR.defaults(), **settings}, seed=seed(seed_no))
