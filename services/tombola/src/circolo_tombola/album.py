"""The marks of the games that are played here, in memory: read from their streams as far as they are not known yet."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Iterable
from typing import Protocol

from circolo_contracts.ids import stream_of
from circolo_events.registry import EventRegistry
from circolo_events.store import Written

from .marks import Marks, MarksDecider
from .reactions import MARKS

MOST_GAMES = 2_000
"""At a full table a game takes some 10 KB; the one that was used longest ago is read again when it comes back."""


class Reads(Protocol):
    """``circolo_events.reading.StreamReader``."""

    async def events(self, stream: str, after: int = 0) -> list[Written]: ...


def marks_stream(game_id: str, seat: int) -> str:
    """``marks-<uuid5(game id, seat)>``."""
    return stream_of(MARKS, uuid.uuid5(uuid.UUID(hex=game_id), str(seat)).hex)


class Album:
    def __init__(self, reader: Reads, registry: EventRegistry, most: int = MOST_GAMES) -> None:
        self._reader = reader
        self._registry = registry
        self._decider = MarksDecider()
        self._most = most
        self._games: OrderedDict[str, dict[int, Marks]] = OrderedDict()

    def at_hand(self, game_id: str, seat: int) -> Marks | None:
        """As known here, without a read."""
        return self._games.get(game_id, {}).get(seat)

    def keep(self, game_id: str, seat: int, marks: Marks) -> None:
        """Unless newer ones are known already."""
        game = self._game(game_id)
        known = game.get(seat)
        if known is None or known.version < marks.version:
            game[seat] = marks

    async def refresh(self, game_id: str, seats: Iterable[int]) -> None:
        """Whatever was marked elsewhere: the reads of all seats are one statement. Raises what the database raises."""
        await asyncio.gather(*(self._refresh(game_id, seat) for seat in seats))

    async def _refresh(self, game_id: str, seat: int) -> None:
        marks = self.at_hand(game_id, seat) or self._decider.initial
        for row in await self._reader.events(marks_stream(game_id, seat), marks.version):
            marks = self._decider.evolve(marks, self._registry.decode(row.type, row.schema_v, row.data))  # type: ignore[arg-type]
        self.keep(game_id, seat, marks)

    def _game(self, game_id: str) -> dict[int, Marks]:
        game = self._games.setdefault(game_id, {})
        self._games.move_to_end(game_id)
        if len(self._games) > self._most:
            self._games.popitem(last=False)
        return game
