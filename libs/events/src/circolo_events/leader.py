"""One active replica a name, by a row that says who and until when (ms, by the database's clock).

It saves work and is never needed for correctness: effects are guarded by the checkpoint's compare-and-set, commands by
their ids, the relay by JetStream's expected sequence. A stopped process loses the lease when its time is over.
"""

from __future__ import annotations

import time
import uuid

import asyncpg

from .polling import Claim, Polls, until_tick

TTL_MS = 2000


class Lease:
    """``pool`` is on the schema of whoever competes."""

    def __init__(self, pool: asyncpg.Pool, name: str, *, ttl_ms: int = TTL_MS) -> None:
        self.pool = pool
        self.name = name
        self._claim = Claim(name, uuid.uuid4(), ttl_ms)
        self._period = ttl_ms / 3000
        self._held_in = -1.0
        """The third of its time in which it was taken or kept last; a process's leases change at the same moment."""

    async def hold(self) -> bool:
        """Take or keep the lease. Asks the database once in a third of its time. Raises what asyncpg raises."""
        third = time.monotonic() // self._period
        if third == self._held_in:
            return True
        self._held_in = -1.0
        held = await Polls.of(self.pool).leases.of(self._claim)
        if held:
            self._held_in = third
        return held

    def until_due(self) -> float:
        """Seconds until it must be kept again."""
        return until_tick(self._period)

    async def release(self) -> None:
        """Let the next one begin at once."""
        self._held_in = -1.0
        await self.pool.execute(
            "DELETE FROM lease WHERE name = $1 AND holder = $2", self.name, self._claim.holder, timeout=5
        )
