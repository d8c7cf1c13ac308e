"""Texts of a finished game for whoever may see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from circolo_contracts.cardgames import SeedRevealed
from circolo_contracts.refusals import RefusalCode
from circolo_service.export import Unreadable

from .export import GameEvent
from .record import record_of


def record(events: Sequence[GameEvent]) -> str | RefusalCode:
    """NOT_FOUND for a game that never started, GAME_NOT_OVER while its seed is secret."""
    try:
        return record_of(events)
    except Unreadable:
        running = len(events) > 1 and not isinstance(events[-1], SeedRevealed)
        return RefusalCode.GAME_NOT_OVER if running else RefusalCode.NOT_FOUND


DOCUMENTS: Mapping[str, Callable[[Sequence[GameEvent]], str | RefusalCode]] = {"record": record}
"""By the name that is asked for."""
