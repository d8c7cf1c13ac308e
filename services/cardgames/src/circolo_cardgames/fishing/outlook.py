"""What a position of the scopa family promises before the deal is over, in points: where a thought ends early."""

from __future__ import annotations

from math import sqrt, tanh

from .captures import HIGHEST
from .sets import COINS, THE_SETTEBELLO, primes

SUMS = 220
"""No table adds up to more."""
SCOPA_LIES = [0.0] + [0.3] * HIGHEST + [0.1] * (SUMS - HIGHEST)
"""By the sum of what lies on the table: what it is worth to the side on turn."""
SEVEN_LIES = 0.4
NO_PRIME = 4
"""What a suit counts of which a side has nothing yet."""


def _ahead(spread: float, most: int) -> list[list[float]]:
    """``[untaken][difference]``: whose point it will be, from 1 to -1, the less certain the more is untaken.

    The spreads fit what became of such differences in deals among CPUs. A negative difference counts from the end.
    """
    return [
        [tanh(each / (spread * sqrt(untaken + 0.3))) for each in (*range(most + 1), *range(-most, 0))]
        for untaken in range(41)
    ]


_CARDS, _COINS, _PRIMES = _ahead(2.4, 40), _ahead(1.5, 10), _ahead(6.8, 84)


def ahead(ours: int, theirs: int) -> float:
    """By how much the side with the first of these piles will win the points for cards, coins, settebello, primiera."""
    cards, other_cards = ours.bit_count(), theirs.bit_count()
    coins, other_coins = (ours & COINS).bit_count(), (theirs & COINS).bit_count()
    untaken = 40 - cards - other_cards
    best = primes(ours, NO_PRIME)[0] - primes(theirs, NO_PRIME)[0]
    value = _CARDS[untaken][cards - other_cards] + _PRIMES[untaken][best]
    value += _COINS[10 - coins - other_coins][coins - other_coins]
    if ours & THE_SETTEBELLO:
        return value + 1
    return value - 1 if theirs & THE_SETTEBELLO else value


def invites(table: int, total: int) -> float:
    """What the table, whose cards add up to ``total``, is worth to the side on turn."""
    return SCOPA_LIES[total] + (SEVEN_LIES if table & THE_SETTEBELLO else 0.0)
