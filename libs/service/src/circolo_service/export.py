"""The events of one game as a file that can be checked without a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, cast

import msgspec
from circolo_events import canonical
from circolo_events.registry import EventRegistry
from circolo_events.store import Recorded
from msgspec import Raw, Struct

E = TypeVar("E")


class ExportedEvent(Struct, frozen=True):
    data: Raw
    """As stored: canonical JSON."""
    schema: int
    type: str
    version: int


class Exported(Struct, frozen=True):
    events: list[ExportedEvent]
    format: str
    game_id: str


class Unreadable(ValueError):
    """The file or the stream is not what it should be; the text says where."""


class Export(Generic[E]):
    """The files of one kind of game. ``E`` is the union of the events in ``registry``."""

    def __init__(self, written_as: str, noun: str, registry: EventRegistry) -> None:
        self.format = written_as
        self.noun = noun
        """What such a game is called in what a person reads: a match, a tombola, a night."""
        self.registry = registry

    def of_stream(self, game_id: str, rows: Sequence[Recorded]) -> Exported:
        events = [ExportedEvent(Raw(row.data), row.schema_v, row.type, row.version) for row in rows]
        return Exported(events, self.format, game_id)

    def from_bytes(self, text: bytes) -> Exported:
        """Raises Unreadable."""
        try:
            game = msgspec.json.decode(text, type=Exported)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Unreadable(f"not an exported {self.noun}: {error}") from error
        if game.format != self.format:
            raise Unreadable(f"an export of format {game.format!r}; this reads {self.format!r}")
        return game

    def events_of(self, game: Exported) -> list[E]:
        """Decoded by today's code, in order. Raises Unreadable for no events, a gap or an unknown event."""
        if not game.events:
            raise Unreadable(f"there is no such {self.noun}")
        events: list[E] = []
        for place, stored in enumerate(game.events, 1):
            if stored.version != place:
                raise Unreadable(f"event {place} has version {stored.version}")
            try:
                events.append(cast("E", self.registry.decode(stored.type, stored.schema, bytes(stored.data))))
            except (LookupError, msgspec.MsgspecError) as error:
                raise Unreadable(f"event {place} cannot be read: {error}") from error
        return events


def to_bytes(game: Exported) -> bytes:
    return canonical.encode(game) + b"\n"
