"""A player's card as the portal shows it: matches, the share that he won, the share that he abandoned. Ranked only."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
from msgspec import Struct

from .pages import SECONDS

_STATISTICS = """
SELECT player, game, played, won, lost, tied, abandoned FROM projector.player_statistics WHERE player = ANY($1)
"""


class Statistics(Struct, frozen=True):
    """The partner of who abandoned has played, and neither won nor lost: the others may sum to less than ``played``."""

    played: int = 0
    won: int = 0
    lost: int = 0
    """Those that he abandoned included."""
    tied: int = 0
    abandoned: int = 0

    @property
    def won_percent(self) -> int:
        return percent(self.won, self.played)

    @property
    def abandoned_percent(self) -> int:
        return percent(self.abandoned, self.played)


NONE = Statistics()
"""Of who has played nothing."""


def percent(part: int, whole: int) -> int:
    """To the nearest whole one, a half up; 0 of nothing."""
    return (200 * part + whole) // (2 * whole) if whole else 0


async def statistics(pool: asyncpg.Pool, players: Sequence[str]) -> dict[str, dict[str, Statistics]]:
    """By player and game, ``EVERY`` for all games together; without what somebody has not played."""
    found: dict[str, dict[str, Statistics]] = {player: {} for player in players}
    for player, game, *counts in await pool.fetch(_STATISTICS, list(found), timeout=SECONDS):
        found[player][game] = Statistics(*counts)
    return found
