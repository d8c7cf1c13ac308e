"""What rooms' processes send to players, reports and rooms for the direction, after they asked who wants it."""

from __future__ import annotations

from circolo_contracts.direction import FrozenLine, Reason, Verdict
from msgspec import UNSET, Struct, UnsetType


class Warn(Struct, frozen=True):
    by: str
    """The operator's player id."""
    reason: Reason
    report: str | UnsetType = UNSET


class Mute(Struct, frozen=True):
    by: str
    reason: Reason
    until: int
    report: str | UnsetType = UNSET


class Ban(Struct, frozen=True):
    by: str
    reason: Reason
    until: int
    report: str | UnsetType = UNSET


class Erase(Struct, frozen=True):
    """By the player himself."""


class FileReport(Struct, frozen=True):
    """What was frozen lies in the tables under the report's id; here are its digests."""

    messages: list[FrozenLine]
    player: str
    reason: Reason
    room: str
    game_id: str | UnsetType = UNSET
    game_version: int | UnsetType = UNSET
    note_digest: str | UnsetType = UNSET
    position_digest: str | UnsetType = UNSET


class CloseReport(Struct, frozen=True):
    by: str
    verdict: Verdict
    until: int | UnsetType = UNSET


class PutOut(Struct, frozen=True):
    """To ``player-<id>``, from rooms' own reaction: he leaves his rooms, or the ranked ones among them."""

    ranked_only: bool


class ShowOut(Struct, frozen=True):
    """To a room: this player leaves, as if he had done it himself."""

    player: str
    ranked_only: bool
