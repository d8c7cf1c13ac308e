"""A batch of rooms' events becomes rows of one generation: folded in memory, written by one statement."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import asyncpg
from circolo_contracts.codes import CodeEvent
from circolo_contracts.ids import id_of, kind_of
from circolo_contracts.rooms import PlayerEvent, RoomEvent
from circolo_events.bus import NatsBus
from circolo_events.canonical import encode
from circolo_events.checkpoints import Move, Statement
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded

from . import tables
from .room import OutOfOrder, Room, follow

REGISTRY = EventRegistry.of_unions(PlayerEvent, CodeEvent, RoomEvent)
LOBBY_SUBJECT = "view.lobby.public"
KEPT_ROOMS = 20_000
"""Rows kept in memory, the least recently used go first."""
NEWS_MS = 60_000
"""Older changes are told to nobody while a generation is built: whoever looks now reads the list."""


class RoomWriter:
    """``commit`` for a subscription to rooms' log. One for each generation."""

    def __init__(self, generation: int, bus: NatsBus | None) -> None:
        self.generation = generation
        self.is_live = False
        self._bus = bus
        self._rows: OrderedDict[str, Room] = OrderedDict()
        self._load = tables.load(generation)
        self._upsert = Statement.of(lambda first: tables.upsert(generation, first))

    async def commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        try:
            before, after = await self._fold(pool, events)
            rows = sorted(after.values(), key=lambda row: row.room)
            await self._upsert.run(pool, move, tables.arguments(rows))
        except BaseException:
            self._rows.clear()  # what is in the table is not known any more
            raise
        self._keep(after)
        self._tell(events, before, after)

    async def _fold(
        self, pool: asyncpg.Pool, events: Sequence[Recorded]
    ) -> tuple[Mapping[str, Room], Mapping[str, Room]]:
        """The rooms that the events are about, before and after them. Raises OutOfOrder."""
        about = [(id_of(event.stream), event) for event in events if kind_of(event.stream) == "room"]
        decoded = [(room, e.version, REGISTRY.decode(e.type, e.schema_v, e.data)) for room, e in about]
        try:
            before = await self._rows_of(pool, about)
            after = dict(before)
            for room, version, event in decoded:
                after[room] = follow(after[room], version, event)
        except OutOfOrder:
            if not self._rows:
                raise
            self._rows.clear()  # another replica may have written since
            return await self._fold(pool, events)
        return before, {room: row for room, row in after.items() if row is not before[room]}

    async def _rows_of(self, pool: asyncpg.Pool, about: Sequence[tuple[str, Recorded]]) -> dict[str, Room]:
        rows: dict[str, Room] = {}
        absent: list[str] = []
        for room, event in about:
            if room in rows:
                continue
            kept = self._rows.get(room)
            rows[room] = kept if kept is not None else Room(room)
            if kept is None and event.version > 1:
                absent.append(room)
        if absent:
            for record in await pool.fetch(self._load, absent):
                rows[record["room"]] = tables.room_of(record)
        return rows

    def _keep(self, rows: Mapping[str, Room]) -> None:
        for room, row in rows.items():
            self._rows[room] = row
            self._rows.move_to_end(room)
        while len(self._rows) > KEPT_ROOMS:
            self._rows.popitem(last=False)

    def _tell(self, events: Sequence[Recorded], before: Mapping[str, Room], after: Mapping[str, Room]) -> None:
        """Whoever watches the lobby reads these rooms again."""
        if self._bus is None or not after:
            return
        if not self.is_live and max(e.at for e in events) < time.time() * 1000 - NEWS_MS:
            return
        for room, row in after.items():
            if row.in_lobby:
                self._bus.publish(LOBBY_SUBJECT, encode({"kind": "upsert", "room": room}))
            elif before[room].in_lobby:
                self._bus.publish(LOBBY_SUBJECT, encode({"kind": "remove", "room": room}))
