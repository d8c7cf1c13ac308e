"""Who is there: leases that gateways hold for their subscribers, and the marks that follow from them.

A player is there as long as any gateway says so. Nobody is marked as gone within one full lease period after our own
start, NATS's return or the database's restart, since then the silence may be ours and not the player's.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from datetime import datetime

import asyncpg
from circolo_contracts.ids import RoomId, id_of, is_hex_id, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    PRESENCE_LEASE_MS,
    RENEWED_AT_ONCE,
    DropPresence,
    HoldPresence,
    MarkConnected,
    MarkDisconnected,
    RenewPresence,
)
from circolo_contracts.wire import Answer, Ask, Command, Done, Refused, encoder
from circolo_events.clock import Clock
from circolo_events.runtime import Runtime
from msgspec import Raw

from .errands import NOTHING_STORED, UNDECIDED, Handler, errand, instead, reading
from .holding import Holds
from .sight import view
from .state import RoomState

log = logging.getLogger(__name__)

SWEEP_SECONDS = 2.0
SWEEP_BATCH = 500

_DROP = "DELETE FROM presence_lease WHERE room = $1 AND player = $2 AND gateway = $3"
_IS_HELD = "SELECT EXISTS (SELECT FROM presence_lease WHERE room = $1 AND player = $2 AND until > $3)"
_LEAVING = """
UPDATE attendance a SET leaving = true
WHERE a.room = $1 AND a.player = $2
  AND NOT EXISTS (SELECT FROM presence_lease l WHERE l.room = a.room AND l.player = a.player AND l.until > $3)
RETURNING true
"""
# Not while somebody holds him again: a hold either took the flag back or left a lease that this snapshot sees.
_LEFT = """
DELETE FROM attendance a
WHERE a.room = $1 AND a.player = $2 AND a.leaving
  AND NOT EXISTS (SELECT FROM presence_lease l WHERE l.room = a.room AND l.player = a.player AND l.until > $3)
RETURNING true
"""
_ABSENT = """
SELECT a.room, a.player FROM attendance a
WHERE NOT EXISTS (SELECT FROM presence_lease l WHERE l.room = a.room AND l.player = a.player AND l.until > $1)
LIMIT $2
"""


class Presence:
    """``pool`` is on rooms' schema. ``sweep`` is called every ``SWEEP_SECONDS``, by any number of replicas."""

    def __init__(
        self, runtime: Runtime, pool: asyncpg.Pool, clock: Clock, *, lease_ms: int = PRESENCE_LEASE_MS
    ) -> None:
        self.runtime = runtime
        self.pool = pool
        self.clock = clock
        self.lease_ms = lease_ms
        self.holds = Holds(pool, clock, lease_ms)
        self._trusted_from = 0
        self._postgres_since: datetime | None = None
        self.distrust()

    def handlers(self) -> dict[str, Handler]:
        return {
            "HoldPresence": reading(HoldPresence, ("room",), self.hold),
            "RenewPresence": reading(RenewPresence, ("presence",), self.renew),
            "DropPresence": reading(DropPresence, ("room",), self.drop),
        }

    def distrust(self) -> None:
        """Leases may have run out because we were away: give every gateway the time to renew them."""
        self._trusted_from = self.clock.now() + self.lease_ms

    @property
    def is_trusted(self) -> bool:
        return self.clock.now() >= self._trusted_from

    async def hold(self, stream: str, command: Command, wish: HoldPresence) -> Answer:
        """A lease also for somebody who is not in the room yet: it counts from the moment when he is."""
        if command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        came = await self.holds.hold(id_of(stream), wish.player, wish.gateway)
        known = None if came else self._shows(stream, wish.player)
        if known is not None:
            return Done(known.version, 0, False, Raw(encoder.encode(view(known))), known.version)
        return await self.runtime.execute(stream, instead(command, MarkConnected(wish.player)))

    async def renew(self, _: str, command: Command, wish: RenewPresence) -> Answer:
        """Renew many leases; who is not marked as there, since his lease had run out, is marked again."""
        if command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        places = [(room, player) for room, players in wish.players.items() for player in players]
        if len(places) > RENEWED_AT_ONCE or not all(is_hex_id(room) and is_hex_id(player) for room, player in places):
            return Refused(RefusalCode.MALFORMED, field="players")
        marks = []
        for (room, player), came in zip(places, await self.holds.hold_all(places, wish.gateway), strict=True):
            stream = room_stream(RoomId(room))
            if came or self._shows(stream, player) is None:
                marks.append(self._mark(stream, MarkConnected(player)))
        await asyncio.gather(*marks)
        return NOTHING_STORED

    async def drop(self, stream: str, command: Command, wish: DropPresence) -> Answer:
        """The player's last socket at this gateway closed; he may still be at another one."""
        if command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        await self.pool.execute(_DROP, id_of(stream), wish.player, wish.gateway)
        if self.is_trusted:
            await self._part(stream, wish.player)
        return await self.runtime.ask(stream, Ask(viewer=wish.player))

    async def welcome(self, stream: str, player: str) -> None:
        """Somebody who was looking on became a member."""
        if await self.pool.fetchval(_IS_HELD, id_of(stream), player, self.clock.now()):
            await self._mark(stream, MarkConnected(player))

    async def sweep(self) -> int:
        """Mark as gone who is held by no gateway. Returns how many."""
        await self._look_at_postgres()
        if not self.is_trusted:
            return 0
        now = self.clock.now()
        gone = 0
        for row in await self.pool.fetch(_ABSENT, now, SWEEP_BATCH):
            gone += await self._part(room_stream(RoomId(row["room"])), row["player"])
        await self.pool.execute("DELETE FROM presence_lease WHERE until < $1", now - self.lease_ms)
        return gone

    async def _look_at_postgres(self) -> None:
        """A database that crashed has lost the leases."""
        since = await self.pool.fetchval("SELECT pg_postmaster_start_time()")
        if self._postgres_since not in (None, since):
            log.info("postgres was restarted; presence waits for the gateways")
            self.distrust()
        self._postgres_since = since

    async def _part(self, stream: str, player: str) -> bool:
        """He is gone, unless somebody holds him, now or by the time when it is written."""
        room = id_of(stream)
        if not await self.pool.fetchval(_LEAVING, room, player, self.clock.now()):
            return False
        answer = await self._mark(stream, MarkDisconnected(player))
        if isinstance(answer, Refused) and answer.code in UNDECIDED:
            return False
        if await self.pool.fetchval(_LEFT, room, player, self.clock.now()):
            return True
        await self._mark(stream, MarkConnected(player))
        return False

    def _shows(self, stream: str, player: str) -> RoomState | None:
        """The room, if it is at hand and has him as there. Nearly every renewal finds it so; whoever marked him as gone
        meanwhile, elsewhere, took his attendance, so that he came anew."""
        state: RoomState | None = self.runtime.cached(stream)
        member = None if state is None else state.member(player)
        return state if member is not None and member.connected else None

    async def _mark(self, stream: str, mark: MarkConnected | MarkDisconnected) -> Answer:
        return await self.runtime.execute(stream, errand(uuid.uuid4().hex, mark))
