"""A batch of cardgames' events becomes rows of one generation: folded in memory, written by one statement."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
from circolo_contracts.ids import id_of, kind_of
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Move, Statement
from circolo_events.store import Recorded

from . import tables
from .events import REGISTRY
from .match import Match, follow


class MatchWriter:
    """``commit`` for a subscription to cardgames' log. One for each generation.

    Nothing is kept between batches: a match changes a few times in an evening, and what the table says cannot have
    been changed by another replica without the checkpoint being moved.
    """

    def __init__(self, generation: int, bus: NatsBus | None = None) -> None:
        self.is_live = False
        self._load = tables.load(generation)
        self._upsert = Statement.of(lambda first: tables.upsert(generation, first))

    async def commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        about = [(id_of(event.stream), event) for event in events if kind_of(event.stream) == "match"]
        rows = await self._rows_of(pool, about)
        for match, event in about:
            rows[match] = follow(rows[match], event.version, REGISTRY.decode(event.type, event.schema_v, event.data))
        changed = sorted(rows.values(), key=lambda row: row.match)
        await self._upsert.run(pool, move, tables.arguments(changed))

    async def _rows_of(self, pool: asyncpg.Pool, about: Sequence[tuple[str, Recorded]]) -> dict[str, Match]:
        rows = {match: Match(match) for match, _ in about}
        if rows:
            for record in await pool.fetch(self._load, list(rows)):
                rows[record["match"]] = tables.match_of(record)
        return rows
