"""Saying something, and reporting who should not have."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

import msgspec
import strawberry
from circolo_contracts.direction import MAX_NOTE, ReportPlayer, ReportReceipt
from circolo_contracts.ids import chat_stream, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import MAX_TEXT, SendMessage
from circolo_contracts.wire import Refused as RefusedAnswer

from ..boundary import text_problem
from ..commands import ROOMS, Wish, command_id
from .at_room import Info, Key
from .direction import ReportResult, report_result
from .enums import Channel, ReportReason
from .node import player_in, room_in
from .results import Refused, refusal, refused
from .talk import message_gid, place_of

_receipt = msgspec.json.Decoder(ReportReceipt).decode


@strawberry.type
class MessageDone:
    version: int = strawberry.field(description="Of the chat.")
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    id: strawberry.ID = strawberry.field(description="The message's.")
    cursor: str


MessageResult = Annotated[MessageDone | Refused, strawberry.union("MessageResult")]


@strawberry.type
class Talking:
    @strawberry.mutation(
        description=f"By who is in the room. `text`: 1 to {MAX_TEXT} characters; five messages in ten seconds are "
        "enough. TEAM: at a table that is played in two teams."
    )
    async def send_message(
        self,
        info: Info,
        room_id: strawberry.ID,
        text: str,
        to: Channel = Channel.ROOM,
        idempotency_key: Key = None,
    ) -> MessageResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        room = room_in(room_id)
        if room is None:
            return refusal(context, RefusalCode.NOT_FOUND, "roomId")
        problem = text_problem(text, "text", 2 * MAX_TEXT)
        if problem is not None:
            return refused(context, problem)
        data = SendMessage(text=text, to=to.value)
        fields = {"room": room, "to": to.value}
        wish = Wish("sendMessage", ROOMS, chat_stream(room), data, fields, idempotency_key)
        message = command_id(context.viewer, idempotency_key)
        answer = await context.house.commands.send(wish, context.viewer, identity=message)
        if isinstance(answer, RefusedAnswer):
            return refused(context, answer)
        context.house.feeds.expect(wish.stream, answer.view_version)
        return MessageDone(
            version=answer.version, replayed=answer.replayed, id=message_gid(message), cursor=place_of(answer.version)
        )

    @strawberry.mutation(
        description="To the direction, with what was said there lately and the game as everybody sees it. "
        f"`note`: at most {MAX_NOTE} characters."
    )
    async def report_player(
        self,
        info: Info,
        room_id: strawberry.ID,
        player: strawberry.ID,
        reason: ReportReason,
        note: str = "",
        idempotency_key: Key = None,
    ) -> ReportResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        room, who = room_in(room_id), player_in(player)
        if room is None or who is None:
            return refusal(context, RefusalCode.NOT_FOUND, "roomId" if room is None else "player")
        problem = text_problem(note, "note", 2 * MAX_NOTE)
        if problem is not None:
            return refused(context, problem)
        data = ReportPlayer(player=who, reason=reason.value, note=note)
        fields = {"player": who, "reason": reason.value, "room": room}
        wish = Wish("reportPlayer", ROOMS, room_stream(room), data, fields, idempotency_key)
        answer = await context.house.commands.send(wish, context.viewer)
        if isinstance(answer, RefusedAnswer):
            return refused(context, answer)
        return report_result(context, answer, _receipt(answer.view).report)
