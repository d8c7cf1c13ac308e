"""Every event that tombola stores, and which of their fields nobody but services may read while a game runs.

A seat's marks never become public: no marker event ever opens their stream.
"""

from __future__ import annotations

from circolo_contracts.tombola import MarkSet, MarksEvent, TombolaEvent, TombolaStarted
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(
    TombolaEvent,
    MarksEvent,
    secret={
        TombolaStarted: frozenset({"draws", "seed", "tickets"}),
        MarkSet: frozenset({"number"}),
    },
    open_marker="SeedRevealed",
)
