"""The language of room codes: which room a code leads to."""

from __future__ import annotations

from msgspec import Struct

# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class CodeReserved(Struct, frozen=True):
    at: int
    room: str


class CodeClaimed(Struct, frozen=True):
    """The room exists. A reservation that nobody claims within the hour is released."""

    room: str


class CodeReleased(Struct, frozen=True):
    room: str


CodeEvent = CodeReserved | CodeClaimed | CodeReleased

# ---------------------------------------------------------------- commands


class ReserveCode(Struct, frozen=True):
    room: str


class ClaimCode(Struct, frozen=True):
    """From rooms' own reaction to ``RoomCreated``."""

    room: str


class ReleaseCode(Struct, frozen=True):
    room: str
