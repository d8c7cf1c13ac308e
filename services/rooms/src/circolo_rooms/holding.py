"""Presence leases, renewed by the statement: a gateway renews all of its players at once, and they share a few."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import asyncpg
from circolo_events.clock import Clock
from msgspec import Struct

MOST_AT_ONCE = 500

# In the order of the keys, so that two replicas never wait for each other.
_HOLD = """
WITH wish AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS w (room, player, gateway)),
here AS (
    INSERT INTO attendance AS a (room, player) SELECT DISTINCT room, player FROM wish ORDER BY room, player
    ON CONFLICT (room, player) DO UPDATE SET leaving = false WHERE a.leaving
    RETURNING a.room, a.player
), held AS (
    INSERT INTO presence_lease (room, player, gateway, until)
    SELECT DISTINCT room, player, gateway, $4::int8 FROM wish ORDER BY room, player, gateway
    ON CONFLICT (room, player, gateway) DO UPDATE SET until = excluded.until
)
SELECT room, player FROM here
"""


class _Wish(Struct):
    room: str
    player: str
    gateway: str
    came: asyncio.Future[bool]


class Holds:
    """What is wished while a statement runs is done by the next one. ``pool`` is on rooms' schema."""

    def __init__(self, pool: asyncpg.Pool, clock: Clock, lease_ms: int) -> None:
        self.statements = 0
        self._pool = pool
        self._clock = clock
        self._lease_ms = lease_ms
        self._wishes: list[_Wish] = []
        self._task: asyncio.Task[None] | None = None

    async def hold(self, room: str, player: str, gateway: str) -> bool:
        """True when he had no attendance in the room, or was about to lose it. Raises what asyncpg raises."""
        return await self._wish(room, player, gateway)

    async def hold_all(self, places: Sequence[tuple[str, str]], gateway: str) -> list[bool]:
        """The same for many (room, player), in their order."""
        return await asyncio.gather(*[self._wish(room, player, gateway) for room, player in places])

    def _wish(self, room: str, player: str, gateway: str) -> asyncio.Future[bool]:
        loop = asyncio.get_running_loop()
        wish = _Wish(room, player, gateway, loop.create_future())
        self._wishes.append(wish)
        if self._task is None:
            self._task = loop.create_task(self._run(), name="holds")
        return wish.came

    async def _run(self) -> None:
        try:
            while self._wishes:
                wishes, self._wishes = self._wishes[:MOST_AT_ONCE], self._wishes[MOST_AT_ONCE:]
                await self._grant(wishes)
        finally:
            self._task = None

    async def _grant(self, wishes: Sequence[_Wish]) -> None:
        self.statements += 1
        columns = ([w.room for w in wishes], [w.player for w in wishes], [w.gateway for w in wishes])
        try:
            rows = await self._pool.fetch(_HOLD, *columns, self._clock.now() + self._lease_ms)
        except Exception as error:
            if len(wishes) > 1 and isinstance(error, asyncpg.DataError):
                for wish in wishes:  # whose it is must not be everybody's
                    await self._grant([wish])
                return
            for wish in wishes:
                if not wish.came.done():
                    wish.came.set_exception(error)
            return
        came = {(room, player) for room, player in rows}
        for wish in wishes:
            if not wish.came.done():
                wish.came.set_result((wish.room, wish.player) in came)
