"""What is said in rooms: live, of the past, and by whom it may be heard."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec
import strawberry
from circolo_contracts.ids import RoomId, global_id, stream_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import ChatHappening
from msgspec import UNSET

from ..records.pages import cursor_of
from ..streams.update import NotShown
from .context import Context
from .enums import Channel, MessageKind
from .game import given
from .node import room_in
from .pages import PageInfo, checked_after, checked_first, page_info
from .player import Player, player_or_none
from .scalars import DateTime, moment

_happening = msgspec.json.Decoder(ChatHappening).decode
_KINDS = {
    "MessagePosted": MessageKind.SAID,
    "TalkClosed": MessageKind.TALK_CLOSED,
    "TalkOpened": MessageKind.TALK_OPENED,
}
MOST_PAGES = 4
"""So often rooms is asked for one page of ours; who may read little of it gets fewer messages than he asked for."""


@strawberry.type(description="One thing that happened in a room's chat.")
class Message:
    cursor: str = strawberry.field(description="Subscribe after this one.")
    kind: MessageKind
    id: strawberry.ID | None = strawberry.field(description="Of what was SAID.")
    at: DateTime | None = strawberry.field(description="Null for LAGGED.")
    player: Player | None = strawberry.field(description="Who said it.")
    to: Channel | None
    team: int | None = strawberry.field(description="For TEAM.")
    text: str | None = strawberry.field(description="Null when it was erased.")


@strawberry.type
class MessageEdge:
    cursor: str
    node: Message


@strawberry.type(description="Newest first.")
class MessageConnection:
    edges: list[MessageEdge]
    page_info: PageInfo


def message_gid(message: str) -> strawberry.ID:
    return strawberry.ID(global_id("Message", stream_of("message", message)))


def place_of(version: int) -> str:
    return cursor_of((version,))


def _message(told: ChatHappening) -> Message | None:
    """None for what this version of the gateway does not know."""
    kind = _KINDS.get(told.kind)
    if kind is None:
        return None
    return Message(
        cursor=place_of(told.at_version),
        kind=kind,
        id=None if told.message_id is UNSET else message_gid(told.message_id),
        at=moment(told.at),
        player=player_or_none(told.player),
        to=None if told.channel is UNSET else Channel(told.channel),
        team=given(told.team),
        text=None if told.text is UNSET else told.text,
    )


def _lagged(version: int) -> Message:
    return Message(
        cursor=place_of(version), kind=MessageKind.LAGGED, id=None, at=None, player=None, to=None, team=None, text=None
    )


def version_of(after: str | None) -> int | None:
    """What a cursor of a chat names; raises Problem."""
    key = checked_after(after, int)
    return None if key is None else max(int(key[0]), 0)


def heard_room(context: Context, gid: str) -> RoomId:
    room = room_in(gid)
    if room is None:
        raise context.problem(RefusalCode.NOT_FOUND)
    return room


async def messages_of(context: Context, gid: str, first: int, after: str | None) -> MessageConnection:
    room = heard_room(context, gid)
    wanted, before = checked_first(first), version_of(after)
    found: list[ChatHappening] = []
    more = True
    try:
        for _ in range(MOST_PAGES):
            page = await context.house.chats.past(room, context.viewer, UNSET if before is None else before)
            found += page.messages
            more, before = page.more, page.next_after
            if not more or len(found) > wanted:
                break
    except NotShown as refusal:
        raise context.problem(refusal.code) from None
    shown = [message for told in found[:wanted] if (message := _message(told)) is not None]
    more = more or len(found) > wanted
    end = place_of(before) if more and len(found) <= wanted and before is not None else None
    edges = [MessageEdge(cursor=message.cursor, node=message) for message in shown]
    return MessageConnection(
        edges=edges, page_info=page_info([edge.cursor for edge in edges], more=more, after=after, end=end)
    )


async def hear(context: Context, gid: str, after: str | None) -> AsyncGenerator[Message, None]:
    """Each thing once, in order; what is missing is said."""
    room, last = heard_room(context, gid), version_of(after)
    try:
        chat = context.house.chats.hear(room, context.viewer, UNSET if last is None else last)
        async with aclosing(chat) as updates:
            async for update in updates:
                if update.reset and last is not None:
                    yield _lagged(last)
                for each in update.happened:
                    told = _happening(each)
                    message = _message(told)
                    if message is not None and (last is None or told.at_version > last):
                        yield message
                last = update.version
    except NotShown as refusal:
        raise context.problem(refusal.code) from None
