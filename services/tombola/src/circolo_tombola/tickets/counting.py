"""How many strips there are, and how many of them go on from any beginning: exact, so that a draw can be exact too.

A strip is decided column by column. Of a column only its six heights matter here: how many of its numbers each ticket
gets, one to three. A ticket needs six numbers beyond the one that it has in every column (its *extras*), and the ways
of laying out its rows depend on how many of its columns are three high. So of each ticket two small numbers are kept,
extras and threes so far, and of the six tickets only how many are alike: a state, packed as three bits for each kind
of ticket. There are about ten thousand states, counted once for each process in a third of a second.
"""

from __future__ import annotations

from functools import cache
from math import comb, factorial, prod

from msgspec import Struct

from .ticket import NUMBERS_OF, TICKETS_IN_A_STRIP

EXTRAS = 6
COLUMN_EXTRAS = tuple(len(numbers) - TICKETS_IN_A_STRIP for numbers in NUMBERS_OF)
"""Numbers of each column beyond one a ticket: 3, then 4 seven times, then 5."""
KINDS = tuple((extras, threes) for extras in range(EXTRAS + 1) for threes in range(extras // 2 + 1))
"""What a ticket may have come to: extras, and columns that are three high."""
START = TICKETS_IN_A_STRIP
"""Six tickets of the first kind, with nothing yet."""

_KIND_NO = {kind: number for number, kind in enumerate(KINDS)}
_BITS = 3
_WEIGHT = (6, 3, 1)
"""6 divided by the factorial of a height of 1, 2 or 3: the ways of cutting a column are these times size! / 6^6."""


class Sharing(Struct, frozen=True):
    """How the tickets of one kind share in a column: ``ones`` of them get one extra, ``twos`` get two, others none."""

    kind: int
    count: int
    ones: int
    twos: int


class Way(Struct, frozen=True):
    """One choice for a column: who gets what, the state after it, and its ways, up to a factor that is the column's."""

    sharings: tuple[Sharing, ...]
    after: int
    ways: int


def layouts(threes: int) -> int:
    """The ways of laying out a ticket's rows once its columns' heights are fixed, ``threes`` of them three high."""
    return sum(ways for _, ways in skips(threes))


@cache
def skips(threes: int) -> tuple[tuple[tuple[int, int, int], int], ...]:
    """How many two-high columns leave each row out, with the ways of choosing the columns for it.

    The columns of one number fill each row up to five, which fixes how many of them lie in it.
    """
    pairs = EXTRAS - 2 * threes
    found = []
    for first in range(pairs + 1):
        for second in range(pairs - first + 1):
            out = (first, second, pairs - first - second)
            into = [5 - threes - pairs + left_out for left_out in out]
            if min(into) >= 0:
                found.append((out, _arrangements(out) * _arrangements(into)))
    return tuple(found)


def _arrangements(parts: tuple[int, ...] | list[int]) -> int:
    return factorial(sum(parts)) // prod(map(factorial, parts))


def ways(column: int, state: int) -> list[Way]:
    """Every choice for this column from which a strip can be finished, in a fixed order."""
    found: list[tuple[int, int, int, tuple[Sharing, ...]]] = [(COLUMN_EXTRAS[column], 0, 1, ())]
    kind = 0
    while state:
        count = state & 7
        if count:
            options = _options(kind, count, len(COLUMN_EXTRAS) - 1 - column)
            found = [
                (left - used, after + packed, ways * more, (*sharings, sharing))
                for left, after, ways, sharings in found
                for used, packed, more, sharing in options
                if used <= left
            ]
        state >>= _BITS
        kind += 1
    return [Way(sharings, after, ways) for left, after, ways, sharings in found if left == 0]


@cache
def _options(kind: int, count: int, columns_after: int) -> list[tuple[int, int, int, Sharing]]:
    """For ``count`` tickets of one kind: extras used, packed kinds after it, ways, and the sharing itself."""
    after = [_kind_after(kind, more, columns_after) for more in range(3)]
    found = []
    for twos in range(count + 1):
        for ones in range(count - twos + 1):
            shares = (count - ones - twos, ones, twos)
            if any(share and packed is None for share, packed in zip(shares, after, strict=True)):
                continue
            packed = sum(share * (place or 0) for share, place in zip(shares, after, strict=True))
            weight = prod(each**share for each, share in zip(_WEIGHT, shares, strict=True))
            ways = comb(count, twos) * comb(count - twos, ones) * weight
            found.append((ones + 2 * twos, packed, ways, Sharing(kind, count, ones, twos)))
    return found


def _kind_after(kind: int, more: int, columns_after: int) -> int | None:
    """One ticket of the kind that it becomes, packed; None when it could not be finished any more."""
    extras, threes = KINDS[kind]
    number = _KIND_NO.get((extras + more, threes + (more == 2)))
    if number is None or extras + more + 2 * columns_after < EXTRAS:
        return None
    return 1 << _BITS * number


class Completions:
    """How many ways lead on from a state to whole strips, up to the columns' factors; counted when first asked for."""

    def __init__(self) -> None:
        self._known: list[dict[int, int]] = [{} for _ in range(len(COLUMN_EXTRAS) + 1)]

    def of(self, column: int, state: int) -> int:
        """From before this column (0 to 9; 9: all heights are chosen)."""
        known = self._known[column]
        if state not in known:
            if column == len(COLUMN_EXTRAS):
                counts = [(state >> _BITS * number & 7, threes) for number, (_, threes) in enumerate(KINDS)]
                known[state] = prod(layouts(threes) for count, threes in counts for _ in range(count))
            else:
                known[state] = sum(way.ways * self.of(column + 1, way.after) for way in ways(column, state))
        return known[state]


COMPLETIONS = Completions()


def strips() -> int:
    """The number of different strips, in which it matters which ticket is which."""
    factors = prod(factorial(len(numbers)) for numbers in NUMBERS_OF)
    weights: int = _WEIGHT[0] ** (TICKETS_IN_A_STRIP * len(NUMBERS_OF))
    return COMPLETIONS.of(0, START) * factors // weights
