"""Rooms' own commands: what its processes send to its deciders after they did their part outside (names, codes).

Nobody else sends them. They carry digests where people's commands carry personal text, and a code that is reserved
where people's commands carry none.
"""

from __future__ import annotations

from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import Visibility
from msgspec import Struct


class RegisterPlayer(Struct, frozen=True):
    """From sign-in: the name lies in the table of drafts, ``name_digest`` is HMAC-SHA-256(salt, name) in hex."""

    name_digest: str


class ChangeName(Struct, frozen=True):
    name_digest: str


class Identify(Struct, frozen=True):
    """Is there such a player? Never an event; the answer's view says who it is."""


class OpenRoom(Struct, frozen=True):
    """``code`` is reserved for this room until ``code_until`` (ms since 1970); later it may be somebody else's."""

    code: str
    code_until: int
    game: str
    settings: dict[str, SettingValue]
    visibility: Visibility
    ranked: bool = False


class EnterRoom(Struct, frozen=True):
    """Somebody knew the code."""

    watch: bool


class ExpireRoom(Struct, frozen=True):
    """The ``expiry`` deadline that version ``version`` armed came due."""

    version: int
