"""The events of one night as a file that can be checked without a server."""

from __future__ import annotations

import msgspec
from circolo_contracts.trivia import TriviaEvent
from circolo_events import canonical
from circolo_events.store import Recorded
from msgspec import Raw, Struct

from .registry import REGISTRY

FORMAT = "circolo-trivia-1"


class ExportedEvent(Struct, frozen=True):
    data: Raw
    """As stored: canonical JSON."""
    schema: int
    type: str
    version: int


class ExportedNight(Struct, frozen=True):
    events: list[ExportedEvent]
    format: str
    game_id: str


class Unreadable(ValueError):
    """The file or the stream is not what it should be; the text says where."""


def exported(game_id: str, rows: list[Recorded]) -> ExportedNight:
    return ExportedNight([ExportedEvent(Raw(r.data), r.schema_v, r.type, r.version) for r in rows], FORMAT, game_id)


def to_bytes(night: ExportedNight) -> bytes:
    return canonical.encode(night) + b"\n"


def from_bytes(text: bytes) -> ExportedNight:
    """Raises Unreadable."""
    try:
        night = msgspec.json.decode(text, type=ExportedNight)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unreadable(f"not an exported night: {error}") from error
    if night.format != FORMAT:
        raise Unreadable(f"an export of format {night.format!r}; this reads {FORMAT!r}")
    return night


def events_of(night: ExportedNight) -> list[TriviaEvent]:
    """Decoded by today's code, in order. Raises Unreadable for a gap or an unknown event."""
    if not night.events:
        raise Unreadable("there is no such night")
    events: list[TriviaEvent] = []
    for place, stored in enumerate(night.events, 1):
        if stored.version != place:
            raise Unreadable(f"event {place} has version {stored.version}")
        try:
            events.append(REGISTRY.decode(stored.type, stored.schema, bytes(stored.data)))  # type: ignore[arg-type]
        except (LookupError, msgspec.MsgspecError) as error:
            raise Unreadable(f"event {place} cannot be read: {error}") from error
    return events
