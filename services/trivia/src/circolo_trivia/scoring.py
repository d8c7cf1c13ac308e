"""Points: whole numbers, never negative, by the server's clock alone."""

from __future__ import annotations

from collections.abc import Sequence

RIGHT = 1_000
SPEED = 500
"""At most, for a right answer at the very opening."""


def quiz_points(right: bool, elapsed: int, time: int, *, speed: bool) -> int:
    """``elapsed`` ms after the opening, of ``time`` ms. The speed bonus is rounded down: nobody is given too much."""
    if not right:
        return 0
    left = time - min(max(elapsed, 0), time)
    return RIGHT + (SPEED * left // time if speed else 0)


def settled(before: int, stake: int, right: bool) -> int:
    """Tutto o niente: a wrong answer costs the stake, and so does none."""
    return before + stake if right else before - stake


def ranks(totals: Sequence[int]) -> list[int]:
    """From 1, in the order of the totals given: equal ones share a rank, and the next one leaves it out (1-1-3)."""
    return [1 + sum(other > total for other in totals) for total in totals]
