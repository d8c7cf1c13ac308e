"""``chat-<room>``: the decider. Who may speak at all was looked at before; here is the order of things said: how often
one speaks, and whether the table is silent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import (
    MESSAGES_IN_WINDOW,
    WINDOW_MS,
    ChatEvent,
    ChatHappening,
    ChatView,
    MessagePosted,
    TalkClosed,
    TalkOpened,
)
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import UNSET, Struct
from msgspec.structs import replace

from .commands import FreeTalk, HushTalk, PostMessage

ChatCommand = PostMessage | HushTalk | FreeTalk
MOST_TEAMS = 8
"""Of any game of the house; where there are more seats than teams, they have channels."""


class ChatState(Struct, frozen=True):
    version: int = 0
    lately: tuple[tuple[str, int], ...] = ()
    """Who spoke and when (ms since 1970), within ``WINDOW_MS`` before the last message, in order."""
    game_id: str = ""
    """The last game with a silent first trick."""
    game_no: int = 0
    silent: bool = False
    """It is in that trick now."""

    def may_speak_at(self, table: str) -> bool:
        """A silent game is silent from its start until we hear that its first trick is over."""
        return not table or (self.game_id == table and not self.silent)

    def is_hasty(self, player: str, now: int) -> bool:
        """He has said all that he may say within the time."""
        return sum(who == player and at > now - WINDOW_MS for who, at in self.lately) >= MESSAGES_IN_WINDOW


def team_audience(team: int) -> Viewer:
    """Sees the room's channel too."""
    return Viewer(f"team-{team}", team=team)


AUDIENCES = (PUBLIC, *(team_audience(team) for team in range(MOST_TEAMS)))


class ChatDecider:
    initial = ChatState()

    def decide(self, state: ChatState, command: ChatCommand, context: Context) -> Sequence[ChatEvent] | Rejection:
        if isinstance(command, PostMessage):
            return _post(state, command, context)
        if context.actor.kind != "service":
            return Rejection(RefusalCode.NOT_ALLOWED)
        if isinstance(command, HushTalk):
            return _hush(state, command, context)
        if command.game_id != state.game_id or not state.silent:
            return []
        return [TalkOpened(at=context.now, game_id=command.game_id)]

    def evolve(self, state: ChatState, event: ChatEvent) -> ChatState:
        version = state.version + 1
        if isinstance(event, MessagePosted):
            lately = [(who, at) for who, at in state.lately if at > event.at - WINDOW_MS]
            return replace(state, version=version, lately=(*lately, (event.player, event.at)))
        if isinstance(event, TalkClosed):
            return replace(state, version=version, game_id=event.game_id, game_no=event.game_no, silent=True)
        return replace(state, version=version, silent=False)

    def audiences(self, state: ChatState) -> Sequence[Viewer]:
        return AUDIENCES

    def viewer(self, state: ChatState, player: str) -> Viewer | Rejection:
        """The room knows who sits in a team; here everybody is of the public, and the view is the same for all."""
        return PUBLIC

    def view(self, state: ChatState, viewer: Viewer) -> ChatView:
        return ChatView(version=state.version, silent_game=state.game_id if state.silent else UNSET)

    def tell(self, event: ChatEvent, before: ChatState, after: ChatState, viewer: Viewer) -> Sequence[ChatHappening]:
        return told(event, after.version, viewer)

    def deadlines(self, state: ChatState) -> Mapping[str, Deadline]:
        return {}


def told(event: ChatEvent, version: int, viewer: Viewer) -> list[ChatHappening]:
    """Without the text, which is not in the event: whoever has it puts it in."""
    kind = type(event).__name__
    if not isinstance(event, MessagePosted):
        return [ChatHappening(event.at, version, kind, game_id=event.game_id)]
    if event.channel == "TEAM" and (event.team is UNSET or viewer != team_audience(event.team)):
        return []
    message = ChatHappening(
        event.at, version, kind, channel=event.channel, message_id=event.message_id, player=event.player,
        team=event.team,
    )  # fmt: skip
    return [message]


def may_read(event: ChatEvent, player: str) -> bool:
    """Of the past: what was said in a team is for who was in it then, wherever he sits now."""
    return not isinstance(event, MessagePosted) or event.readers is UNSET or player in event.readers


def _post(state: ChatState, command: PostMessage, context: Context) -> Sequence[ChatEvent] | Rejection:
    if context.actor.kind != "player":
        return Rejection(RefusalCode.NOT_ALLOWED)
    if not state.may_speak_at(command.table):
        return Rejection(RefusalCode.FIRST_TRICK)
    if state.is_hasty(context.actor.id, context.now):
        return Rejection(RefusalCode.RATE_LIMITED)
    posted = MessagePosted(
        at=context.now, channel=command.channel, digest=command.digest, message_id=context.command_id,
        player=context.actor.id, readers=command.readers, team=command.team,
    )  # fmt: skip
    return [posted]


def _hush(state: ChatState, command: HushTalk, context: Context) -> Sequence[ChatEvent]:
    """Not for an earlier game of the room, whose news come late."""
    same = command.game_id == state.game_id
    if command.game_no < state.game_no or (same and state.silent):
        return []
    return [TalkClosed(at=context.now, game_id=command.game_id, game_no=command.game_no)]
