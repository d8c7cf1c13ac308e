"""Every event that trivia stores, and which of their fields nobody but services may read while a night runs."""

from __future__ import annotations

from circolo_contracts.trivia import AnswerJudged, AnswerLocked, FinalLocked, StakeLocked, TriviaEvent, TriviaStarted
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(
    TriviaEvent,
    secret={
        TriviaStarted: frozenset({"questions", "seed"}),
        AnswerJudged: frozenset({"option"}),
        AnswerLocked: frozenset({"option"}),
        FinalLocked: frozenset({"option"}),
        StakeLocked: frozenset({"amount"}),
    },
    open_marker="SeedRevealed",
)
