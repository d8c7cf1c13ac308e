"""The chat of a room: stream ``chat-<room id>``. Texts are never in it; they lie in an erasable table of rooms."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

Channel = Literal["ROOM", "TEAM"]
"""ROOM: everybody in the room. TEAM: who sits in one team of a table that is played in two."""

MAX_TEXT = 500
"""Code points of a message."""
MESSAGES_IN_WINDOW = 5
WINDOW_MS = 10_000
"""So many messages may one player send in a room within so long; the next one is RATE_LIMITED."""
PAGE = 50
"""Messages that are given at once, to who comes new and of the past."""
MESSAGES = "messages"
"""The document of a chat that is a ``ChatPage``."""

# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class MessagePosted(Struct, frozen=True):
    """Somebody said something. What he said is in an erasable table under ``message_id``."""

    at: int
    channel: Channel
    digest: str
    """HMAC-SHA-256(salt, text), hex; the salt lies beside the text."""
    message_id: str
    """The id of the command that brought it."""
    player: str
    readers: list[str] | UnsetType = UNSET
    """For TEAM: the people of the team when it was said, sorted. Nobody else ever reads it."""
    team: int | UnsetType = UNSET
    """For TEAM."""


class TalkClosed(Struct, frozen=True):
    """The first trick of a deal has begun in which partners must not talk: who sits at the table is silent."""

    at: int
    game_id: str
    game_no: int
    """Within the room, as in ``GameRequested``."""


class TalkOpened(Struct, frozen=True):
    """That trick is over, or the game is."""

    at: int
    game_id: str


ChatEvent = MessagePosted | TalkClosed | TalkOpened

# ---------------------------------------------------------------- commands


class SendMessage(Struct, frozen=True):
    """To ``chat-<room id>``, by a member of the room."""

    text: str
    to: Channel = "ROOM"


# ---------------------------------------------------------------- views and what happened


class ChatView(Struct, frozen=True):
    """The same for everybody: what was said comes as what happened."""

    version: int
    silent_game: str | UnsetType = UNSET
    """Who sits in this game says nothing, in no channel, until its first trick is over."""


class ChatHappening(Struct, frozen=True):
    """One thing that happened in a chat; ``kind`` is the event's type name. Messages have all but ``game_id``."""

    at: int
    at_version: int
    kind: str
    channel: Channel | UnsetType = UNSET
    game_id: str | UnsetType = UNSET
    message_id: str | UnsetType = UNSET
    player: str | UnsetType = UNSET
    team: int | UnsetType = UNSET
    text: str | UnsetType = UNSET
    """Absent when it was erased."""


class ChatPage(Struct, frozen=True):
    """Messages of the past, the newest first. An ``Ask`` for ``MESSAGES`` with ``after`` = a version gives what was
    said before it, without ``after`` the newest."""

    messages: list[ChatHappening]
    more: bool
    """Whether there is anything before ``next_after``."""
    next_after: int
    """Ask for the next page with this."""
