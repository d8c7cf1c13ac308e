"""What the games of one evening have in common: a room plays one after another, and a party game that is over is over
for good when the next one begins."""

from __future__ import annotations

from msgspec import Struct


class GameSuperseded(Struct, frozen=True):
    """Last event of a party game: its room has begun another one. What comes for it now is STALE_GAME."""

    at: int
    by: str
    """The id of the new game."""


class SupersedeGame(Struct, frozen=True):
    """From the game service's own reaction to ``GameRequested.previous``."""

    by: str
