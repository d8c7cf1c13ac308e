"""How a tombola is written into a file that can be checked without a server."""

from __future__ import annotations

from circolo_contracts.tombola import TombolaEvent
from circolo_service.export import Export

from .registry import REGISTRY

TOMBOLAS: Export[TombolaEvent] = Export("circolo-tombola-1", "tombola", REGISTRY)
