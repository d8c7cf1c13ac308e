"""What rooms' processes send to a chat after they looked at the room, at the player and at the table's silence."""

from __future__ import annotations

from circolo_contracts.talk import Channel
from msgspec import UNSET, Struct, UnsetType


class PostMessage(Struct, frozen=True):
    """The text lies in the table under the command's id; ``digest`` is of it."""

    channel: Channel
    digest: str
    readers: list[str] | UnsetType = UNSET
    table: str = ""
    """The running game whose first trick is silent and in which the speaker sits; empty when there is none."""
    team: int | UnsetType = UNSET


class HushTalk(Struct, frozen=True):
    """A deal of this game has begun."""

    game_id: str
    game_no: int


class FreeTalk(Struct, frozen=True):
    """The first trick of this game's deal is over, or the game is."""

    game_id: str


class HearMatch(Struct, frozen=True):
    """To ``match-<id>``, from rooms' own reaction: a deal has begun there (``silent``), or its first trick is over."""

    silent: bool
