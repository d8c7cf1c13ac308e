"""Cards of the scopa family as sets in one integer each, for playing on in thought.

Within such a set a rank is four bits, denari the lowest: what lies of a rank is one nibble, and of equal cards the
coin is the lowest bit. Which ranks add up to a card depends on how many of each rank lie and not on their suits, so
that a small table of such counts answers for nearly every position.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from circolo_contracts.cards import DECK, RANK_OF, SUIT_OF, SUITS, Card

from circolo_cardgames.games.playout import NUMBER_OF

from .captures import HIGHEST
from .scoring import PRIMIERA, PRIMIERA_OF, SETTEBELLO

INNER_OF = [4 * (RANK_OF[card] - 1) + SUITS.index(SUIT_OF[card]) for card in DECK]
"""By the card's number in the deck: its place in these sets."""
OUTER_OF = sorted(range(40), key=INNER_OF.__getitem__)
UNIT = [1 << 3 * rank for rank in range(HIGHEST)]
"""By rank, ace 0: one more of it in the counts of what lies."""


def bits_of(cards: Iterable[Card]) -> int:
    return sum(1 << INNER_OF[NUMBER_OF[card]] for card in cards)


COINS = bits_of(card for card in DECK if SUIT_OF[card] == "D")
THE_SETTEBELLO = bits_of([SETTEBELLO])
_PRIMES = [
    [
        (bits_of(card for card in DECK if SUIT_OF[card] == suit and PRIMIERA_OF[card] == value), value)
        for value in sorted(set(PRIMIERA.values()), reverse=True)
    ]
    for suit in SUITS
]
"""By suit, the dearest first: the cards of a value in the primiera, and the value."""


def primes(pile: int, missing: int) -> tuple[int, bool]:
    """The sum of the best card in each suit, with so much for a suit that is missing; and whether none is."""
    total, complete = 0, True
    for suit in _PRIMES:
        for cards, value in suit:
            if pile & cards:
                total += value
                break
        else:
            total += missing
            complete = False
    return total, complete


@lru_cache(maxsize=100_000)
def rank_sums(counts: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """By the rank played (ace 0): every set of two or more of the lying ranks that adds up to it."""
    lying = [rank for rank in range(HIGHEST) for _ in range(counts >> 3 * rank & 7)]
    sums: list[set[tuple[int, ...]]] = [set() for _ in range(HIGHEST + 1)]
    sums[0].add(())
    for rank in lying:
        for total in range(HIGHEST - rank - 1, -1, -1):
            sums[total + rank + 1] |= {(*ranks, rank) for ranks in sums[total]}
    return tuple(tuple(sorted(ranks for ranks in each if len(ranks) > 1)) for each in sums[1:])


@lru_cache(maxsize=20_000)
def outer(inner: int) -> int:
    """The same set by the numbers of the deck."""
    return sum(1 << OUTER_OF[place] for place in range(40) if inner >> place & 1)


@lru_cache(maxsize=20_000)
def inner(outer: int) -> int:
    return sum(1 << INNER_OF[number] for number in range(40) if outer >> number & 1)
