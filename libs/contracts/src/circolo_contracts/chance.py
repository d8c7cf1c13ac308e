"""Chance that anybody can check afterwards, by one rule for every game: a seed, promised by its hash, and what follows.

1. *Promise.* A game's seed is 32 bytes from the system's generator. Its commitment is public before the first card,
   draw or question; the seed itself at the end. It proves that nothing was changed in between, and no more.
2. *Label.* Each use of the seed has a purpose and a number ``n`` from 1 that counts every use of that purpose: the
   first shuffle of a match is ``deal|1``, the options of a night's third question are ``options|3``.
3. *Words.* Block ``c`` (0, 1, 2, ...) is HMAC-SHA-256 with the 32 raw bytes of the seed as key and the ASCII text
   ``<purpose>|<n>|<c>`` (n and c in decimal, no leading zeros) as message. Its 32 bytes are eight unsigned words of
   4 bytes, big-endian, in order; block c + 1 follows block c.
4. *A number below k.* Take the next word w. If w >= 2^32 - (2^32 mod k), throw it away and take the next one;
   else the number is w mod k. So each number is equally likely.
5. *Shuffle.* For each place i from the first to the last but one: draw j below (count - i), exchange what is at the
   places i and i + j.

Golden vectors in the tests freeze every byte of this.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeVar

Purpose = Literal["deal", "dealer", "tickets", "draws", "options", "control"]

SEED_BYTES = 32
_WORD = 2**32
_SEED_HEX = re.compile(r"^[0-9a-f]{64}\Z")
T = TypeVar("T")


def commit(game_id: str, seed: bytes) -> str:
    """SHA-256, as 64 lower-case hex digits, of the ASCII text ``circolo-1|<game id>|<seed hex>``.

    ``game_id`` is the 32 hex digits of the game's stream. The seed has 256 bits of entropy, so the hash tells
    nothing about it; the game id in the text keeps one seed from being promised twice.
    """
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    return hashlib.sha256(f"circolo-1|{game_id}|{seed.hex()}".encode("ascii")).hexdigest()


def keeps_promise(commitment: str, game_id: str, seed_hex: str) -> bool:
    """Whether the revealed seed is the one that was promised. False for a text that is no seed."""
    if not _SEED_HEX.match(seed_hex):
        return False
    return hmac.compare_digest(commit(game_id, bytes.fromhex(seed_hex)), commitment)


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


def shuffled(source: Iterator[int], things: Iterable[T]) -> tuple[T, ...]:
    """All of them, in an order that these words decide."""
    placed = list(things)
    for place in range(len(placed) - 1):
        other = place + below(source, len(placed) - place)
        placed[place], placed[other] = placed[other], placed[place]
    return tuple(placed)
