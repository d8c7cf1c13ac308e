"""How a match or solitario is written into a file that can be checked without a server."""

from __future__ import annotations

from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.solitaire import SolitaireEvent
from circolo_service.export import Export

from .registry import REGISTRY

GameEvent = MatchEvent | SolitaireEvent
MATCHES: Export[GameEvent] = Export("circolo-match-1", "match", REGISTRY)
