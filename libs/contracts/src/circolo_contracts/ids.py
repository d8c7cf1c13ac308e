"""Ids are types of their own, so that a player cannot be passed where a room is wanted.

A stream is ``<kind>-<id>``; ids are UUIDs as 32 lower-case hex digits, except ``code-<CODE>``.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from typing import NewType

PlayerId = NewType("PlayerId", str)
"""32 hex digits; never depends on how one signs in."""
RoomId = NewType("RoomId", str)
GameId = NewType("GameId", str)
RoomCode = NewType("RoomCode", str)
"""Six characters of ``ROOM_CODE_ALPHABET``."""
Stream = NewType("Stream", str)
GlobalId = NewType("GlobalId", str)
"""What frontends see: opaque to them, base64url of ``Type:stream`` or ``Type:stream:room``."""

ROOM_CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""31 characters: no 0 or O, no 1, I or L, which look alike on a screen across the room."""
ROOM_CODE_LENGTH = 6

MAX_GLOBAL_ID = 256
"""Characters; ours have about a hundred."""

_STREAM = re.compile(r"^(?:code-[2-9A-HJKMNP-Z]{6}|(?!code-)[a-z]+-[0-9a-f]{32})\Z")
_HEX32 = re.compile(r"^[0-9a-f]{32}\Z")


def is_hex_id(text: str) -> bool:
    return _HEX32.match(text) is not None


def is_stream(text: str) -> bool:
    return _STREAM.match(text) is not None


def is_room_code(text: str) -> bool:
    return len(text) == ROOM_CODE_LENGTH and all(c in ROOM_CODE_ALPHABET for c in text)


def stream_of(kind: str, identity: str) -> Stream:
    return Stream(f"{kind}-{identity}")


def kind_of(stream: str) -> str:
    return stream.partition("-")[0]


def id_of(stream: str) -> str:
    return stream.partition("-")[2]


def player_stream(player: PlayerId) -> Stream:
    return stream_of("player", player)


def room_stream(room: RoomId) -> Stream:
    return stream_of("room", room)


def chat_stream(room: RoomId) -> Stream:
    return stream_of("chat", room)


def report_stream(report: str) -> Stream:
    return stream_of("report", report)


def code_stream(code: RoomCode) -> Stream:
    return stream_of("code", code)


def global_id(type_name: str, stream: str, room: RoomId | None = None) -> GlobalId:
    text = f"{type_name}:{stream}" if room is None else f"{type_name}:{stream}:{room}"
    return GlobalId(base64.urlsafe_b64encode(text.encode()).decode().rstrip("="))


def parse_global_id(text: str) -> tuple[str, Stream, RoomId | None] | None:
    """(type name, stream, room of a game or None); None when the text is no id of ours."""
    return _parse(text) if len(text) <= MAX_GLOBAL_ID else None


@lru_cache(maxsize=4096)  # the same few ids come with every move
def _parse(text: str) -> tuple[str, Stream, RoomId | None] | None:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        parts = raw.decode("ascii").split(":")
    except (binascii.Error, ValueError):
        return None
    if len(parts) not in (2, 3) or not is_stream(parts[1]):
        return None
    if len(parts) == 3:
        return (parts[0], Stream(parts[1]), RoomId(parts[2])) if is_hex_id(parts[2]) else None
    return parts[0], Stream(parts[1]), None
