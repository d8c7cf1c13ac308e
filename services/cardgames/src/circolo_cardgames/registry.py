"""Every event that cardgames stores, and which of their fields nobody but services may read while a match runs."""

from __future__ import annotations

from circolo_contracts.cardgames import DealStarted, HandsDealt, MatchEvent, MatchStarted, TrickEnded
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(
    MatchEvent,
    secret={
        MatchStarted: frozenset({"seed"}),
        DealStarted: frozenset({"deck"}),
        HandsDealt: frozenset({"cards"}),
        TrickEnded: frozenset({"drawn"}),
    },
    open_marker="SeedRevealed",
)
