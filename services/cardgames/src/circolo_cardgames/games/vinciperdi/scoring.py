"""Vinciperdi's penalties: whole points of the thirds taken, and what is missing to eleven for the last trick."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import Category, DealScore

from circolo_cardgames.following.cards import DEAL_POINTS, IN_A_POINT, thirds_of
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.rules import Count, Standing
from circolo_cardgames.games.score import added_up, alone_ahead


def count(deal: Deal, teams: Sequence[int]) -> Count:
    """Each seat is a side. The deal's winner is who alone has the fewest penalties of it; else there is none.

    On the sheet CARD_POINTS compare thirds, without the last trick's point. After a cappotto a line CAPPOTTO, with an
    amount of 1 for who has made it, takes his eleven away and gives them to everybody else.
    """
    thirds = [0] * (max(teams) + 1)
    for pile, team in zip(deal.piles, teams, strict=True):
        thirds[team] += thirds_of(pile)
    last = teams[deal.last_trick_winner]
    points = penalties(thirds, last)
    sheet = [Category("CARD_POINTS", points, thirds)]
    if points[last] == DEAL_POINTS:
        turned = [-DEAL_POINTS if side == last else DEAL_POINTS for side in range(len(thirds))]
        sheet.append(Category("CAPPOTTO", turned, [int(side == last) for side in range(len(thirds))]))
        points = [sum(both) for both in zip(points, turned, strict=True)]
    return Count(tuple(points), _alone_lowest(points), tuple(sheet))


def penalties(thirds: Sequence[int], last: int) -> list[int]:
    """Before a cappotto is looked at. The winner of the last trick has its point and all remainders: eleven in all."""
    points = [mine // IN_A_POINT for mine in thirds]
    points[last] += DEAL_POINTS - sum(points)
    return points


def standing(deals: Sequence[DealScore], sides: int, limit: int) -> Standing:
    """Over after the deal in which somebody reaches the limit, if one alone has the lowest total: he wins."""
    score = added_up(deals, sides)
    best = _alone_lowest(score)
    if best is None or max(score) < limit:
        return Standing(score)
    return Standing(score, "WON", best)


def _alone_lowest(points: Sequence[int]) -> int | None:
    return alone_ahead([-mine for mine in points])
