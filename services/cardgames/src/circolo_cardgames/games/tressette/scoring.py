"""Tressette's points: thirds are added up and divided once a side, declarations are whole points beside them."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import Category

from circolo_cardgames.following.cards import DEAL_POINTS, IN_A_POINT, thirds_of
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.rules import Count
from circolo_cardgames.games.score import alone_ahead

from .declarations import points_by_team

LAST_TRICK = 3
"""Thirds for the winner of the last trick."""


def count(deal: Deal, teams: Sequence[int], *, with_declarations: bool) -> Count:
    """The deal's winner has more points, declarations included; on equal points there is none.

    The sheet's CARD_POINTS compare thirds, the last trick's included. CAPPOTTO marks with an amount of 1 the side that
    has all eleven; it brings no points, and the line is there only when it happened.
    """
    thirds = [0] * (max(teams) + 1)
    for pile, team in zip(deal.piles, teams, strict=True):
        thirds[team] += thirds_of(pile)
    thirds[teams[deal.last_trick_winner]] += LAST_TRICK
    of_cards = points_of(thirds)
    sheet = [Category("CARD_POINTS", of_cards, thirds)]
    points = of_cards
    if with_declarations:
        declared = points_by_team(deal, teams)
        points = [sum(both) for both in zip(of_cards, declared, strict=True)]
        sheet.append(Category("DECLARATIONS", declared))
    if DEAL_POINTS in of_cards:
        sheet.append(Category("CAPPOTTO", [0] * len(thirds), [int(mine == DEAL_POINTS) for mine in of_cards]))
    return Count(tuple(points), alone_ahead(points), tuple(sheet))


def points_of(thirds: Sequence[int]) -> list[int]:
    """Whole points of each side. Between two sides they are always eleven together, the last trick's included."""
    return [mine // IN_A_POINT for mine in thirds]
