"""How games keep score in points: they add up from deal to deal, and to win a side must be alone ahead."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import DealScore

from .rules import Standing


def alone_ahead(points: Sequence[int]) -> int | None:
    """The side with most; None when it is not alone."""
    most = max(points)
    return points.index(most) if points.count(most) == 1 else None


def added_up(deals: Sequence[DealScore], sides: int) -> tuple[int, ...]:
    """The points of all deals, by side."""
    return tuple(sum(deal.points[side] for deal in deals) for side in range(sides))


def to_the_target(deals: Sequence[DealScore], sides: int, target: int) -> Standing:
    """Looked at after complete deals only: who is alone ahead at the target or beyond it has won; level there, another
    deal is played."""
    score = added_up(deals, sides)
    leader = alone_ahead(score)
    if leader is None or score[leader] < target:
        return Standing(score)
    return Standing(score, "WON", leader)
