"""The rows that an event of a payout adds. Pure, so that a rebuild gives the same."""

from __future__ import annotations

from msgspec import Struct

from circolo_projector.season import season_of

from .events import Paid, Reversed

REVERSED = "REVERSED"
"""The rule of a counter-entry."""


class Line(Struct, frozen=True):
    """One entry: an account got this much brilli (below zero: gave)."""

    payout: str
    version: int
    """That of its event in the payout's stream."""
    line: int
    """From 0 within the event."""
    account: str
    amount: int
    at: int
    rule: str
    game: str
    match: str
    season: str
    cause: str


class About(Struct, frozen=True):
    """What a payout is about; every later event of its stream is about the same."""

    game: str
    match: str
    season: str
    """When it was first paid: what is taken back is taken from the season that it was won in."""


class Unbalanced(ValueError):
    """Entries that do not sum to zero."""


class NothingPaid(RuntimeError):
    """A counter-entry to what was never paid: something before it is missing here."""


def about(before: About | None, event: Paid | Reversed) -> About:
    """Raises NothingPaid, OverflowError for a time beyond the year 9999."""
    if before is not None:
        return before
    if isinstance(event, Reversed):
        raise NothingPaid(f"what follows from event {event.cause} is reversed before it is paid")
    return About(event.game, event.game_id, season_of(event.at))


def lines(payout: str, version: int, what: About, event: Paid | Reversed) -> list[Line]:
    """Raises Unbalanced."""
    if sum(entry.amount for entry in event.entries) != 0:
        raise Unbalanced(f"version {version} of payout {payout}")
    rule = event.rule if isinstance(event, Paid) else REVERSED
    return [
        Line(
            payout, version, number, entry.account, entry.amount, event.at, rule, what.game, what.match, what.season,
            event.cause,
        )
        for number, entry in enumerate(event.entries)
    ]  # fmt: skip
