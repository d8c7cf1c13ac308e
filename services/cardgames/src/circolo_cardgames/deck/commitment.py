"""The promise about chance: the seed is fixed, and its hash public, before the first card is dealt."""

from __future__ import annotations

import hashlib
import hmac
import re

SEED_BYTES = 32

_SEED_HEX = re.compile(r"^[0-9a-f]{64}\Z")


def commit(game_id: str, seed: bytes) -> str:
    """SHA-256, as 64 lower-case hex digits, of the ASCII text ``circolo-1|<game id>|<seed hex>``.

    ``game_id`` is the 32 hex digits of the match's stream. The seed has 256 bits of entropy, so the hash tells
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
