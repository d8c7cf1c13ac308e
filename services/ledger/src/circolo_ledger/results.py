"""What follows from a ranked match's events: one command for each rule that pays."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cardgames import DealEnded, MatchEnded, MatchStarted
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ledger import payout_stream
from circolo_events.reaction import Send
from msgspec import UNSET

from .commands import FineLeaver, Pay, PayDeal, PayLeftDeal, PayMatch, PayUnplayed
from .payouts import RULE_OF
from .prizes import Prizes, Schedule, Table, Unpayable

SERVICE = "ledger"


def table_of(started: MatchStarted) -> Table | None:
    """Of a ranked match; None for any other. Raises Unpayable."""
    if started.ranked is not True:
        return None
    game = CATALOGUE.get(started.game)
    if game is None:
        raise Unpayable(f"there is no game {started.game}")
    players = [seat.player for seat in started.seats if seat.player is not UNSET]
    if len(players) != len(started.seats):
        raise Unpayable(f"a CPU sat at the ranked table of {started.game_id}")
    teams = [game.team_of(seat, started.settings) for seat in range(len(players))]
    return Table(started.game, started.game_id, players, teams)


def sends(
    prizes: Prizes, table: Table, cause: str, event: DealEnded | MatchEnded, deals: Sequence[DealEnded]
) -> list[Send]:
    """``deals``: those that were played to their end before ``event``. A match that was stopped, forgotten or never
    started pays nothing more than its deals. Raises Unpayable."""
    schedule = prizes.of(table.game, len(table.players))
    commands = (
        _of_deal(schedule, table, cause, event)
        if isinstance(event, DealEnded)
        else _of_end(schedule, table, cause, event, deals)
    )
    return [Send(SERVICE, payout_stream(cause), command, RULE_OF[type(command)]) for command in commands]


def _of_deal(schedule: Schedule, table: Table, cause: str, event: DealEnded) -> list[Pay]:
    return [PayDeal(cause, event.points, table)] if event.deal_no <= schedule.deals else []


def _of_end(schedule: Schedule, table: Table, cause: str, event: MatchEnded, deals: Sequence[DealEnded]) -> list[Pay]:
    if event.outcome == "ABANDONED":
        return _of_abandonment(schedule, table, cause, event, len(deals))
    if event.outcome not in ("WON", "TIED"):
        return []
    points = [sum(sides) for sides in zip(*(deal.points for deal in deals), strict=True)]
    commands: list[Pay] = [PayMatch(cause, points, table, event.winner)]
    if event.winner is not UNSET and len(deals) < schedule.deals:
        commands.append(PayUnplayed(cause, len(deals), table, event.winner))
    return commands


def _of_abandonment(schedule: Schedule, table: Table, cause: str, event: MatchEnded, deals: int) -> list[Pay]:
    """The deal in play, or between two deals the next one, is the other side's if it is one of those that pay."""
    if event.abandoned_by is UNSET:
        raise Unpayable(f"nobody abandoned the match {table.game_id}")
    commands: list[Pay] = [FineLeaver(cause, event.abandoned_by, table)]
    if deals < schedule.deals:
        commands.append(PayLeftDeal(cause, event.abandoned_by, table))
    return commands
