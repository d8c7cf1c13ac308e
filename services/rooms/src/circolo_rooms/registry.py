"""Every event that rooms stores. None has a secret field: what is personal is not in events at all."""

from __future__ import annotations

from circolo_contracts.rooms import CodeEvent, PlayerEvent, RoomEvent
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(PlayerEvent, CodeEvent, RoomEvent)
