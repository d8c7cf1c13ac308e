"""What a card may take from the table, by scopa's rule: an equal card before any sum."""

from __future__ import annotations

from functools import lru_cache

from circolo_contracts.cards import RANK_OF, Card

Capture = tuple[Card, ...]
"""Table cards that are taken together, in the order in which they lie."""

HIGHEST = 10


@lru_cache(maxsize=4096)
def captures(table: tuple[Card, ...]) -> tuple[tuple[Capture, ...], ...]:
    """By the rank of the card that is played (0 is unused): every capture it has the choice of.

    Each single card of its rank if there is one, else every set of two or more that adds up to it. All ranks come out
    of one walk over the table; a position is asked for several times (what is legal, what is refused, what is taken).
    """
    equal: list[list[Capture]] = [[] for _ in range(HIGHEST + 1)]
    sums: list[list[Capture]] = [[] for _ in range(HIGHEST + 1)]
    below: list[tuple[int, Capture]] = [(0, ())]
    for card in table:
        rank = RANK_OF[card]
        equal[rank].append((card,))
        for total, taken in below[:]:
            reached = total + rank
            if reached > HIGHEST:
                continue
            below.append((reached, (*taken, card)))
            if taken:
                sums[reached].append((*taken, card))
    return tuple(tuple(equal[rank] or sums[rank]) for rank in range(HIGHEST + 1))
