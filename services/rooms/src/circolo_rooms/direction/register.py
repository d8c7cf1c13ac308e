"""Rooms' own tables that follow its log: who is in which room, of whom tokens are refused, how reports stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg
from circolo_contracts.direction import (
    SIGN_OUTS,
    PlayerBanned,
    PlayerErased,
    ReportClosed,
    ReportFiled,
    RoleRevoked,
    SignedOut,
)
from circolo_contracts.ids import id_of
from circolo_contracts.rooms import PlayerJoined, PlayerLeft, RoomClosed, RoomCreated
from circolo_contracts.wire import encoder
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Connection, Move
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded, Store
from circolo_events.subscription import Subscription

from .erasure import EPOCH, forget

KEPT = EventRegistry.of_unions(
    RoomCreated | PlayerJoined | PlayerLeft | RoomClosed | RoleRevoked | PlayerBanned | PlayerErased
    | ReportFiled | ReportClosed
)  # fmt: skip

_COME = """
INSERT INTO membership (player, room) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING
"""
_GONE = """
DELETE FROM membership m USING unnest($1::text[], $2::text[]) AS gone (player, room)
WHERE m.player = gone.player AND m.room = gone.room
"""
_OPENED = "UPDATE report SET status = 'OPEN', filed_at = $2 WHERE report = $1 AND status = 'DRAFT'"
_CLOSED = """
UPDATE report SET status = 'CLOSED', closed_at = $2, closed_by = $3, verdict = $4 WHERE report = $1
"""


class Register:
    """At least once, in transactions with its checkpoint. What it publishes follows the commit and may be lost with the
    process: who listens reads the table when he starts, and now and then."""

    def __init__(self, pool: asyncpg.Pool, store: Store, bus: NatsBus) -> None:
        self.pool = pool
        self._bus = bus
        self.subscription = Subscription(
            "rooms.register", 1, "rooms", pool=pool, store=store, commit=self._commit, bus=bus,
            types=list(KEPT.by_name),
        )  # fmt: skip

    async def rooms_of(self, player: str) -> list[str]:
        rows = await self.pool.fetch("SELECT room FROM membership WHERE player = $1 ORDER BY room", player)
        return [row[0] for row in rows]

    async def _commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        if not events:
            await move.alone(pool)
            return
        decoded = [(each, KEPT.decode(each.type, each.schema_v, each.data)) for each in events]
        signed_out: list[SignedOut] = []
        async with pool.acquire(timeout=10) as connection, connection.transaction():
            await move.apply(connection)
            await _members(connection, decoded)
            for recorded, event in decoded:
                await _note(connection, recorded, event)
                if isinstance(event, RoleRevoked | PlayerBanned | PlayerErased):
                    erased = isinstance(event, PlayerErased)
                    signed_out.append(SignedOut(epoch=event.epoch, erased=erased, player=id_of(recorded.stream)))
        for each in signed_out:
            self._bus.publish(SIGN_OUTS, encoder.encode(each))


async def _members(connection: Connection, events: Sequence[tuple[Recorded, Any]]) -> None:
    """The last word about each player and room counts; a room's events are in order, and nobody enters a closed one."""
    here: dict[tuple[str, str], bool] = {}
    closed = []
    for recorded, event in events:
        room = id_of(recorded.stream)
        if isinstance(event, RoomCreated):
            here[event.host, room] = True
        elif isinstance(event, PlayerJoined | PlayerLeft):
            here[event.player, room] = isinstance(event, PlayerJoined)
        elif isinstance(event, RoomClosed):
            closed.append(room)
    for statement, wanted in ((_COME, True), (_GONE, False)):
        pairs = [pair for pair, is_in in here.items() if is_in is wanted]
        if pairs:
            await connection.execute(statement, [player for player, _ in pairs], [room for _, room in pairs])
    if closed:
        await connection.execute("DELETE FROM membership WHERE room = ANY($1::text[])", closed)


async def _note(connection: Connection, recorded: Recorded, event: Any) -> None:
    subject = id_of(recorded.stream)
    if isinstance(event, PlayerErased):
        await forget(connection, subject, event.epoch)
    elif isinstance(event, RoleRevoked | PlayerBanned):
        await connection.execute(EPOCH, subject, event.epoch, False)
    elif isinstance(event, ReportFiled):
        await connection.execute(_OPENED, subject, event.at)
    elif isinstance(event, ReportClosed):
        await connection.execute(_CLOSED, subject, event.at, event.by, event.verdict)
