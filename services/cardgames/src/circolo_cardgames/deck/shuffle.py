"""From a seed to a shuffled deck, by the rule of ``circolo_contracts.chance``, which anybody can follow with a pencil.

The first shuffle of a match is ``deal|1``, the second (void deals count too) ``deal|2``; the draw of the first dealer
is ``dealer|1``. A shuffle starts from ``circolo_contracts.cards.DECK`` (denari, coppe, spade, bastoni; each 1 to 10);
place 0 is the top.
"""

from __future__ import annotations

from circolo_contracts.cards import DECK, Card
from circolo_contracts.chance import below, shuffled, words


def shuffled_deck(seed: bytes, n: int) -> tuple[Card, ...]:
    """The whole deck, from the top, of the match's shuffle number ``n`` (from 1)."""
    return shuffled(words(seed, "deal", n), DECK)


def first_dealer(seed: bytes, seats: int) -> int:
    """The seat that deals first in a match that was not told its dealer."""
    return below(words(seed, "dealer", 1), seats)
