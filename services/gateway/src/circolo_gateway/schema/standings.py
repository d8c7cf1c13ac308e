"""Standings: of one game or all, of one season or all time."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry

from ..records import leaderboard as records
from ..records.pages import cursor_of
from ..transport.errors import Problem
from .context import Context
from .enums import GameKind, Measure
from .pages import PageInfo, checked_after, checked_first, page_info
from .player import Player, player


@strawberry.type
class LeaderboardPlace:
    rank: int = strawberry.field(description="Who is level shares it: 1, 1, 3.")
    player: Player
    score: int = strawberry.field(description="Brilli or wins.")


@strawberry.type
class LeaderboardEdge:
    cursor: str
    node: LeaderboardPlace


@strawberry.type(description="The greatest score first.")
class LeaderboardConnection:
    edges: list[LeaderboardEdge]
    page_info: PageInfo
    by: strawberry.Private[records.Measure]
    game: strawberry.Private[str | None]
    season: strawberry.Private[str | None]

    @strawberry.field(description="The viewer's own place; null when he is not in this list.")
    async def mine(self, info: strawberry.Info[Context, None]) -> LeaderboardPlace | None:
        context = info.context
        if not context.viewer:
            return None
        reading = records.place_of(context.house.pool, self.by, context.viewer, game=self.game, season=self.season)
        place = await context.read(reading)
        return None if place is None else _place(place)


def _place(place: records.Place) -> LeaderboardPlace:
    return LeaderboardPlace(rank=place.rank, player=player(place.player), score=place.score)


async def leaderboard(
    context: Context, game: GameKind | None, season: str | None, by: Measure, first: int, after: str | None
) -> LeaderboardConnection:
    if season is not None and not records.is_season(season):
        raise Problem("BAD_USER_INPUT", "A `season` is a quarter of a year, such as 2026-Q4.")
    measure: records.Measure = by.value
    kind = None if game is None else game.value
    key = checked_after(after, int, str)
    reading = records.leaderboard(
        context.house.pool,
        measure,
        game=kind,
        season=season,
        first=checked_first(first),
        after=key,  # type: ignore[arg-type]  # its kinds were checked
    )
    page = await context.read(reading)
    edges = [LeaderboardEdge(cursor=cursor_of(records.key_of(each)), node=_place(each)) for each in page.rows]
    cursors = [edge.cursor for edge in edges]
    return LeaderboardConnection(
        edges=edges, page_info=page_info(cursors, more=page.more, after=after), by=measure, game=kind, season=season
    )
