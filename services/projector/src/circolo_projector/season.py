"""Seasons of the leaderboards: calendar quarters by UTC, and all time; games: one, and all of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EVERY = "ALL"
"""Stands for every season, and for every game: sums are kept, so that nobody adds them up to show a list."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def season_of(at: int) -> str:
    """``2026-Q4`` for a time in ms since 1970. Raises OverflowError beyond the year 9999."""
    moment = _EPOCH + timedelta(milliseconds=at)
    return f"{moment.year:04d}-Q{(moment.month + 2) // 3}"
