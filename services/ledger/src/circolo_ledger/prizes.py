"""How many brilli a result is worth to each player: integers only, and every payment balances to zero.

Rules: the club's scopone a nove carte, and for other games schedules of the same form (``prizes.toml``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.ledger import PENALTIES, POT, Account, Entry, player_account
from msgspec import Struct


class Schedule(Struct, frozen=True):
    """What one game pays at one number of seats. Fields as in ``prizes.toml``."""

    game: str
    seats: int
    total: int
    deal: int = 0
    deals: int = 0
    loser: int = 0
    ranks: tuple[int, ...] = ()
    tie: int = 0
    """0: this game has no tied matches."""
    winner: int = 0


class Prizes(Struct, frozen=True):
    """Every schedule by game and number of seats."""

    penalty: int
    schedules: Mapping[tuple[str, int], Schedule]

    def of(self, game: str, seats: int) -> Schedule:
        """Raises Unpayable."""
        schedule = self.schedules.get((game, seats))
        if schedule is None:
            raise Unpayable(f"there is no schedule for {game} with {seats} seats")
        return schedule


class Table(Struct, frozen=True):
    """Who played a ranked match: by seat, the players and their teams."""

    game: str
    game_id: str
    players: list[str]
    teams: list[int]


class Unpayable(ValueError):
    """A result that cannot have happened at a ranked table; somebody has to look at it."""


def deal_parts(points: Sequence[int], prize: int) -> tuple[int, int]:
    """What each member of either side gets for a deal: the higher side's part to the nearest, half up, the rest of
    the prize to the other one. Halves when the points are equal, also when nobody made any."""
    if len(points) != 2 or min(points) < 0:
        raise Unpayable(f"a deal's prize cannot be divided by points {list(points)}")
    total, higher = sum(points), max(points)
    part = (2 * prize * higher + total) // (2 * total) if total else prize // 2
    return (part, prize - part) if points[0] >= points[1] else (prize - part, part)


def of_deal(schedule: Schedule, table: Table, points: Sequence[int]) -> list[Entry]:
    """``points`` of that deal, by team."""
    parts = deal_parts(points, schedule.deal)
    return _from_the_pot(table, [parts[team] for team in table.teams])


def of_match(schedule: Schedule, table: Table, points: Sequence[int], winner: int | None) -> list[Entry]:
    """``points`` of all deals, by team; ``winner`` is the team, None for a tie."""
    if schedule.ranks:
        return _from_the_pot(table, _by_rank([points[team] for team in table.teams], schedule.ranks))
    if winner is None:
        if not schedule.tie:
            raise Unpayable(f"a match of {schedule.game} has no winner")
        return _from_the_pot(table, [schedule.tie] * len(table.players))
    return _from_the_pot(table, [schedule.winner if team == winner else schedule.loser for team in table.teams])


def of_unplayed(schedule: Schedule, table: Table, deals: int, winner: int) -> list[Entry]:
    """After a match of ``deals`` deals, when that is fewer than are paid."""
    each = schedule.deal * (schedule.deals - deals)
    return _from_the_pot(table, [each if team == winner else 0 for team in table.teams])


def of_left_deal(schedule: Schedule, table: Table, leaver: int) -> list[Entry]:
    """The deal that was being played, or would have come next, is the other side's as a whole, whatever its points."""
    return _from_the_pot(table, [schedule.deal if team != table.teams[leaver] else 0 for team in table.teams])


def fine(penalty: int, table: Table, leaver: int) -> list[Entry]:
    """The balance may go below zero."""
    return [Entry(player_account(table.players[leaver]), -penalty), Entry(PENALTIES, penalty)]


def counter(entries: Sequence[Entry]) -> list[Entry]:
    """What takes these back, one entry for each account that they changed, in their order."""
    sums: dict[Account, int] = {}
    for entry in entries:
        sums[Account(entry.account)] = sums.get(Account(entry.account), 0) - entry.amount
    return [Entry(account, amount) for account, amount in sums.items() if amount]


def _by_rank(points: Sequence[int], prizes: Sequence[int]) -> list[int]:
    """Fewest points first. Who has the same number shares the places' prizes evenly; what is left over is nobody's."""
    shares = []
    for mine in points:
        above, level = sum(other < mine for other in points), points.count(mine)
        shares.append(sum(prizes[above : above + level]) // level)
    return shares


def _from_the_pot(table: Table, amounts: Sequence[int]) -> list[Entry]:
    won = [Entry(player_account(player), n) for player, n in zip(table.players, amounts, strict=True) if n]
    return [*won, Entry(POT, -sum(amounts))]
