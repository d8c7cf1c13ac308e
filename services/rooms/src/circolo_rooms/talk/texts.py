"""What was said, in its erasable table: written before the event under the message's id, nothing of it in the log."""

from __future__ import annotations

import asyncpg
from circolo_contracts.ids import RoomId, chat_stream
from circolo_events.canonical import shard_of
from circolo_events.store import Store
from msgspec import Struct

from ..salted import digest, new_salt

SWEEP_BATCH = 200

# The row that is there already is returned too: a repeated command goes on with its first salt.
_DRAFT = """
INSERT INTO chat_text (message, room, player, text, salt) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (message) DO UPDATE SET message = excluded.message
RETURNING text, salt
"""
# Also when another attempt of the same command was refused meanwhile and took the text away; not of who was erased.
_SETTLE = """
INSERT INTO chat_text (message, room, player, text, salt, kept) SELECT $1, $2, $3, $4, $5, true
WHERE NOT EXISTS (SELECT FROM player_epoch e WHERE e.player = $3 AND e.erased)
ON CONFLICT (message) DO UPDATE SET kept = true
"""
_SINCE = """
SELECT e.version, e.type, e.schema_v, e.data, t.text FROM event e
LEFT JOIN chat_text t ON t.message = encode(uuid_send(e.command_id), 'hex')
WHERE e.shard = $1 AND e.stream = $2 AND e.version > $3 ORDER BY e.version LIMIT $4
"""
_BEFORE = """
SELECT e.version, e.type, e.schema_v, e.data, t.text FROM event e
LEFT JOIN chat_text t ON t.message = encode(uuid_send(e.command_id), 'hex')
WHERE e.shard = $1 AND e.stream = $2 AND e.version < $3 ORDER BY e.version DESC LIMIT $4
"""
_DOUBTFUL = """
SELECT message, room FROM chat_text WHERE NOT kept AND at < now() - interval '1 hour' ORDER BY at LIMIT $1
"""


class Spoken(Struct, frozen=True):
    text: str
    salt: bytes

    @property
    def digest(self) -> str:
        """What the event holds."""
        return digest(self.salt, self.text)


class Line(Struct, frozen=True):
    """A stored event of a chat, not yet decoded, with its text if there is one."""

    version: int
    type: str
    schema_v: int
    data: bytes
    text: str | None


class Texts:
    """``pool`` and ``store`` are on rooms' schema."""

    def __init__(self, pool: asyncpg.Pool, store: Store) -> None:
        self.pool = pool
        self.store = store

    async def draft(self, message: str, room: str, player: str, text: str) -> Spoken:
        """Write the text before its event. The answer is what this message id brought first."""
        row = await self.pool.fetchrow(_DRAFT, message, room, player, text, new_salt())
        return Spoken(row["text"], row["salt"])

    async def settle(self, message: str, room: str, player: str, spoken: Spoken) -> None:
        """Its event is committed."""
        await self.pool.execute(_SETTLE, message, room, player, spoken.text, spoken.salt)

    async def discard(self, message: str, room: str) -> None:
        """It was refused; but not if an earlier attempt of the same command committed it."""
        if await self.store.find_command(chat_stream(RoomId(room)), message) is None:
            await self.pool.execute("DELETE FROM chat_text WHERE message = $1", message)

    async def forget(self, message: str) -> None:
        """What was written for a repetition of a message whose text had been erased."""
        await self.pool.execute("DELETE FROM chat_text WHERE message = $1", message)

    async def since(self, stream: str, after: int, most: int) -> list[Line]:
        """The events of a chat after a version, in order."""
        return [Line(*row) for row in await self.pool.fetch(_SINCE, shard_of(stream), stream, after, most)]

    async def before(self, stream: str, version: int, most: int) -> list[Line]:
        """The events of a chat before a version, the newest first."""
        return [Line(*row) for row in await self.pool.fetch(_BEFORE, shard_of(stream), stream, version, most)]

    async def sweep(self) -> int:
        """After an hour a text whose event never came is deleted; the others stay until they are erased."""
        rows = await self.pool.fetch(_DOUBTFUL, SWEEP_BATCH)
        for row in rows:
            if await self.store.find_command(chat_stream(RoomId(row["room"])), row["message"]) is None:
                await self.forget(row["message"])
            else:
                await self.pool.execute("UPDATE chat_text SET kept = true WHERE message = $1", row["message"])
        return len(rows)
