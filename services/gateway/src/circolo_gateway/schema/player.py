"""A player as others see him."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from msgspec import UnsetType

from .context import Context
from .node import Node, player_gid


@strawberry.type(description="A person of the house.")
class Player(Node):
    hex_id: strawberry.Private[str]

    @strawberry.field(description="Null when the player is not known or was erased.")
    async def name(self, info: strawberry.Info[Context, None]) -> str | None:
        return await info.context.read(info.context.house.names.name(self.hex_id))


def player(hex_id: str) -> Player:
    return Player(id=player_gid(hex_id), hex_id=hex_id)


def player_or_none(hex_id: str | UnsetType) -> Player | None:
    return player(hex_id) if isinstance(hex_id, str) else None
