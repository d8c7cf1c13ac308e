"""Names of players: read in batches from rooms' profiles, which nobody copies, so that an erased name is gone at once
(at most ``seconds`` later, longer only while the database is away).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import asyncpg

from .remembered import Read, Remembered

_NAMES = "SELECT player, name FROM rooms.profile WHERE player = ANY($1)"


def profiles(pool: asyncpg.Pool) -> Read[str]:
    async def read(players: Sequence[str]) -> Mapping[str, str]:
        return {row["player"]: row["name"] for row in await pool.fetch(_NAMES, list(players), timeout=5)}

    return read


class Names(Remembered[str]):
    async def name(self, player: str) -> str | None:
        """None for a player who is not known or was erased. Raises what the database raises where none is known."""
        return await self.get(player)
