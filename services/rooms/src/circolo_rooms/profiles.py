"""Names in their erasable table: a draft before the event, the profile after it, nothing of either in the log."""

from __future__ import annotations

import logging

import asyncpg
from circolo_contracts.ids import PlayerId, player_stream
from circolo_events.store import Store
from msgspec import Struct

from .salted import digest, new_salt

log = logging.getLogger(__name__)

SWEEP_BATCH = 200

# The row that is there already is returned too: a repeated command goes on with its first salt.
_DRAFT = """
INSERT INTO profile_draft (command_id, player, name, salt) VALUES ($1, $2, $3, $4)
ON CONFLICT (command_id) DO UPDATE SET command_id = excluded.command_id
RETURNING name, salt
"""
# Not of who was erased meanwhile.
_PUBLISH = """
WITH draft AS (DELETE FROM profile_draft WHERE command_id = $1 RETURNING player, name, salt)
INSERT INTO profile AS p (player, name, salt, command_id, version)
SELECT player, name, salt, $1, $2 FROM draft
WHERE NOT EXISTS (SELECT FROM player_epoch e WHERE e.player = draft.player AND e.erased)
ON CONFLICT (player) DO UPDATE
SET name = excluded.name, salt = excluded.salt, command_id = excluded.command_id, version = excluded.version,
    at = excluded.at
WHERE p.version < excluded.version
"""
_WAITING = """
SELECT command_id, player, at < now() - interval '1 hour' AS old FROM profile_draft
WHERE at < now() - interval '1 minute' ORDER BY at LIMIT $1
"""


class Draft(Struct, frozen=True):
    name: str
    salt: bytes

    @property
    def digest(self) -> str:
        """What the event holds."""
        return digest(self.salt, self.name)


class Profiles:
    """``pool`` and ``store`` are on rooms' schema. Everything may be repeated under the same command id."""

    def __init__(self, pool: asyncpg.Pool, store: Store) -> None:
        self.pool = pool
        self.store = store

    async def draft(self, command_id: str, player: str, name: str) -> Draft:
        """Write the name before its event. The answer is what this command id brought first."""
        row = await self.pool.fetchrow(_DRAFT, command_id, player, name, new_salt())
        return Draft(row["name"], row["salt"])

    async def publish(self, command_id: str, version: int) -> None:
        """Its event is committed as ``version`` of the player's stream: show the name unless a newer one is shown."""
        await self.pool.execute(_PUBLISH, command_id, version)

    async def discard(self, command_id: str, player: str) -> None:
        """It was refused; but not if an earlier attempt of the same command committed it."""
        if await self.store.find_command(player_stream(PlayerId(player)), command_id) is None:
            await self.pool.execute("DELETE FROM profile_draft WHERE command_id = $1", command_id)

    async def named_by(self, command_id: str, player: str) -> str | None:
        """The name that this command gave, as long as it is the one that is shown."""
        name: str | None = await self.pool.fetchval(
            "SELECT name FROM profile WHERE player = $1 AND command_id = $2", player, command_id
        )
        return name

    async def sweep(self) -> int:
        """Publish what was committed and not published; after an hour delete what never was. Returns how many."""
        done = 0
        for row in await self.pool.fetch(_WAITING, SWEEP_BATCH):
            first = await self.store.find_command(player_stream(PlayerId(row["player"])), row["command_id"])
            if first is not None:
                await self.publish(row["command_id"], first.version)
            elif row["old"]:
                await self.discard(row["command_id"], row["player"])
            else:
                continue
            done += 1
        return done
