"""The figures counted a second time, from the events alone and by other means: one plain pass over plain lists."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from circolo_contracts.cardgames import GameCancelled, MatchEnded, MatchEvent, MatchStarted
from circolo_contracts.ledger import PayoutEvent, Reversed
from msgspec import UNSET

QUARTERS = "111222333444"


def quarter(at: int) -> str:
    when = datetime.fromtimestamp(at // 1000, UTC)
    return f"{when.year}-Q{QUARTERS[when.month - 1]}"


def of_a_match(events: Sequence[MatchEvent]) -> tuple[MatchStarted, MatchEnded | None] | None:
    if isinstance(events[0], GameCancelled):
        return None
    ends = [event for event in events if isinstance(event, MatchEnded)]
    assert isinstance(events[0], MatchStarted)
    return events[0], ends[0] if ends else None


def cards(start: MatchStarted, end: MatchEnded) -> dict[str, Counter[str]]:
    """By player: the words of document 003, one for each column of the card."""
    count = len(start.seats)
    pairs = count == 4 and start.game != "VINCIPERDI"
    marks: dict[str, Counter[str]] = {}
    for seat in range(count):
        side = seat % 2 if pairs else seat
        words = []
        if end.outcome == "WON":
            words = ["played", "won" if side == end.winner else "lost"]
        elif end.outcome == "TIED":
            words = ["played", "tied"]
        elif end.outcome == "ABANDONED":
            partner = pairs and abs(seat - end.abandoned_by) == 2
            words = ["played", "won"]
            if seat == end.abandoned_by:
                words = ["played", "lost", "abandoned"]
            elif partner:
                words = ["played"]
        player = start.seats[seat].player
        if player is not UNSET:
            marks[player] = Counter(words)
    return marks


def standings(matches: Iterable[Sequence[MatchEvent]]) -> dict[tuple[str, str, str], Counter[str]]:
    """By player, game and season."""
    total: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for events in matches:
        found = of_a_match(events)
        if found is None or found[1] is None or found[0].ranked is not True:
            continue
        start, end = found
        for player, words in cards(start, end).items():
            if words["played"]:
                for game in (start.game, "ALL"):
                    for season in (quarter(end.at), "ALL"):
                        total[player, game, season].update(words)
    return dict(total)


def finished(matches: Mapping[str, Sequence[MatchEvent]]) -> set[str]:
    return {match for match, events in matches.items() if (found := of_a_match(events)) and found[1] is not None}


def brilli(payouts: Iterable[Sequence[PayoutEvent]]) -> tuple[Counter[str], Counter[tuple[str, str, str]]]:
    """By account; and by player, game and season. Neither leaves a zero out."""
    by_account: Counter[str] = Counter()
    by_season: Counter[tuple[str, str, str]] = Counter()
    for events in payouts:
        first = events[0]
        assert not isinstance(first, Reversed)
        for event in events:
            for entry in event.entries:
                by_account[entry.account] += entry.amount
                if entry.account.startswith("player-"):
                    player = entry.account.removeprefix("player-")
                    for game in (first.game, "ALL"):
                        for season in (quarter(first.at), "ALL"):
                            by_season[player, game, season] += entry.amount
    return by_account, by_season


def ranks(scores: Mapping[str, int]) -> list[tuple[int, str, int]]:
    """(rank, player, score) as a newspaper would print it: the greatest first, who is level shares the rank."""
    rows: list[Any] = sorted(((score, player) for player, score in scores.items()), reverse=True)
    return [(1 + sum(other > score for other in scores.values()), player, score) for score, player in rows]
