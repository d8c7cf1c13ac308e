"""One active replica a name, by a row that says who and until when (ms, by the database's clock).

It saves work and is never needed for correctness: effects are guarded by the checkpoint's compare-and-set, commands by
their ids, the relay by JetStream's expected sequence. A stopped process loses the lease when its time is over.
"""

from __future__ import annotations

import time
import uuid

import asyncpg

TTL_MS = 2000

_HOLD = """
INSERT INTO lease AS l (name, holder, until)
VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::int8 + $3)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until < excluded.until - $3
RETURNING true
"""


class Lease:
    """``pool`` is on the schema of whoever competes."""

    def __init__(self, pool: asyncpg.Pool, name: str, *, ttl_ms: int = TTL_MS) -> None:
        self.pool = pool
        self.name = name
        self.ttl_ms = ttl_ms
        self._holder = uuid.uuid4()
        self._renew_at = 0.0

    async def hold(self) -> bool:
        """Take or keep the lease. Asks the database only after a third of its time. Raises what asyncpg raises."""
        now = time.monotonic()
        if now < self._renew_at:
            return True
        self._renew_at = 0.0
        held = await self.pool.fetchval(_HOLD, self.name, self._holder, self.ttl_ms, timeout=5)
        if held:
            self._renew_at = now + self.ttl_ms / 3000
        return bool(held)

    async def release(self) -> None:
        """Let the next one begin at once."""
        self._renew_at = 0.0
        await self.pool.execute("DELETE FROM lease WHERE name = $1 AND holder = $2", self.name, self._holder, timeout=5)
