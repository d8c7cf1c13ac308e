"""Saying something in a room, and reading what was said: where texts meet the chat's events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from circolo_contracts.ids import PlayerId, RoomId, chat_stream, id_of, player_stream, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import (
    MAX_TEXT,
    MESSAGES,
    PAGE,
    Channel,
    ChatEvent,
    ChatHappening,
    ChatPage,
    MessagePosted,
    SendMessage,
)
from circolo_contracts.wire import Answer, Ask, Command, Document, Done, Refused, Seen, encoder
from circolo_events.asking import MAX_RESUME
from circolo_events.clock import Clock
from circolo_events.decider import PUBLIC, Rejection, Viewer
from circolo_events.registry import EventRegistry
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from msgspec import UNSET, Raw
from msgspec.structs import replace

from ..errands import Handler, instead, reading
from ..player import PlayerState
from ..state import RoomState
from .chat import ChatDecider, ChatState, may_read, team_audience, told
from .commands import PostMessage
from .silence import begins_silent
from .texts import Line, Spoken, Texts
from .wording import wording

UNKNOWN = (RefusalCode.UNAVAILABLE, RefusalCode.INTERNAL)
"""Refusals after which the message may have been said all the same."""
NEWEST = 2**53 - 1
"""A version after every version."""


class Speaking(ChatDecider):
    """The chat's decider at this process's edge: what it tells has the text of a message that is on its way here.

    Pushed is only what this process committed; whoever missed it asks, and is answered from the table.
    """

    def __init__(self) -> None:
        self.on_the_way: dict[str, str] = {}

    def tell(self, event: ChatEvent, before: ChatState, after: ChatState, viewer: Viewer) -> Sequence[ChatHappening]:
        happened = super().tell(event, before, after, viewer)
        if not isinstance(event, MessagePosted):
            return happened
        text = self.on_the_way.get(event.message_id)
        return [replace(each, text=UNSET if text is None else text) for each in happened]


class Talk:
    """Sending and reading. ``mouth`` is the decider that the runtime has for chats."""

    def __init__(
        self, runtime: Runtime, store: Store, registry: EventRegistry, texts: Texts, mouth: Speaking, clock: Clock
    ) -> None:
        self.runtime = runtime
        self.store = store
        self.registry = registry
        self.texts = texts
        self.mouth = mouth
        self.clock = clock

    def handlers(self) -> dict[str, Handler]:
        return {"SendMessage": reading(SendMessage, ("chat",), self.send)}

    # ------------------------------------------------------------ saying

    async def send(self, stream: str, command: Command, wish: SendMessage) -> Answer:
        """Draft, event; the push has the text, and after it only the table. A retry gets its first answer, whatever
        became of its sender meanwhile."""
        speaker = command.actor
        if speaker.kind != "player":
            return Refused(RefusalCode.NOT_ALLOWED)
        text = wording(wish.text, MAX_TEXT, "text")
        if isinstance(text, Rejection):
            return Refused(text.code, field=text.field)
        room, player, chat = await asyncio.gather(
            self.runtime.state(room_stream(RoomId(id_of(stream)))),
            self.runtime.state(player_stream(PlayerId(speaker.id))),
            self.runtime.state(stream),
        )
        problem = _problem(room, player, chat, wish.to, self.clock.now())
        if problem is not None and await self.store.find_command(stream, command.id) is None:
            return Refused(problem, current_version=chat.version)
        return await self._post(stream, command, text, _post_of(room, speaker.id, wish.to))

    async def _post(self, stream: str, command: Command, text: str, post: PostMessage) -> Answer:
        room = id_of(stream)
        spoken = await self.texts.draft(command.id, room, command.actor.id, text)
        if spoken.text != text:
            return Refused(RefusalCode.KEY_REUSED)
        self.mouth.on_the_way[command.id] = text
        try:
            answer = await self.runtime.execute(stream, instead(command, replace(post, digest=spoken.digest)))
        finally:
            self.mouth.on_the_way.pop(command.id, None)
        if isinstance(answer, Done) and answer.replayed:
            await self._unless_erased(stream, command.id, spoken)
        elif isinstance(answer, Done):
            await self.texts.settle(command.id, room, command.actor.id, spoken)
        elif isinstance(answer, Refused) and answer.code not in UNKNOWN:
            await self.texts.discard(command.id, room)
        return answer

    async def _unless_erased(self, stream: str, message: str, spoken: Spoken) -> None:
        """If the text was erased since, a repetition does not bring it back: it would have another salt."""
        first = await self.store.find_command(stream, message)
        event = None if first is None else self.registry.decode(first.type, first.schema_v, first.data)
        if not isinstance(event, MessagePosted) or event.digest != spoken.digest:
            await self.texts.forget(message)

    # ------------------------------------------------------------ reading

    async def look(self, stream: str, ask: Ask) -> Answer:
        """The room says who may read, and in which team's audience he is. A chat in which nothing was said has
        version 0."""
        room: RoomState = await self.runtime.state(room_stream(RoomId(id_of(stream))))
        if not room.version:
            return Refused(RefusalCode.NOT_FOUND)
        if not ask.viewer or (room.member(ask.viewer) is None and room.seat_of(ask.viewer) is None):
            return Refused(RefusalCode.NOT_IN_ROOM)
        if isinstance(ask.document, str):
            return await self._page(stream, ask) if ask.document == MESSAGES else Refused(RefusalCode.NOT_FOUND)
        chat: ChatState = await self.runtime.state(stream)
        viewer = audience_of(room, ask.viewer)
        after = ask.after if isinstance(ask.after, int) else -1
        reset = not 0 <= chat.version - after <= MAX_RESUME or after < 0
        lines = await (
            self.texts.before(stream, chat.version + 1, PAGE)
            if reset
            else self.texts.since(stream, after, chat.version - after)
        )
        if reset:
            lines.reverse()
        happened = [Raw(encoder.encode(each)) for each in self._heard(lines, ask.viewer, viewer)]
        view = Raw(encoder.encode(self.mouth.view(chat, viewer)))
        return Seen(chat.version, viewer.audience, view, happened, reset)

    async def _page(self, stream: str, ask: Ask) -> Answer:
        before = ask.after if isinstance(ask.after, int) else NEWEST
        lines = await self.texts.before(stream, before, PAGE + 1)
        shown = lines[:PAGE]
        messages = [
            told_once for told_once in self._heard(shown, ask.viewer, None) if told_once.kind == MessagePosted.__name__
        ]
        page = ChatPage(messages, len(lines) > PAGE, shown[-1].version if shown else 0)
        return Document(lines[0].version if lines else 0, encoder.encode(page).decode())

    def _heard(self, lines: Sequence[Line], reader: str, viewer: Viewer | None) -> list[ChatHappening]:
        """What he may read of them, with the texts. Without ``viewer``: of the past, in whichever team he was."""
        heard = []
        for line in lines:
            event: ChatEvent = self.registry.decode(line.type, line.schema_v, line.data)  # type: ignore[assignment]  # a chat's
            if may_read(event, reader):
                text = UNSET if line.text is None else line.text
                heard += [replace(each, text=text) for each in told(event, line.version, viewer or _own(event))]
        return heard

    async def lately(self, room: str, reader: str, most: int) -> list[MessagePosted]:
        """The last messages that he may read, in order."""
        found: list[MessagePosted] = []
        for line in await self.texts.before(chat_stream(RoomId(room)), NEWEST, MAX_RESUME):
            event = self.registry.decode(line.type, line.schema_v, line.data)
            if isinstance(event, MessagePosted) and may_read(event, reader) and len(found) < most:
                found.append(event)
        return found[::-1]


def audience_of(room: RoomState, player: str) -> Viewer:
    """The team's, for who sits at a table of two teams and is in the room."""
    seat = room.seat_of(player)
    if seat is None or not _in_teams(room) or room.member(player) is None:
        return PUBLIC
    return team_audience(room.team_of(seat))


def _own(event: ChatEvent) -> Viewer:
    of_team = isinstance(event, MessagePosted) and event.team is not UNSET
    return team_audience(event.team) if of_team else PUBLIC  # type: ignore[union-attr, arg-type]  # of_team says so


def _in_teams(room: RoomState) -> bool:
    return room.descriptor.team_count(room.settings) < len(room.seats)


def _problem(room: RoomState, player: PlayerState, chat: ChatState, to: Channel, now: int) -> RefusalCode | None:
    """Who may not speak here now, in this order; the chat decides again about silence and haste."""
    if not room.version:
        return RefusalCode.NOT_FOUND
    if room.phase == "CLOSED":
        return RefusalCode.ROOM_CLOSED
    if not player.is_here:
        return RefusalCode.UNAUTHENTICATED
    if room.member(player.player) is None:
        return RefusalCode.NOT_IN_ROOM
    if player.is_banned(now):
        return RefusalCode.BANNED
    if player.is_muted(now):
        return RefusalCode.MUTED
    if to == "TEAM" and audience_of(room, player.player) == PUBLIC:
        return RefusalCode.NO_SUCH_TEAM
    if not chat.may_speak_at(_silent_table(room, player.player)):
        return RefusalCode.FIRST_TRICK
    return RefusalCode.RATE_LIMITED if chat.is_hasty(player.player, now) else None


def _silent_table(room: RoomState, player: str) -> str:
    sits = room.phase == "PLAYING" and room.seat_of(player) is not None
    return room.game_id if sits and begins_silent(room.game, room.settings) else ""


def _post_of(room: RoomState, player: str, to: Channel) -> PostMessage:
    post = PostMessage(channel=to, digest="", table=_silent_table(room, player))
    viewer = audience_of(room, player)
    if to == "ROOM" or viewer == PUBLIC:
        return post
    seated = enumerate(room.seats)
    partners = {s.player for seat, s in seated if s is not None and s.player and room.team_of(seat) == viewer.team}
    here = sorted(member.player for member in room.members if member.player in partners)
    return replace(post, readers=here, team=viewer.team)
