"""Briscola's points: 120 in the deck, 61 win a game, a match is the best of 1, 3 or 5 games."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import DealScore
from circolo_contracts.cards import RANK_OF, Card
from msgspec import UNSET

from circolo_cardgames.games.rules import Standing

POINTS: dict[int, int] = {1: 11, 3: 10, 10: 4, 9: 3, 8: 2}
"""Of a rank; the others are worth nothing."""
TOTAL = 120
TO_WIN = 61


def points_of(card: Card) -> int:
    return POINTS.get(RANK_OF[card], 0)


def points_by_team(piles: Sequence[Sequence[Card]], teams: Sequence[int]) -> tuple[int, ...]:
    """Partners' piles count together. ``teams`` is the team of each seat."""
    points = [0] * (max(teams) + 1)
    for pile, team in zip(piles, teams, strict=True):
        points[team] += sum(map(points_of, pile))
    return tuple(points)


def winner(points: Sequence[int]) -> int | None:
    """The team with 61 or more; None at 60-60."""
    return next((team for team, mine in enumerate(points) if mine >= TO_WIN), None)


def standing(deals: Sequence[DealScore], sides: int, best_of: int) -> Standing:
    """Games won so far. A 60-60 ends a single game as a tie; in a best-of it counts for nobody and is replayed."""
    won = [0] * sides
    for deal in deals:
        if deal.winner is not UNSET:
            won[deal.winner] += 1
    score = tuple(won)
    leader = max(range(sides), key=lambda team: won[team])
    if won[leader] > best_of // 2:
        return Standing(score, "WON", leader)
    if best_of == 1 and deals:
        return Standing(score, "TIED")
    return Standing(score)
