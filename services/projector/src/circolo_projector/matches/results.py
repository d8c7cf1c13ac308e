"""What a finished match is on each player's card."""

from __future__ import annotations

from typing import Literal

from circolo_contracts.games import CATALOGUE
from msgspec import UNSET

from .match import Match

Result = Literal["WON", "LOST", "TIED", "ABANDONED", "NOT_WON", "UNDECIDED"]
"""ABANDONED: played, lost and abandoned. NOT_WON: the partner of who abandoned; played, neither won nor lost nor
abandoned (document 003, point 5). UNDECIDED: stopped, or nobody played any more; it is not counted."""


class Unreadable(ValueError):
    """An end that does not say what it must."""


def results(match: Match) -> dict[str, Result]:
    """By player, of a match that has ended. CPU seats have no card. Raises Unreadable, KeyError for an unknown game."""
    game = CATALOGUE[match.game]
    teams = [game.team_of(seat, match.settings) for seat in range(len(match.seats))]
    return {
        occupant.player: _result(match, teams, seat)
        for seat, occupant in enumerate(match.seats)
        if occupant.player is not UNSET
    }


def _result(match: Match, teams: list[int], seat: int) -> Result:
    if match.outcome == "TIED":
        return "TIED"
    if match.outcome == "WON":
        if match.winner not in teams:
            raise Unreadable(f"match {match.match} is won by team {match.winner}")
        return "WON" if teams[seat] == match.winner else "LOST"
    if match.outcome == "ABANDONED":
        return _after_leaving(match, teams, seat)
    return "UNDECIDED"


def _after_leaving(match: Match, teams: list[int], seat: int) -> Result:
    """Whoever is no partner of the leaver has won, also where there are more than two sides."""
    leaver = match.abandoned_by
    if leaver is None or not 0 <= leaver < len(teams):
        raise Unreadable(f"match {match.match} is abandoned by seat {leaver}")
    if seat == leaver:
        return "ABANDONED"
    return "NOT_WON" if teams[seat] == teams[leaver] else "WON"
