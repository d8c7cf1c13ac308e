"""What generations are made of: read models that one log feeds, rebuilt and swapped together and apart from others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import asyncpg
from circolo_events.bus import NatsBus
from circolo_events.checkpoints import Consumer, Move
from circolo_events.store import Recorded
from msgspec import Struct


class Writer(Protocol):
    """Fills one generation."""

    is_live: bool
    """Whether its rows are the ones that are read."""

    async def commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None: ...


class Family(Struct, frozen=True):
    """Tables and views that are made from one service's log and from nothing else, so that one checkpoint tells all.

    What two logs feed is two families: each can be late, wrong or built anew without the other.
    """

    name: str
    """Also the consumer's."""
    source: str
    """The service whose log is read."""
    model: int
    """Raised with every change of what a row says: the next start rebuilds beside the old rows and swaps."""
    register: str
    """The table of its generations. Each family has its own, so that code from before a family leaves it alone."""
    create: Callable[[int], str]
    """SQL for the tables of a generation; so are the next two."""
    drop: Callable[[int], str]
    turn_views: Callable[[int], str]
    """Columns of a view are only ever added at the end."""
    writer: Callable[[int, NatsBus | None], Writer]
    types: tuple[str, ...] | None = None
    """The event types that matter; None: all."""

    def consumer(self, generation: int) -> Consumer:
        return Consumer(self.name, generation, self.source)
