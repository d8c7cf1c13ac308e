"""What the ledger has to know of a match beside the event that pays: who sat there, and the deals so far."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from circolo_contracts.cardgames import DealEnded, MatchEnded, MatchStarted
from circolo_events.reaction import Send
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded, Store

from .prizes import Prizes, Table
from .results import sends, table_of

RESULTS = EventRegistry.of_unions(DealEnded | MatchEnded)
"""The events that pay."""
MATCH = EventRegistry.of_unions(MatchStarted | DealEnded | MatchEnded)
KEPT_MATCHES = 10_000
"""Tables in memory, the least recently used go first; one that is forgotten costs a read."""


class Matches:
    """``recall`` and ``react`` of the reaction to cardgames' log."""

    def __init__(self, store: Store, prizes: Prizes) -> None:
        self._store = store
        self._prizes = prizes
        self._tables: OrderedDict[str, Table | None] = OrderedDict()
        """By stream; None for a match that is not ranked."""
        self._deals: dict[str, list[DealEnded] | None] = {}
        """By the id of an end in this batch; None when the match had ended before."""

    async def recall(self, events: Sequence[Recorded]) -> None:
        """By one read for all matches that are new here, and one for each ranked match that ends."""
        await self._recall_tables(events)
        self._deals = {}
        for event in events:
            if event.type == "MatchEnded" and self._tables[event.stream] is not None:
                rows = await self._store.read_stream(event.stream)
                self._deals[event.id] = _deals_before(event, rows)

    async def _recall_tables(self, events: Sequence[Recorded]) -> None:
        unknown = sorted({event.stream for event in events} - self._tables.keys())
        if unknown:
            firsts = await self._store.read_streams(unknown, [0] * len(unknown), 1)
            for stream, rows in zip(unknown, firsts, strict=True):
                started = MATCH.decode(rows[0].type, rows[0].schema_v, rows[0].data) if _begins(rows) else None
                self._tables[stream] = table_of(started) if isinstance(started, MatchStarted) else None
        for event in events:
            self._tables.move_to_end(event.stream)
        while len(self._tables) > max(KEPT_MATCHES, len(events)):
            self._tables.popitem(last=False)

    def react(self, recorded: Recorded, event: Any) -> Sequence[Send]:
        table = self._tables[recorded.stream]
        deals = self._deals.get(recorded.id, [])
        if table is None or deals is None:
            return []
        return sends(self._prizes, table, recorded.id, event, deals)


def _deals_before(end: Recorded, rows: Sequence[Recorded]) -> list[DealEnded] | None:
    deals = []
    for row in rows:
        if row.version < end.version and row.type in RESULTS.by_name:
            event = RESULTS.decode(row.type, row.schema_v, row.data)
            if not isinstance(event, DealEnded):
                return None
            deals.append(event)
    return deals


def _begins(rows: Sequence[Any]) -> bool:
    """A patience begins otherwise, and so does a match that could not start."""
    return bool(rows) and rows[0].type == "MatchStarted"
