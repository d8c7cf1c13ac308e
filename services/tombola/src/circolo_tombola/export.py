"""The events of one tombola as a file that can be checked without a server."""

from __future__ import annotations

import msgspec
from circolo_contracts.tombola import TombolaEvent
from circolo_events import canonical
from circolo_events.store import Recorded
from msgspec import Raw, Struct

from .registry import REGISTRY

FORMAT = "circolo-tombola-1"


class ExportedEvent(Struct, frozen=True):
    data: Raw
    """As stored: canonical JSON."""
    schema: int
    type: str
    version: int


class ExportedGame(Struct, frozen=True):
    events: list[ExportedEvent]
    format: str
    game_id: str


class Unreadable(ValueError):
    """The file or the stream is not what it should be; the text says where."""


def exported(game_id: str, rows: list[Recorded]) -> ExportedGame:
    return ExportedGame([ExportedEvent(Raw(r.data), r.schema_v, r.type, r.version) for r in rows], FORMAT, game_id)


def to_bytes(game: ExportedGame) -> bytes:
    return canonical.encode(game) + b"\n"


def from_bytes(text: bytes) -> ExportedGame:
    """Raises Unreadable."""
    try:
        game = msgspec.json.decode(text, type=ExportedGame)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unreadable(f"not an exported tombola: {error}") from error
    if game.format != FORMAT:
        raise Unreadable(f"an export of format {game.format!r}; this reads {FORMAT!r}")
    return game


def events_of(game: ExportedGame) -> list[TombolaEvent]:
    """Decoded by today's code, in order. Raises Unreadable for a gap or an unknown event."""
    if not game.events:
        raise Unreadable("there is no such tombola")
    events: list[TombolaEvent] = []
    for place, stored in enumerate(game.events, 1):
        if stored.version != place:
            raise Unreadable(f"event {place} has version {stored.version}")
        try:
            events.append(REGISTRY.decode(stored.type, stored.schema, bytes(stored.data)))  # type: ignore[arg-type]
        except (LookupError, msgspec.MsgspecError) as error:
            raise Unreadable(f"event {place} cannot be read: {error}") from error
    return events
