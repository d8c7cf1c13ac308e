"""A batch of the ledger's events becomes entries and sums of one generation, by one statement."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
from circolo_contracts.ids import id_of, kind_of
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Move, Statement
from circolo_events.store import Recorded

from . import tables
from .events import REGISTRY, Paid, Reversed
from .payout import About, about, lines


class EntryWriter:
    """``commit`` for a subscription to the ledger's log. One for each generation."""

    def __init__(self, generation: int, bus: NatsBus | None = None) -> None:
        self.is_live = False
        self._load = tables.load(generation)
        self._insert = Statement.of(lambda first: tables.insert(generation, first))

    async def commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        paid = [event for event in events if kind_of(event.stream) == "payout"]
        known = await self._known(pool, paid)
        rows = []
        for recorded in paid:
            payout = id_of(recorded.stream)
            event = REGISTRY.decode(recorded.type, recorded.schema_v, recorded.data)
            assert isinstance(event, (Paid, Reversed))
            known[payout] = what = about(known.get(payout), event)
            rows += lines(payout, recorded.version, what, event)
        await self._insert.run(pool, move, tables.arguments(rows))

    async def _known(self, pool: asyncpg.Pool, events: Sequence[Recorded]) -> dict[str, About]:
        """Of payouts that began before this batch."""
        older = sorted({id_of(event.stream) for event in events} - {id_of(e.stream) for e in events if e.version == 1})
        if not older:
            return {}
        records = await pool.fetch(self._load, older)
        return {record["payout"]: About(record["game"], record["match"], record["season"]) for record in records}
