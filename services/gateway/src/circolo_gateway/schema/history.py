"""Matches of the past with their score sheets, and what they brought to whom."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import asyncio
from collections.abc import Mapping

import strawberry
from circolo_contracts.games import CATALOGUE
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET

from ..records import history as records
from ..records.history import FinishedMatch
from ..records.pages import cursor_of
from .card_game import DealScore, deal_score
from .context import Context
from .enums import AbandonReason, CpuLevel, GameKind, Outcome
from .game import GameOutcome
from .node import game_gid, player_in, room_gid
from .pages import PageInfo, checked_after, checked_first, page_info
from .player import Player, player_or_none
from .scalars import DateTime
from .settings import GameSettings, shown_settings


@strawberry.type
class MatchSeat:
    seat: int
    team: int
    player: Player | None
    cpu: CpuLevel | None
    brilli: int | None = strawberry.field(
        description="What the match brought him, below zero: cost him. Null for friendly matches, and for the moment "
        "till it is paid."
    )


@strawberry.type(description="A match that is over.")
class Match:
    game_id: strawberry.ID
    game_kind: GameKind
    ranked: bool
    room_id: strawberry.ID
    game_no: int = strawberry.field(description="From 1 within the room.")
    seats: list[MatchSeat]
    settings: GameSettings
    deals: list[DealScore]
    score: list[int] = strawberry.field(description="By team; empty when no deal was finished.")
    result: GameOutcome
    started_at: DateTime
    ended_at: DateTime


@strawberry.type
class MatchEdge:
    cursor: str
    node: Match


@strawberry.type(description="Newest first.")
class MatchConnection:
    edges: list[MatchEdge]
    page_info: PageInfo


def _match(match: FinishedMatch, given: Mapping[str, int]) -> Match:
    descriptor = CATALOGUE[match.game]
    seats = [
        MatchSeat(
            seat=seat,
            team=descriptor.team_of(seat, match.settings),
            player=player_or_none(each.player),
            cpu=None if each.cpu is UNSET else CpuLevel(each.cpu),
            brilli=given.get(each.player, 0) if given and isinstance(each.player, str) else None,
        )
        for seat, each in enumerate(match.seats)
    ]
    return Match(
        game_id=game_gid(match.game, match.match, match.room),
        game_kind=GameKind(match.game),
        ranked=match.ranked,
        room_id=room_gid(match.room),
        game_no=match.game_no,
        seats=seats,
        settings=shown_settings(match.game, match.settings),
        deals=[deal_score(deal) for deal in match.deals],
        score=match.score,
        result=GameOutcome(
            outcome=Outcome(match.outcome),
            winner=match.winner,
            abandoned_by=match.abandoned_by,
            reason=None if match.reason is None else AbandonReason(match.reason),
        ),
        started_at=DateTime(match.started_at),
        ended_at=DateTime(match.ended_at),
    )


async def match_from(context: Context, match: FinishedMatch) -> Match | None:
    """None for a game that this version of the gateway does not know."""
    if match.game not in CATALOGUE:
        return None
    given = await context.read(context.figures.given.get(match.match)) if match.ranked else None
    return _match(match, given or {})


async def history(
    context: Context, player: str | None, game: GameKind | None, first: int, after: str | None
) -> MatchConnection:
    """Raises Problem NOT_FOUND for what is no player's id."""
    who = None
    if player is not None and (who := player_in(player)) is None:
        raise context.problem(RefusalCode.NOT_FOUND)
    key = checked_after(after, int, str)
    kind = None if game is None else game.value
    pool = context.house.pool
    reading = records.history(
        pool,
        context.viewer or None,
        player=who,
        game=kind,
        first=checked_first(first),
        after=key,  # type: ignore[arg-type]  # its kinds were checked
    )
    page = await context.read(reading)
    shown = await asyncio.gather(*(match_from(context, each) for each in page.rows))
    edges = [
        MatchEdge(cursor=cursor_of(records.key_of(each)), node=node)
        for each, node in zip(page.rows, shown, strict=True)
        if node is not None
    ]
    end = cursor_of(records.key_of(page.rows[-1])) if page.rows else None
    return MatchConnection(
        edges=edges, page_info=page_info([edge.cursor for edge in edges], more=page.more, after=after, end=end)
    )
