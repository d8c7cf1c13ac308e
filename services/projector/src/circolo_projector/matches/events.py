"""What the figures take from a match's events: fewer fields than they have, and none that is secret."""

from __future__ import annotations

from circolo_contracts.cardgames import Category, Outcome
from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_events.registry import EventRegistry, EventType
from msgspec import UNSET, Struct, UnsetType


class Started(Struct, frozen=True):
    at: int
    game: str
    game_no: int
    room: str
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]
    ranked: bool | UnsetType = UNSET


class Dealt(Struct, frozen=True):
    """The end of a deal."""

    deal_no: int
    points: list[int]
    won: list[int]
    sheet: list[Category] | UnsetType = UNSET
    winner: int | UnsetType = UNSET


class Ended(Struct, frozen=True):
    at: int
    outcome: Outcome
    abandoned_by: int | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    winner: int | UnsetType = UNSET


REGISTRY = EventRegistry(
    EventType("MatchStarted", Started), EventType("DealEnded", Dealt), EventType("MatchEnded", Ended)
)
TYPES = tuple(REGISTRY.by_name)
