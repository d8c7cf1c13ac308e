"""What a ticket has won by the numbers drawn so far. Only rows count: no column, no diagonal, no two rows together."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.tombola import Prize
from msgspec import Struct

from .tickets.ticket import Ticket

ON_A_ROW: dict[Prize, int] = {"AMBO": 2, "TERNO": 3, "QUATERNA": 4, "CINQUINA": 5}
"""Drawn numbers that one row needs; more of them are as good."""


class Completed(Struct, frozen=True):
    """``draw``: the one, counted from 1, that completed it; ``row`` is None for the tombola."""

    draw: int
    row: int | None


def completed(ticket: Ticket, prize: Prize, called: Sequence[int]) -> Completed | None:
    """When this ticket first had the prize, by the row that had it first (the upper one of two); None: not yet."""
    at = {number: draw for draw, number in enumerate(called, 1)}
    drawn = [sorted(at[number] for number in row if number in at) for row in ticket]
    if prize == "TOMBOLA":
        whole = all(len(draws) == len(row) for draws, row in zip(drawn, ticket, strict=True))
        return Completed(max(draws[-1] for draws in drawn), None) if whole else None
    needed = ON_A_ROW[prize]
    rows = [(draws[needed - 1], row) for row, draws in enumerate(drawn) if len(draws) >= needed]
    return Completed(*min(rows)) if rows else None
