"""From a seed to a shuffled deck, by a rule that anybody can follow with HMAC-SHA-256 and a pencil.

1. *Label.* Each use of the seed has a purpose and a number ``n`` from 1: the first shuffle of a match is
   ``deal|1``, the second (void deals count too) ``deal|2``; the draw of the first dealer is ``dealer|1``.
2. *Words.* Block ``c`` (0, 1, 2, ...) is HMAC-SHA-256 with the 32 raw bytes of the seed as key and the ASCII text
   ``<purpose>|<n>|<c>`` (n and c in decimal, no leading zeros) as message. Its 32 bytes are eight unsigned words of
   4 bytes, big-endian, in order; block c + 1 follows block c.
3. *A number below k.* Take the next word w. If w >= 2^32 - (2^32 mod k), throw it away and take the next one;
   else the number is w mod k. So each number is equally likely.
4. *Shuffle.* Start from ``circolo_contracts.cards.DECK`` (denari, coppe, spade, bastoni; 1 to 10 in each). For each
   place i from the top, 0 to 38: draw j below 40 - i, exchange the cards at places i and i + j. Place 0 is the top.

Golden vectors in the tests freeze every byte of this.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Literal

from circolo_contracts.cards import DECK, Card

Purpose = Literal["deal", "dealer"]

_WORD = 2**32


def words(seed: bytes, purpose: Purpose, n: int) -> Iterator[int]:
    """The endless row of 32-bit words under one label."""
    counter = 0
    while True:
        block = hmac.digest(seed, f"{purpose}|{n}|{counter}".encode("ascii"), hashlib.sha256)
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        counter += 1


def below(source: Iterator[int], limit: int) -> int:
    """The next number from 0 to ``limit - 1``, without bias."""
    fair = _WORD - _WORD % limit
    for word in source:
        if word < fair:
            return word % limit
    raise ValueError("the words have run out")


def shuffled_deck(seed: bytes, n: int) -> tuple[Card, ...]:
    """The whole deck, from the top, of the match's shuffle number ``n`` (from 1)."""
    cards = list(DECK)
    source = words(seed, "deal", n)
    for place in range(len(cards) - 1):
        other = place + below(source, len(cards) - place)
        cards[place], cards[other] = cards[other], cards[place]
    return tuple(cards)


def first_dealer(seed: bytes, seats: int) -> int:
    """The seat that deals first in a match that was not told its dealer."""
    return below(words(seed, "dealer", 1), seats)
