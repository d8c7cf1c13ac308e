"""How many wrong claims a person may make: the server judges each of them, and the others wait for the next number."""

from __future__ import annotations

from collections import OrderedDict

WRONG_CLAIMS = 4
"""In a row, one after the other."""
FORGIVEN_MS = 500
"""After this long one of them is forgotten: about two a second for who keeps at it."""
REMEMBERED = 4_096
"""People; whoever was wrong longest ago is forgotten first."""


class Patience:
    """A claim that is accepted costs nothing; after too many wrong ones even a right one has to wait a moment."""

    def __init__(self) -> None:
        self._wrong_until: OrderedDict[tuple[str, str], int] = OrderedDict()

    def is_over(self, stream: str, player: str, now: int) -> bool:
        until = self._wrong_until.get((stream, player), now)
        return until - now > (WRONG_CLAIMS - 1) * FORGIVEN_MS

    def wrong(self, stream: str, player: str, now: int) -> None:
        key = (stream, player)
        self._wrong_until[key] = max(self._wrong_until.get(key, now), now) + FORGIVEN_MS
        self._wrong_until.move_to_end(key)
        if len(self._wrong_until) > REMEMBERED:
            self._wrong_until.popitem(last=False)
