"""Every event that the ledger stores. None has a secret: what is paid, everybody may see."""

from __future__ import annotations

from circolo_contracts.ledger import PayoutEvent
from circolo_events.registry import EventRegistry

REGISTRY = EventRegistry.of_unions(PayoutEvent)
