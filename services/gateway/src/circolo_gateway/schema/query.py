"""Questions. What is not there, or not for the viewer, is null."""

# ruff: noqa: A002  (the arguments have the API's names)
# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts.ids import RoomCode, code_stream, is_room_code, player_stream, room_stream

from ..lobby import read_cursor
from ..streams.watch import requested_in
from ..transport.errors import Problem
from .catalogue import GameInfo, catalogue
from .context import Context
from .direction import ReportConnection, report, reports
from .encyclopaedia import CardName, CardStyle, RulesPage, SmorfiaName, names_of_cards, names_of_numbers, rules_page
from .enums import GameKind, Language, Measure
from .game import Game
from .games import AnyGame, load_game
from .history import MatchConnection, history
from .lobby import LobbyFilter, RoomConnection, connection, filter_of
from .node import Node, game_in, player_in, room_in
from .pages import checked_first, wrong_cursor
from .player import Player, player
from .room import Room, _room_view, room_from
from .scalars import DateTime
from .standings import LeaderboardConnection, leaderboard
from .talk import MessageConnection, messages_of


def plain_code(text: str) -> RoomCode | None:
    """A room's code as somebody typed it: any case, with spaces or dashes. None when it cannot be one."""
    code = text[:40].upper().replace(" ", "").replace("-", "")
    return RoomCode(code) if is_room_code(code) else None


async def _room(context: Context, gid: str) -> Room | None:
    room = room_in(gid)
    if room is None:
        return None
    seen = await context.see("rooms", room_stream(room))
    return None if seen is None else room_from(seen.view)


async def _game(context: Context, gid: str) -> AnyGame | None:
    """The room decides first who may watch."""
    at = game_in(gid)
    if at is None:
        return None
    seen = await context.see("rooms", room_stream(at.room))
    if seen is None:
        return None
    room = _room_view(seen.view)
    return await load_game(context, at, requested_in(room, at))


async def _player(context: Context, gid: str) -> Player | None:
    found = player_in(gid)
    if found is None or await context.see("rooms", player_stream(found)) is None:
        return None
    return player(found)


@strawberry.type
class Query:
    @strawberry.field(description="Who the token says; null without one.")
    def me(self, info: strawberry.Info[Context, None]) -> Player | None:
        return player(info.context.viewer) if info.context.viewer else None

    @strawberry.field
    async def player(self, info: strawberry.Info[Context, None], id: strawberry.ID) -> Player | None:
        return await _player(info.context, id)

    @strawberry.field(description="Every game of the house.")
    def catalogue(self) -> list[GameInfo]:
        return catalogue()

    @strawberry.field(description="The encyclopaedia: how the house plays this game.")
    def rules(self, game: GameKind, language: Language = Language.IT) -> RulesPage:
        return rules_page(game, language)

    @strawberry.field(description="What the forty cards are called.")
    def card_names(self, style: CardStyle, language: Language = Language.IT) -> list[CardName]:
        return names_of_cards(style, language)

    @strawberry.field(description="What the ninety numbers of the tombola are called. `family`: nothing coarse.")
    def smorfia(self, family: bool = True) -> list[SmorfiaName]:
        return names_of_numbers(family)

    @strawberry.field(description="Public rooms that are open, newest first. `first` is at most 100.")
    async def lobby(
        self,
        info: strawberry.Info[Context, None],
        filter: LobbyFilter | None = None,
        first: int = 20,
        after: str | None = None,
    ) -> RoomConnection:
        cursor = read_cursor(after) if after is not None else None
        if after is not None and cursor is None:
            raise wrong_cursor()
        page = await info.context.read(info.context.house.lobby.page(filter_of(filter), checked_first(first), cursor))
        return connection(page.entries, more=page.more, after=after)

    @strawberry.field(
        description="Finished matches, newest first: ranked ones, those of public rooms, and the viewer's own. `first` "
        "is at most 100."
    )
    async def history(
        self,
        info: strawberry.Info[Context, None],
        player: strawberry.ID | None = None,
        game: GameKind | None = None,
        first: int = 20,
        after: str | None = None,
    ) -> MatchConnection:
        return await history(info.context, player, game, first, after)

    @strawberry.field(
        description="Of all games or one, of all time or one season: a quarter of a year by UTC, such as `2026-Q4`. "
        "`first` is at most 100."
    )
    async def leaderboard(
        self,
        info: strawberry.Info[Context, None],
        game: GameKind | None = None,
        season: str | None = None,
        by: Measure = Measure.BRILLI,
        first: int = 20,
        after: str | None = None,
    ) -> LeaderboardConnection:
        return await leaderboard(info.context, game, season, by, first, after)

    @strawberry.field(description="What was said in a room, for who is in it, newest first. `first` is at most 100.")
    async def messages(
        self, info: strawberry.Info[Context, None], room_id: strawberry.ID, first: int = 20, after: str | None = None
    ) -> MessageConnection:
        return await messages_of(info.context, room_id, first, after)

    @strawberry.field(description="For operators, newest first. `first` is at most 100.")
    async def reports(
        self,
        info: strawberry.Info[Context, None],
        first: int = 20,
        after: str | None = None,
        open_only: bool = False,
    ) -> ReportConnection:
        return await reports(info.context, first, after, open_only=open_only)

    @strawberry.field(description="By id or by code, one of the two.")
    async def room(
        self, info: strawberry.Info[Context, None], id: strawberry.ID | None = None, code: str | None = None
    ) -> Room | None:
        if (id is None) == (code is None):
            raise Problem("BAD_USER_INPUT", "Give `id` or `code`, one of the two.")
        if id is not None:
            return await _room(info.context, id)
        plain = plain_code(code or "")
        seen = None if plain is None else await info.context.see("rooms", code_stream(plain))
        return None if seen is None else room_from(seen.view)

    @strawberry.field(description="The viewer's view. STARTING from the room's start until the game's first event.")
    async def game(self, info: strawberry.Info[Context, None], id: strawberry.ID) -> Game | None:
        return await _game(info.context, id)

    @strawberry.field(description="The clock that every deadline means.")
    def server_time(self, info: strawberry.Info[Context, None]) -> DateTime:
        return DateTime(info.context.house.clock.now())

    @strawberry.field
    async def node(self, info: strawberry.Info[Context, None], id: strawberry.ID) -> Node | None:
        game = await _game(info.context, id)
        if game is not None:
            return game
        context = info.context
        return await _room(context, id) or await _player(context, id) or await report(context, id)
