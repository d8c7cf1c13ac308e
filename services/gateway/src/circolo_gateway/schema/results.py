"""The one typed answer of each mutation: it was done, or why not."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

import msgspec
import strawberry
from circolo_contracts import wire
from circolo_contracts.refusals import RefusalCode, message
from circolo_contracts.rooms import Token
from msgspec import UNSET, Raw

from ..transport.raw import raw
from .context import Context
from .enums import RefusalCodeEnum
from .game import Game
from .games import GAMES, GameType, game_type
from .player import Player, player
from .room import Room, room_from
from .scalars import DateTime

_token = msgspec.json.Decoder(Token).decode


@strawberry.type(description="It was not done and nothing was stored; the same key may be used again.")
class Refused:
    code: RefusalCodeEnum  # type: ignore[valid-type]  # the enum, under the name that the schema gives it
    message: str = strawberry.field(description="For people, in the client's language.")
    current_version: int | None = strawberry.field(description="Where the room or game is, when that is why.")
    field: str | None = strawberry.field(description="Which part of the input is meant, when it is about one.")


@strawberry.type
class SignInDone:
    token: str = strawberry.field(
        description="Send it as `Authorization: Bearer ...`, or as `authorization` in connection_init."
    )
    expires_at: DateTime
    player: Player


@strawberry.type
class PlayerDone:
    version: int
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    player: Player


@strawberry.type
class RoomDone:
    version: int = strawberry.field(description="Right after this mutation; `room` may be newer.")
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    room: Room


@strawberry.type
class GameDone:
    version: int = strawberry.field(description="Right after this mutation; `game` may be newer.")
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    view: strawberry.Private[Raw]
    of: strawberry.Private[GameType]

    @strawberry.field(metadata=raw("view", *GAMES, which="of.game"))
    def game(self) -> Game:
        return self.of.from_view(self.view)


SignInResult = Annotated[SignInDone | Refused, strawberry.union("SignInResult")]
PlayerResult = Annotated[PlayerDone | Refused, strawberry.union("PlayerResult")]
RoomResult = Annotated[RoomDone | Refused, strawberry.union("RoomResult")]
GameResult = Annotated[GameDone | Refused, strawberry.union("GameResult")]


def refusal(
    context: Context, code: RefusalCode, field: str | None = None, current_version: int | None = None
) -> Refused:
    return Refused(code=code, message=message(code, context.language), current_version=current_version, field=field)


def _camel(field: str) -> str:
    """The API's name of a command's field."""
    first, *more = field.split("_")
    return first + "".join(word.capitalize() for word in more)


def refused(context: Context, answer: wire.Refused) -> Refused:
    return refusal(
        context,
        answer.code,
        None if answer.field is UNSET else _camel(answer.field),
        None if answer.current_version is UNSET else answer.current_version,
    )


def sign_in_result(context: Context, answer: wire.Done | wire.Refused, player_id: str) -> SignInDone | Refused:
    if isinstance(answer, wire.Refused):
        return refused(context, answer)
    if answer.extra is UNSET:
        return refusal(context, RefusalCode.UNAVAILABLE)
    token = _token(answer.extra)
    return SignInDone(token=token.token, expires_at=DateTime(token.expires_at), player=player(player_id))


def player_result(context: Context, answer: wire.Done | wire.Refused, player_id: str) -> PlayerDone | Refused:
    if isinstance(answer, wire.Refused):
        return refused(context, answer)
    return PlayerDone(version=answer.version, replayed=answer.replayed, player=player(player_id))


def room_result(context: Context, answer: wire.Done | wire.Refused) -> RoomDone | Refused:
    if isinstance(answer, wire.Refused):
        return refused(context, answer)
    return RoomDone(version=answer.version, replayed=answer.replayed, room=room_from(answer.view))


def game_result(context: Context, answer: wire.Done | wire.Refused, stream: str) -> GameDone | Refused:
    if isinstance(answer, wire.Refused):
        return refused(context, answer)
    return GameDone(version=answer.version, replayed=answer.replayed, view=answer.view, of=game_type(stream))
