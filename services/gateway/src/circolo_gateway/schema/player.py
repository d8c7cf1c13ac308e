"""A player as others see him."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Sequence

import msgspec
import strawberry
from circolo_contracts.ids import PlayerId, player_stream
from circolo_contracts.rooms import PlayerView
from msgspec import UnsetType

from .context import Context
from .enums import GameKind, Role
from .figures import Brilli, PlayerStatistics, statistics_by_game, statistics_of
from .node import Node, player_gid
from .scalars import DateTime, moment

_view = msgspec.json.Decoder(PlayerView).decode


@strawberry.type(description="What the direction has decided about a player, and whether he is of it.")
class Standing:
    roles: list[Role]
    warnings: int = strawberry.field(description="How many he ever had.")
    muted_until: DateTime | None = strawberry.field(description="Null when he may talk.")
    banned_until: DateTime | None = strawberry.field(description="Null when ranked tables are open to him.")


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

    @strawberry.field(description="For himself only.")
    async def standing(self, info: strawberry.Info[Context, None]) -> Standing | None:
        if not self.hex_id or self.hex_id != info.context.viewer:
            return None
        seen = await info.context.see("rooms", player_stream(PlayerId(self.hex_id)))
        return None if seen is None else _standing(_view(seen.view), info.context.house.clock.now())

    @strawberry.field
    def brilli(self) -> Brilli:
        return Brilli(hex_id=self.hex_id)


def _standing(view: PlayerView, now: int) -> Standing:
    return Standing(
        roles=[Role(role) for role in view.roles],
        warnings=view.warnings if isinstance(view.warnings, int) else 0,
        muted_until=_still(view.muted_until, now),
        banned_until=_still(view.banned_until, now),
    )


def _still(until: int | UnsetType, now: int) -> DateTime | None:
    return moment(until) if isinstance(until, int) and until > now else None


def player(hex_id: str) -> Player:
    return Player(id=player_gid(hex_id), hex_id=hex_id)


def player_or_none(hex_id: str | UnsetType) -> Player | None:
    return player(hex_id) if isinstance(hex_id, str) else None


def somebody(hex_id: str) -> Player | None:
    """None where there is nobody yet: of a game that never started."""
    return player(hex_id) if hex_id else None


def players(hex_ids: Sequence[str]) -> list[Player]:
    return [player(hex_id) for hex_id in hex_ids]
