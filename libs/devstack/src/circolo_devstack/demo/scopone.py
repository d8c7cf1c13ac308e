"""A scopone of nine cards to sixteen points, told as a scopa is: all is dealt at once, four cards lie on the table."""

from __future__ import annotations

from ..api import Json
from . import scopa
from .scopa import choose, report

__all__ = ["GAME", "WISH", "Commentary", "choose", "report"]

GAME = "scopone_nove"
WISH: Json = {"scoponeNove": {}}


class Commentary(scopa.Commentary):
    target = 16
