"""One row of the history: a fold of one match's events, and of nothing else. Pure, so that a rebuild gives the same."""

from __future__ import annotations

from circolo_contracts.cardgames import DealScore, Outcome
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET, Struct
from msgspec.structs import replace

from .events import Dealt, Ended, Started


class Match(Struct, frozen=True):
    """``version`` is that of the last event taken; 0: not started. Times in ms since 1970, ``ended_at`` 0: it runs."""

    match: str
    version: int = 0
    game: str = ""
    room: str = ""
    game_no: int = 0
    ranked: bool = False
    seats: tuple[SeatOccupant, ...] = ()
    settings: dict[str, SettingValue] = {}
    deals: tuple[DealScore, ...] = ()
    score: tuple[int, ...] = ()
    """By team, after the last deal that was counted; empty before the first."""
    started_at: int = 0
    ended_at: int = 0
    outcome: Outcome | None = None
    reason: str | None = None
    winner: int | None = None
    """The team."""
    abandoned_by: int | None = None
    """The seat."""

    @property
    def players(self) -> list[str]:
        """The people, in the order of seats."""
        return [seat.player for seat in self.seats if seat.player is not UNSET]


class OutOfOrder(RuntimeError):
    """An event does not follow the row: something before it is missing here."""


def follow(row: Match, version: int, event: Struct) -> Match:
    """The row after the event of this version; the same row when it has it already. Raises OutOfOrder.

    Events between those that count are not seen here, so that versions have gaps: deals are counted instead.
    """
    if version <= row.version:
        return row
    if isinstance(event, Started):
        after = _started(row, event)
    elif isinstance(event, Dealt):
        after = _dealt(row, event)
    else:
        assert isinstance(event, Ended)
        after = _ended(row, event)
    return replace(after, version=version)


def _started(row: Match, event: Started) -> Match:
    if row.version:
        raise OutOfOrder(f"match {row.match} starts a second time")
    return replace(
        row, game=event.game, room=event.room, game_no=event.game_no, ranked=event.ranked is True,
        seats=tuple(event.seats), settings=event.settings, started_at=event.at,
    )  # fmt: skip


def _dealt(row: Match, event: Dealt) -> Match:
    if not row.version or row.ended_at or event.deal_no != len(row.deals) + 1:
        raise OutOfOrder(f"deal {event.deal_no} of match {row.match} after {len(row.deals)}")
    deal = DealScore(event.deal_no, event.points, event.winner, event.sheet)
    return replace(row, deals=(*row.deals, deal), score=tuple(event.won))


def _ended(row: Match, event: Ended) -> Match:
    if not row.version or row.ended_at:
        raise OutOfOrder(f"the end of match {row.match}, which does not run")
    return replace(
        row, ended_at=event.at, outcome=event.outcome,
        reason=None if event.reason is UNSET else event.reason,
        winner=None if event.winner is UNSET else event.winner,
        abandoned_by=None if event.abandoned_by is UNSET else event.abandoned_by,
    )  # fmt: skip
