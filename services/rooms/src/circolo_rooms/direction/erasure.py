"""Forgetting a player: his name, what he said in chats, and what reports kept of him, once they are closed.

Ids and sums stay. An open report keeps his texts till it is closed: who is reported cannot undo it by leaving.
"""

from __future__ import annotations

import asyncpg
from circolo_contracts.direction import EraseMe
from circolo_contracts.wire import Answer, Command, Done
from circolo_events.checkpoints import Connection
from circolo_events.runtime import Runtime

from ..errands import Handler, instead, reading
from .commands import Erase

EPOCH = """
INSERT INTO player_epoch AS e (player, epoch, erased) VALUES ($1, $2, $3)
ON CONFLICT (player) DO UPDATE SET epoch = greatest(e.epoch, excluded.epoch), erased = e.erased OR excluded.erased
"""
_OF = (
    "DELETE FROM profile_draft WHERE player = $1",
    "DELETE FROM profile WHERE player = $1",
    "DELETE FROM chat_text WHERE player = $1",
    "DELETE FROM report_text t USING report r WHERE r.report = t.report AND t.player = $1 AND r.status = 'CLOSED'",
    "UPDATE report SET note = NULL, note_salt = NULL WHERE reporter = $1 AND status = 'CLOSED'",
)
# What was on its way while somebody was erased, and what an open report had kept until it was closed.
_OF_THE_ERASED = (
    "DELETE FROM profile_draft d USING player_epoch e WHERE e.player = d.player AND e.erased",
    "DELETE FROM profile p USING player_epoch e WHERE e.player = p.player AND e.erased",
    "DELETE FROM chat_text t USING player_epoch e WHERE e.player = t.player AND e.erased",
    """
    DELETE FROM report_text t USING player_epoch e, report r
    WHERE e.player = t.player AND e.erased AND r.report = t.report AND r.status = 'CLOSED'
    """,
    """
    UPDATE report r SET note = NULL, note_salt = NULL FROM player_epoch e
    WHERE e.player = r.reporter AND e.erased AND r.status = 'CLOSED' AND r.note IS NOT NULL
    """,
)


async def forget(connection: Connection, player: str, epoch: int) -> None:
    """In one transaction; may be repeated."""
    await connection.execute(EPOCH, player, epoch, True)
    for statement in _OF:
        await connection.execute(statement, player)


class Erasure:
    """``pool`` is on rooms' schema."""

    def __init__(self, runtime: Runtime, pool: asyncpg.Pool) -> None:
        self.runtime = runtime
        self.pool = pool

    def handlers(self) -> dict[str, Handler]:
        return {"EraseMe": reading(EraseMe, ("player",), self.erase_me)}

    async def erase_me(self, stream: str, command: Command, _wish: EraseMe) -> Answer:
        """First the event: from then on nothing new of him is written. If we die between, the register erases."""
        answer = await self.runtime.execute(stream, instead(command, Erase()))
        if isinstance(answer, Done):
            player = await self.runtime.state(stream)
            async with self.pool.acquire(timeout=10) as connection, connection.transaction():
                await forget(connection, player.player, player.epoch)
        return answer

    async def sweep(self) -> None:
        for statement in _OF_THE_ERASED:
            await self.pool.execute(statement)
