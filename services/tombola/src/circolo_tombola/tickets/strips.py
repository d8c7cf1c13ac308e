"""From words of chance to a strip: every strip is equally likely, and none is ever thrown away.

1. *Heights.* Column by column, from left to right: one of the possible choices (``counting.ways``), each as likely as
   the number of strips that it leads to. Then who among the tickets that stand alike gets which share: their places
   are shuffled, the first of them get two extras, the next get one.
2. *Numbers.* Each column's numbers are shuffled and cut by the heights, the first ticket's part first.
3. *Rows.* Ticket by ticket: how many of its two-high columns leave out each row (``counting.skips``), which columns
   these are, and which columns of one number lie in which row.

A number below a limit beyond 2^32 is read from as many words as the limit has, and one more, as one big-endian number;
it is thrown away, and the next ones are read, when it is not below the largest multiple of the limit: one time in four
billion at most.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate

from circolo_contracts.chance import below, shuffled

from .counting import COLUMN_EXTRAS, COMPLETIONS, KINDS, START, Way, skips, ways
from .ticket import NUMBERS_OF, ROWS, TICKETS_IN_A_STRIP, Ticket

_SMALL = 2**32


def strip(source: Iterator[int]) -> tuple[Ticket, ...]:
    """Six tickets with every number from 1 to 90 once."""
    heights = _heights(source)
    columns: list[list[Sequence[int]]] = [[] for _ in range(TICKETS_IN_A_STRIP)]
    for numbers, high in zip(NUMBERS_OF, heights, strict=True):
        mixed, first = shuffled(source, numbers), 0
        for ticket, height in enumerate(high):
            columns[ticket].append(sorted(mixed[first : first + height]))
            first += height
    return tuple(_laid_out(source, ticket) for ticket in columns)


def large_below(source: Iterator[int], limit: int) -> int:
    """The next number from 0 to ``limit - 1``, for any limit."""
    if limit <= _SMALL:
        return below(source, limit)
    count = (limit.bit_length() + 31) // 32 + 1
    fair = (1 << 32 * count) // limit * limit
    while True:
        number = 0
        for _ in range(count):
            number = number << 32 | next(source)
        if number < fair:
            return number % limit


def _heights(source: Iterator[int]) -> list[list[int]]:
    """By column, the six tickets' numbers of it."""
    kinds = [0] * TICKETS_IN_A_STRIP
    state, found = START, []
    for column in range(len(COLUMN_EXTRAS)):
        choices, sums = _choices(column, state)
        way = choices[bisect_right(sums, large_below(source, sums[-1]))]
        extras = _shares(source, way, kinds)
        for ticket, more in enumerate(extras):
            had, threes = KINDS[kinds[ticket]]
            kinds[ticket] = KINDS.index((had + more, threes + (more == 2)))
        found.append([1 + more for more in extras])
        state = way.after
    return found


@lru_cache(maxsize=4096)  # the first columns are the same few for every strip
def _choices(column: int, state: int) -> tuple[list[Way], list[int]]:
    """With the running sums of the strips that they lead to."""
    choices = ways(column, state)
    return choices, list(accumulate(way.ways * COMPLETIONS.of(column + 1, way.after) for way in choices))


def _shares(source: Iterator[int], way: Way, kinds: Sequence[int]) -> list[int]:
    """By ticket, its extras in this column."""
    extras = [0] * TICKETS_IN_A_STRIP
    for sharing in way.sharings:
        if not sharing.ones and not sharing.twos:
            continue
        alike = [ticket for ticket, kind in enumerate(kinds) if kind == sharing.kind]
        if sharing.count not in (sharing.ones, sharing.twos):
            alike = list(shuffled(source, alike))
        for place, ticket in enumerate(alike[: sharing.twos + sharing.ones]):
            extras[ticket] = 2 if place < sharing.twos else 1
    return extras


def _laid_out(source: Iterator[int], columns: Sequence[Sequence[int]]) -> Ticket:
    """The rows of a ticket, from its columns' numbers in ascending order."""
    by_height = [[column for column in columns if len(column) == height] for height in (1, 2, 3)]
    singles, pairs, threes = by_height
    out, into = _rows(source, len(threes))
    rows: list[list[int]] = [[], [], []]
    for column, row in zip(singles, shuffled(source, into), strict=True):
        rows[row].append(column[0])
    for column, left_out in zip(pairs, shuffled(source, out), strict=True):
        for number, row in zip(column, (row for row in range(ROWS) if row != left_out), strict=True):
            rows[row].append(number)
    for column in threes:
        for number, row in zip(column, range(ROWS), strict=True):
            rows[row].append(number)
    first, second, third = (tuple(sorted(row)) for row in rows)
    return first, second, third


@cache
def _row_choices(threes: int) -> tuple[list[tuple[int, int, int]], list[int]]:
    """With the running sums of their ways."""
    return [out for out, _ in skips(threes)], list(accumulate(ways for _, ways in skips(threes)))


def _rows(source: Iterator[int], threes: int) -> tuple[list[int], list[int]]:
    """For each two-high column a row that it leaves out, for each column of one number the row where it lies."""
    options, sums = _row_choices(threes)
    left_out = options[bisect_right(sums, below(source, sums[-1]))]
    pairs = sum(left_out)
    out = [row for row, count in enumerate(left_out) for _ in range(count)]
    into = [row for row, count in enumerate(left_out) for _ in range(5 - threes - pairs + count)]
    return out, into
