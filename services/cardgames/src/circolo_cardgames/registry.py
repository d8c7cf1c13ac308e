"""Every event that cardgames stores, and which of their fields nobody but services may read while a match runs."""

from __future__ import annotations

from circolo_contracts.cardgames import DealStarted, HandsDealt, MatchEvent, MatchStarted, TrickEnded
from circolo_contracts.solitaire import SolitaireEvent, SolitaireStarted
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(
    MatchEvent | SolitaireEvent,
    secret={
        MatchStarted: frozenset({"seed"}),
        DealStarted: frozenset({"deck"}),
        HandsDealt: frozenset({"cards"}),
        TrickEnded: frozenset({"drawn"}),
        SolitaireStarted: frozenset({"deck", "seed"}),
    },
    open_marker="SeedRevealed",
)
