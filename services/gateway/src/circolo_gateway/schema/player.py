"""A player as others see him."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Sequence

import strawberry
from msgspec import UnsetType

from .context import Context
from .enums import GameKind
from .figures import Brilli, PlayerStatistics, statistics_by_game, statistics_of
from .node import Node, player_gid


@strawberry.type(description="A person of the house.")
class Player(Node):
    hex_id: strawberry.Private[str]

    @strawberry.field(description="Null when the player is not known or was erased.")
    async def name(self, info: strawberry.Info[Context, None]) -> str | None:
        return await info.context.read(info.context.house.names.name(self.hex_id))

    @strawberry.field(description="His ranked matches: of one game, or of all together.")
    async def statistics(self, info: strawberry.Info[Context, None], game: GameKind | None = None) -> PlayerStatistics:
        return await statistics_of(info.context, self.hex_id, game)

    @strawberry.field(description="Of each game that he has played in ranked matches.")
    async def statistics_by_game(self, info: strawberry.Info[Context, None]) -> list[PlayerStatistics]:
        return await statistics_by_game(info.context, self.hex_id)

    @strawberry.field
    def brilli(self) -> Brilli:
        return Brilli(hex_id=self.hex_id)


def player(hex_id: str) -> Player:
    return Player(id=player_gid(hex_id), hex_id=hex_id)


def player_or_none(hex_id: str | UnsetType) -> Player | None:
    return player(hex_id) if isinstance(hex_id, str) else None


def players(hex_ids: Sequence[str]) -> list[Player]:
    return [player(hex_id) for hex_id in hex_ids]
