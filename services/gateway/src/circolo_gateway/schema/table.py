"""What the people of a table decide together: to put somebody out, and to play again."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts.expulsion import VoteToExpel
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rematch import AcceptRematch, OfferRematch, WithdrawRematch

from .at_room import Info, Key, in_room
from .node import player_in
from .results import RoomResult, refusal


@strawberry.type
class AtTheTable:
    @strawberry.mutation(
        description="During a game at a table of three or more. When all the others are in favour, `player` is out and "
        "has abandoned. `inFavour: false` takes the vote back."
    )
    async def vote_to_expel(
        self,
        info: Info,
        room_id: strawberry.ID,
        player: strawberry.ID,
        in_favour: bool,
        idempotency_key: Key = None,
        expected_version: int | None = None,
    ) -> RoomResult:
        who = player_in(player)
        if who is None:
            return refusal(info.context, RefusalCode.NOT_FOUND, "player")
        data = VoteToExpel(in_favour=in_favour, player=who)
        fields = {"inFavour": in_favour, "player": who}
        return await in_room(info.context, "voteToExpel", room_id, data, fields, idempotency_key, expected_version)

    @strawberry.mutation(description="By the host, after a game, while its seats are unchanged.")
    async def offer_rematch(
        self, info: Info, room_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> RoomResult:
        return await in_room(
            info.context, "offerRematch", room_id, OfferRematch(), {}, idempotency_key, expected_version
        )

    @strawberry.mutation(description="With the last acceptance `room.gameId` is the new game.")
    async def accept_rematch(
        self, info: Info, room_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> RoomResult:
        return await in_room(
            info.context, "acceptRematch", room_id, AcceptRematch(), {}, idempotency_key, expected_version
        )

    @strawberry.mutation(
        description="Before the last acceptance: the invitation, by the host or who made it; else one's own acceptance."
    )
    async def withdraw_rematch(
        self, info: Info, room_id: strawberry.ID, idempotency_key: Key = None, expected_version: int | None = None
    ) -> RoomResult:
        return await in_room(
            info.context, "withdrawRematch", room_id, WithdrawRematch(), {}, idempotency_key, expected_version
        )
