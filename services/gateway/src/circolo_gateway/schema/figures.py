"""A player's card: his ranked matches in figures, and his brilli."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry
from circolo_contracts.ids import global_id
from circolo_contracts.ledger import payout_stream

from ..records import brilli as records
from ..records.pages import EVERY, cursor_of
from ..records.statistics import NONE, Statistics
from .context import Context
from .enums import GameKind, LedgerRule
from .pages import PageInfo, checked_after, checked_first, page_info
from .scalars import DateTime

if TYPE_CHECKING:
    from .history import Match


@strawberry.type(
    description="Ranked matches only. The partner of who abandoned has played, and neither won nor lost: the others "
    "may sum to less than `played`."
)
class PlayerStatistics:
    game_kind: GameKind | None = strawberry.field(description="Null: all games together.")
    played: int
    won: int
    lost: int = strawberry.field(description="Those that he abandoned included.")
    tied: int
    abandoned: int
    won_percent: int = strawberry.field(description="Of `played`, to the nearest whole one.")
    abandoned_percent: int = strawberry.field(description="Of `played`, to the nearest whole one.")


@strawberry.type(description="One entry of a player's account.")
class BrilliEntry:
    amount: int = strawberry.field(description="Below zero: it was taken from him.")
    at: DateTime
    rule: LedgerRule
    game_kind: GameKind
    payout_id: strawberry.ID = strawberry.field(description="All that followed from the same event: `reverseEntry`.")
    match_id: strawberry.Private[str]

    @strawberry.field(description="Null until it is over.")
    async def match(self, info: strawberry.Info[Context, None]) -> Annotated[Match, strawberry.lazy(".history")] | None:
        from .history import match_from  # noqa: PLC0415 (matches have players, and players have entries)

        found = await info.context.read(info.context.figures.matches.get(self.match_id))
        return None if found is None else await match_from(info.context, found)


@strawberry.type
class BrilliEdge:
    cursor: str
    node: BrilliEntry


@strawberry.type(description="Newest first.")
class BrilliConnection:
    edges: list[BrilliEdge]
    page_info: PageInfo


@strawberry.type(description="A player's account. It starts at 0 and may go below.")
class Brilli:
    hex_id: strawberry.Private[str]

    @strawberry.field
    async def balance(self, info: strawberry.Info[Context, None]) -> int:
        return await info.context.read(info.context.figures.balances.get(self.hex_id)) or 0

    @strawberry.field(description="`first` is at most 100.")
    async def entries(
        self, info: strawberry.Info[Context, None], first: int = 20, after: str | None = None
    ) -> BrilliConnection:
        context = info.context
        key = checked_after(after, int, str, int, int)
        reading = records.entries(context.house.pool, self.hex_id, first=checked_first(first), after=key)  # type: ignore[arg-type]  # its kinds were checked
        page = await context.read(reading)
        edges = [BrilliEdge(cursor=cursor_of(records.key_of(each)), node=_entry(each)) for each in page.rows]
        return BrilliConnection(
            edges=edges, page_info=page_info([edge.cursor for edge in edges], more=page.more, after=after)
        )


def payout_gid(cause: str) -> strawberry.ID:
    return strawberry.ID(global_id("Payout", payout_stream(cause)))


def _entry(entry: records.LedgerEntry) -> BrilliEntry:
    return BrilliEntry(
        amount=entry.amount,
        at=DateTime(entry.at),
        rule=LedgerRule(entry.rule),
        game_kind=GameKind(entry.game),
        payout_id=payout_gid(entry.cause),
        match_id=entry.match,
    )


def _shown(game: str | None, found: Statistics) -> PlayerStatistics:
    return PlayerStatistics(
        game_kind=None if game is None else GameKind(game),
        played=found.played,
        won=found.won,
        lost=found.lost,
        tied=found.tied,
        abandoned=found.abandoned,
        won_percent=found.won_percent,
        abandoned_percent=found.abandoned_percent,
    )


async def statistics_of(context: Context, player: str, game: GameKind | None) -> PlayerStatistics:
    found = await context.read(context.figures.statistics.get(player)) or {}
    kind = None if game is None else game.value
    return _shown(kind, found.get(kind or EVERY, NONE))


async def statistics_by_game(context: Context, player: str) -> list[PlayerStatistics]:
    """In the order of the catalogue, without what he has not played."""
    found = await context.read(context.figures.statistics.get(player)) or {}
    return [_shown(game.value, found[game.value]) for game in GameKind if game.value in found]
