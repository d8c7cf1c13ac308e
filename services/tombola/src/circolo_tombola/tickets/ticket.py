"""What a ticket and a strip are: fifteen numbers on three rows of five, and six tickets with all ninety."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.tombola import COLUMNS, NUMBERS, column_of

Row = tuple[int, ...]
Ticket = tuple[Row, Row, Row]
"""From the top; each row ascending, which is also the order of its columns."""

ROWS = 3
PER_ROW = 5
TICKETS_IN_A_STRIP = 6
NUMBERS_OF: tuple[tuple[int, ...], ...] = tuple(
    tuple(number for number in range(1, NUMBERS + 1) if column_of(number) == column) for column in range(COLUMNS)
)
"""By column: 9 numbers in the first, 11 in the last, 10 in the others."""


def numbers_of(ticket: Ticket) -> list[int]:
    """All fifteen, ascending."""
    return sorted(number for row in ticket for number in row)


def is_ticket(rows: Sequence[Sequence[int]]) -> bool:
    """Three rows of five in ascending order, no column twice in a row; every column has one to three numbers, none
    twice, ascending from the top."""
    if len(rows) != ROWS or any(len(row) != PER_ROW for row in rows):
        return False
    if any(not 1 <= number <= NUMBERS for row in rows for number in row):
        return False
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    for row in rows:
        places = [column_of(number) for number in row]
        if places != sorted(set(places)):
            return False
        for number in row:
            columns[column_of(number)].append(number)
    return all(column and column == sorted(set(column)) for column in columns)


def is_strip(tickets: Sequence[Ticket]) -> bool:
    """Six tickets that have every number from 1 to 90 once."""
    everything = sorted(number for ticket in tickets for row in ticket for number in row)
    return len(tickets) == TICKETS_IN_A_STRIP and all(map(is_ticket, tickets)) and everything == [*range(1, 91)]
