"""What all games have in common for who looks at them: the interfaces, and how a game ended."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry
from circolo_contracts.cardgames import MatchResult
from circolo_contracts.ids import RoomId, room_stream
from msgspec import UNSET, UnsetType

from ..transport.raw import reads
from .context import Context
from .enums import AbandonReason, GameEventKind, GameKind, GameStatus, Outcome
from .node import game_in
from .scalars import DateTime

if TYPE_CHECKING:
    from .room import Room


@strawberry.type(description="How a game ended.")
class GameOutcome:
    outcome: Outcome
    winner: int | None = strawberry.field(
        description="The team, for WON; for ABANDONED the other one when there are two."
    )
    abandoned_by: int | None = strawberry.field(description="The seat, for ABANDONED.")
    reason: AbandonReason | None = strawberry.field(description="For ABANDONED.")


@strawberry.interface(description="A game of any kind.")
class Game:
    id: strawberry.ID
    kind: GameKind
    version: int = strawberry.field(description="Of the view; 0 while STARTING.")
    status: GameStatus
    ranked: bool = strawberry.field(description="It counts: for brilli, percentages and standings.")
    started_at: DateTime | None
    deadline: DateTime | None = strawberry.field(
        description="When the clock acts for who is on turn; null without a clock."
    )
    result: GameOutcome | None
    room_id: strawberry.Private[str]

    @strawberry.field(description="Where it is played; null when the viewer may not see it any more.")
    async def room(self, info: strawberry.Info[Context, None]) -> Annotated[Room, strawberry.lazy(".room")] | None:
        from .room import room_from  # noqa: PLC0415 (rooms and games know each other)

        seen = await info.context.see("rooms", room_stream(RoomId(self.room_id)))
        return None if seen is None else room_from(seen.view)

    @strawberry.field(
        description="The whole game to read and to play again: headers, and one line a move. Null until it is over."
    )
    async def record(self, info: strawberry.Info[Context, None]) -> str | None:
        at = game_in(self.id)
        if at is None or self.result is None:
            return None
        return await info.context.document(at.service, at.stream, "record")


@strawberry.interface(description="One thing that happened in a game, as its viewer may know it.")
class GameEvent:
    at_version: int
    kind: GameEventKind
    seat: int | None


def given(value: int | UnsetType) -> int | None:
    """What is absent on the wire is null in the API."""
    return value if isinstance(value, int) else None


def never_ranked(_: str) -> bool:
    """Of a game that has no ranked tables."""
    return False


def outcome(result: MatchResult | UnsetType) -> GameOutcome | None:
    if isinstance(result, UnsetType):
        return None
    return GameOutcome(
        outcome=Outcome(result.outcome),
        winner=given(result.winner),
        abandoned_by=given(result.abandoned_by),
        reason=None if result.reason is UNSET else AbandonReason(result.reason),
    )


reads(GameOutcome, MatchResult)
