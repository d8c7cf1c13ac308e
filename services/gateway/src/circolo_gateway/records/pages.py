"""Pages of a list: as many rows as were asked for, whether there are more, and cursors that name a row by its key."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")
Key = tuple[int | str, ...]

MAX_CURSOR = 400
SECONDS = 5.0
"""A read may take so long."""
EVERY = "ALL"
"""All games, or all seasons, in the read models."""


class Page(Struct, Generic[T], frozen=True):
    rows: list[T]
    more: bool


def page_of(records: Sequence[Any], first: int, made: Callable[[Any], T]) -> Page[T]:
    """Of ``first + 1`` records that were asked for."""
    return Page([made(record) for record in records[:first]], len(records) > first)


def cursor_of(key: Key) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


def read_cursor(text: str, *kinds: type[int | str]) -> Key | None:
    """The key, of exactly these kinds; None when it is no cursor of that list."""
    if len(text) > MAX_CURSOR:
        return None
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        parts = msgspec.json.decode(raw, type=list[int | str])
    except ValueError:  # of base64, of UTF-8 and of msgspec
        return None
    fits = len(parts) == len(kinds) and all(type(part) is kind for part, kind in zip(parts, kinds, strict=True))
    return tuple(parts) if fits and all(map(_is_storable, parts)) else None


def _is_storable(part: int | str) -> bool:
    """What the database can compare with: no NUL in a text, no number beyond its integers."""
    return "\x00" not in part if isinstance(part, str) else -(2**53) < part < 2**53
