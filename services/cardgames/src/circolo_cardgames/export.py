"""The events of one match or solitario as a file that can be checked without a server."""

from __future__ import annotations

import msgspec
from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.solitaire import SolitaireEvent
from circolo_events import canonical
from circolo_events.store import Recorded
from msgspec import Raw, Struct

from .registry import REGISTRY

FORMAT = "circolo-match-1"
GameEvent = MatchEvent | SolitaireEvent


class ExportedEvent(Struct, frozen=True):
    data: Raw
    """As stored: canonical JSON."""
    schema: int
    type: str
    version: int


class ExportedMatch(Struct, frozen=True):
    events: list[ExportedEvent]
    format: str
    game_id: str


class Unreadable(ValueError):
    """The file or the stream is not what it should be; the text says where."""


def exported(game_id: str, rows: list[Recorded]) -> ExportedMatch:
    return ExportedMatch([ExportedEvent(Raw(r.data), r.schema_v, r.type, r.version) for r in rows], FORMAT, game_id)


def to_bytes(match: ExportedMatch) -> bytes:
    return canonical.encode(match) + b"\n"


def from_bytes(text: bytes) -> ExportedMatch:
    """Raises Unreadable."""
    try:
        match = msgspec.json.decode(text, type=ExportedMatch)
    except msgspec.MsgspecError as error:
        raise Unreadable(f"not an exported match: {error}") from error
    if match.format != FORMAT:
        raise Unreadable(f"an export of format {match.format!r}; this reads {FORMAT!r}")
    return match


def events_of(match: ExportedMatch) -> list[GameEvent]:
    """Decoded by today's code, in order. Raises Unreadable for a gap or an unknown event."""
    events: list[GameEvent] = []
    for place, stored in enumerate(match.events, 1):
        if stored.version != place:
            raise Unreadable(f"event {place} has version {stored.version}")
        try:
            events.append(REGISTRY.decode(stored.type, stored.schema, bytes(stored.data)))  # type: ignore[arg-type]
        except (LookupError, msgspec.MsgspecError) as error:
            raise Unreadable(f"event {place} cannot be read: {error}") from error
    return events
