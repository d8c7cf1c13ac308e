"""Every event that rooms stores. Personal text is in none; who reported somebody is for services only."""

from __future__ import annotations

from circolo_contracts.codes import CodeEvent
from circolo_contracts.direction import ReportEvent, ReportFiled
from circolo_contracts.rooms import PlayerEvent, RoomEvent
from circolo_contracts.talk import ChatEvent
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(
    PlayerEvent, CodeEvent, RoomEvent, ChatEvent, ReportEvent, secret={ReportFiled: frozenset({"reporter"})}
)
