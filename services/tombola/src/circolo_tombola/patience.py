"""How many wrong claims a person may make: the server judges each of them, and the others wait for the next number."""

from __future__ import annotations

from collections import OrderedDict

from msgspec import Struct

WRONG_CLAIMS = 4
"""After one and the same number; the next number is a reason to claim again."""
FORGIVEN_MS = 500
"""After this long one of them is forgotten: about two a second for who keeps at it."""
REMEMBERED = 4_096
"""People; whoever was wrong longest ago is forgotten first."""


class _Wrong(Struct, frozen=True):
    drawn: int
    """Numbers that were drawn when he was wrong."""
    until: int
    """When the last of his wrong claims is forgotten, ms since 1970."""


class Patience:
    """A claim that is accepted costs nothing; after too many wrong ones even a right one has to wait a moment."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[tuple[str, str], _Wrong] = OrderedDict()

    def is_over(self, stream: str, player: str, drawn: int, now: int) -> bool:
        return self._until(stream, player, drawn, now) - now > (WRONG_CLAIMS - 1) * FORGIVEN_MS

    def wrong(self, stream: str, player: str, drawn: int, now: int) -> None:
        key = (stream, player)
        self._wrong[key] = _Wrong(drawn, max(self._until(stream, player, drawn, now), now) + FORGIVEN_MS)
        self._wrong.move_to_end(key)
        if len(self._wrong) > REMEMBERED:
            self._wrong.popitem(last=False)

    def _until(self, stream: str, player: str, drawn: int, now: int) -> int:
        known = self._wrong.get((stream, player))
        return known.until if known is not None and known.drawn == drawn else now
