"""How a night is written into a file that can be checked without a server."""

from __future__ import annotations

from circolo_contracts.trivia import TriviaEvent
from circolo_service.export import Export

from .registry import REGISTRY

NIGHTS: Export[TriviaEvent] = Export("circolo-trivia-1", "night", REGISTRY)
