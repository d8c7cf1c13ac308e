"""Canonical JSON: sorted keys, absent instead of null, strings, booleans and integers only.

Events are hashed, so the same event must give the same bytes on every machine and version. What cannot be stored
is refused at the boundary by name, never repaired silently.
"""

from __future__ import annotations

import hashlib
import uuid
import zlib
from typing import Any

import msgspec

MAX_SAFE_INTEGER = 2**53 - 1
"""Beyond it JavaScript and many JSON readers round."""
SHARDS = 16

_encoder = msgspec.json.Encoder(order="sorted")


class NotCanonical(ValueError):
    """A value that must not be stored. ``code`` names what is wrong, ``path`` where."""

    def __init__(self, code: str, path: str) -> None:
        super().__init__(f"{code} at {path or 'the top'}")
        self.code = code
        self.path = path


encode = _encoder.encode
"""Canonical bytes of a struct, dict, list, string, boolean or integer."""


def check(value: Any, path: str = "") -> None:
    """Refuse NUL, lone surrogates, integers beyond 2^53, floats and null in plain data (as decoded from JSON).

    Raises NotCanonical with code NUL, SURROGATE, INTEGER, FLOAT, NULL or TYPE.
    """
    if value is True or value is False:
        return
    if isinstance(value, str):
        if "\x00" in value:
            raise NotCanonical("NUL", path)
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise NotCanonical("SURROGATE", path)
    elif isinstance(value, int):
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise NotCanonical("INTEGER", path)
    elif isinstance(value, float):
        raise NotCanonical("FLOAT", path)
    elif value is None:
        raise NotCanonical("NULL", path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            check(key, path)
            check(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            check(inner, f"{path}[{index}]")
    else:
        raise NotCanonical("TYPE", path)


def digest(*parts: bytes) -> bytes:
    """SHA-256 over the parts, each with its length before it, so that no two lists of parts collide."""
    told = [piece for part in parts for piece in (len(part).to_bytes(8, "big"), part)]
    return hashlib.sha256(b"".join(told)).digest()


def shard_of(stream: str) -> int:
    """The one place that computes a stream's shard (0 to 15)."""
    return zlib.crc32(stream.encode()) % SHARDS


_DEADLINE = uuid.UUID("6f1ed2a0-6d0f-5d5c-9d54-6a4d1c7f0a01").bytes
_REACTION = uuid.UUID("6f1ed2a0-6d0f-5d5c-9d54-6a4d1c7f0a02").bytes


def deadline_command_id(stream: str, kind: str, version: int) -> str:
    return _uuid5(_DEADLINE, f"{stream}|{kind}|{version}")


def reaction_command_id(event_id: str, rule: str) -> str:
    return _uuid5(_REACTION, f"{event_id}|{rule}")


def client_command_id(player_id: str, key: str) -> str:
    """A player's own namespace: nobody collides with another player, with a timer or with a reaction.

    ``key``: a UUID as 32 hex digits.
    """
    return _uuid5(bytes.fromhex(player_id), key)


def _uuid5(namespace: bytes, name: str) -> str:
    """RFC 9562 version 5 as 32 hex digits, without the objects that ``uuid.uuid5`` makes on the way."""
    value = bytearray(hashlib.sha1(namespace + name.encode(), usedforsecurity=False).digest()[:16])
    value[6] = value[6] & 0x0F | 0x50
    value[8] = value[8] & 0x3F | 0x80
    return value.hex()
