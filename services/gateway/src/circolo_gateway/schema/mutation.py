"""Everything that a player can do. Each answers once, with what was done or why not; a repeated key the same again."""

# ruff: noqa: A002  (the arguments have the API's names)
# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts import rooms
from circolo_contracts.ids import PlayerId, RoomId, code_stream, player_stream, room_stream
from circolo_contracts.refusals import RefusalCode

from ..boundary import text_problem
from ..commands import ROOMS, Wish, fresh_player, room_for
from .at_room import Info, Key, in_room, room_wish
from .bank import AtTheBank
from .calling import AtTheTombola
from .directing import Directing
from .enums import CpuLevel, Visibility
from .node import player_in
from .playing import AtTheGame
from .query import plain_code
from .quizzing import AtTheTrivia
from .results import (
    PlayerResult,
    RoomResult,
    SignInResult,
    player_result,
    refusal,
    refused,
    sign_in_result,
)
from .settings import GameInput, chosen
from .table import AtTheTable
from .talking import Talking


@strawberry.input
class CreateRoomInput:
    game: GameInput
    visibility: Visibility = Visibility.PUBLIC
    ranked: bool = strawberry.field(
        default=False,
        description="For good: its games count. People only; of the settings `players` may be chosen, the others are "
        "those of ranked tables and best left out.",
    )


@strawberry.type
class AtTheRoom:
    """Before, beside and after a game."""

    @strawberry.mutation(description="A new guest. `name`: 1 to 32 visible characters.")
    async def sign_in_as_guest(self, info: Info, name: str) -> SignInResult:
        context = info.context
        problem = text_problem(name, "name")
        if problem is not None:
            return refused(context, problem)
        player = fresh_player()
        wish = Wish("signInAsGuest", ROOMS, player_stream(PlayerId(player)), rooms.SignInAsGuest(name=name), {})
        return sign_in_result(context, await context.house.commands.send(wish, player), player)

    @strawberry.mutation(description="A new token for the same player, before the old one expires.")
    async def refresh_token(self, info: Info) -> SignInResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        wish = Wish("refreshToken", ROOMS, player_stream(PlayerId(context.viewer)), rooms.RefreshToken(), {})
        return sign_in_result(context, await context.house.commands.send(wish, context.viewer), context.viewer)

    @strawberry.mutation
    async def rename_player(self, info: Info, name: str, idempotency_key: Key = None) -> PlayerResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        problem = text_problem(name, "name")
        if problem is not None:
            return refused(context, problem)
        stream = player_stream(PlayerId(context.viewer))
        wish = Wish("renamePlayer", ROOMS, stream, rooms.RenamePlayer(name=name), {}, idempotency_key)
        answer = await context.house.commands.send(wish, context.viewer)
        context.house.names.forget(context.viewer)
        return player_result(context, answer, context.viewer)

    @strawberry.mutation(description="Opens a room; the host sits at seat 0.")
    async def create_room(self, info: Info, input: CreateRoomInput, idempotency_key: Key = None) -> RoomResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        game, settings = chosen(input.game)
        room = room_for(context.viewer, idempotency_key)
        data = rooms.CreateRoom(game=game, settings=settings, visibility=input.visibility.value, ranked=input.ranked)
        fields: dict[str, object] = {"game": game, "settings": settings, "visibility": input.visibility.value}
        if input.ranked:
            fields["ranked"] = True
        wish = Wish("createRoom", ROOMS, room_stream(RoomId(room)), data, fields, idempotency_key)
        return await room_wish(context, wish, identity=room)

    @strawberry.mutation(
        description="`code` in any case, with or without spaces. `watch`: without a seat, also during a game."
    )
    async def join_room(self, info: Info, code: str, watch: bool = False, idempotency_key: Key = None) -> RoomResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        plain = plain_code(code)
        if plain is None:
            return refusal(context, RefusalCode.NOT_FOUND, "code")
        fields = {"code": plain, "watch": watch}
        return await room_wish(
            context, Wish("joinRoom", ROOMS, code_stream(plain), rooms.JoinRoom(watch=watch), fields, idempotency_key)
        )

    @strawberry.mutation(
        description="During a friendly game the seat is kept for who left; at a ranked table it abandons the game."
    )
    async def leave_room(self, info: Info, room_id: strawberry.ID, idempotency_key: Key = None) -> RoomResult:
        return await in_room(info.context, "leaveRoom", room_id, rooms.LeaveRoom(), {}, idempotency_key, None)

    @strawberry.mutation(description="Moves to a free seat.")
    async def take_seat(
        self,
        info: Info,
        room_id: strawberry.ID,
        seat: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        return await in_room(
            info.context,
            "takeSeat",
            room_id,
            rooms.TakeSeat(seat=seat),
            {"seat": seat},
            idempotency_key,
            expected_version,
        )

    @strawberry.mutation(description="To the lowest free seat of that team: oneself, or anybody by the host.")
    async def assign_team(
        self,
        info: Info,
        room_id: strawberry.ID,
        player: strawberry.ID,
        team: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        who = player_in(player)
        if who is None:
            return refusal(info.context, RefusalCode.NOT_FOUND, "player")
        data = rooms.AssignTeam(player=who, team=team)
        fields = {"player": who, "team": team}
        return await in_room(info.context, "assignTeam", room_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host, at a free seat.")
    async def add_cpu(
        self,
        info: Info,
        room_id: strawberry.ID,
        seat: int,
        level: CpuLevel = CpuLevel.MEDIUM,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        data = rooms.AddCpu(level=level.value, seat=seat)
        fields = {"level": level.value, "seat": seat}
        return await in_room(info.context, "addCpu", room_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host.")
    async def remove_cpu(
        self,
        info: Info,
        room_id: strawberry.ID,
        seat: int,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        return await in_room(
            info.context,
            "removeCpu",
            room_id,
            rooms.RemoveCpu(seat=seat),
            {"seat": seat},
            idempotency_key,
            expected_version,
        )

    @strawberry.mutation(description="By the host, in the lobby. What is left out keeps its value if the game stays.")
    async def change_settings(
        self,
        info: Info,
        room_id: strawberry.ID,
        game: GameInput,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        kind, settings = chosen(game)
        data = rooms.ChangeSettings(game=kind, settings=settings)
        fields = {"game": kind, "settings": settings}
        return await in_room(info.context, "changeSettings", room_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host, to another member.")
    async def hand_over_host(
        self,
        info: Info,
        room_id: strawberry.ID,
        player: strawberry.ID,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        who = player_in(player)
        if who is None:
            return refusal(info.context, RefusalCode.NOT_FOUND, "player")
        data = rooms.HandOverHost(player=who)
        return await in_room(
            info.context, "handOverHost", room_id, data, {"player": who}, idempotency_key, expected_version
        )

    @strawberry.mutation(
        description="By the host, when every seat is taken; a party game leaves seats empty. `room.gameId` is the new "
        "game at once."
    )
    async def start_game(
        self, info: Info, room_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> RoomResult:
        return await in_room(
            info.context, "startGame", room_id, rooms.StartGame(), {}, idempotency_key, expected_version
        )

    @strawberry.mutation(description="By the host: ends the running game for everybody, without a winner.")
    async def end_game(
        self, info: Info, room_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> RoomResult:
        return await in_room(info.context, "endGame", room_id, rooms.EndGame(), {}, idempotency_key, expected_version)


@strawberry.type
class Mutation(AtTheRoom, AtTheTable, Talking, AtTheGame, AtTheTombola, AtTheTrivia, AtTheBank, Directing):
    """All of them."""
