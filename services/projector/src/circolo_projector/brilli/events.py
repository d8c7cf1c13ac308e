"""What the balances take from the ledger's events: neither which operator took something back nor why."""

from __future__ import annotations

from circolo_contracts.ledger import Entry
from circolo_events.registry import EventRegistry, EventType
from msgspec import Struct


class Paid(Struct, frozen=True):
    at: int
    cause: str
    entries: list[Entry]
    game: str
    game_id: str
    rule: str


class Reversed(Struct, frozen=True):
    at: int
    cause: str
    entries: list[Entry]


REGISTRY = EventRegistry(EventType("Paid", Paid), EventType("Reversed", Reversed))
TYPES = tuple(REGISTRY.by_name)
