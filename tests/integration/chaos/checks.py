"""The checker: what clients were told, held against what is stored. Pure; every violation is named.

The store first (positions, versions, chains), then what was promised of it: every accepted command exactly once, every
subscriber at the end of the story with each version once, read models and the feed equal to the log, deadlines fired
once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from circolo_events.appender import Append, NewEvent, link
from circolo_events.canonical import SHARDS, shard_of
from circolo_events.feed import unpack
from circolo_events.store import Recorded
from circolo_projector.rooms.room import Room, follow
from circolo_projector.rooms.writer import REGISTRY as ROOM_EVENTS

from .archive import Archive, Everything, Row
from .history import Accepted, History


@dataclass(frozen=True)
class Violation:
    """``kind`` is one of the words that the functions here use; ``about`` a stream, shard or command."""

    kind: str
    about: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}: {self.what}"


# ---------------------------------------------------------------- the store


def store(archive: Archive) -> Iterator[Violation]:
    yield from _positions(archive)
    yield from _versions(archive)
    yield from _chains(archive)
    if archive.parked:
        yield Violation("parked", archive.service, f"{archive.parked} events are parked")


def _positions(archive: Archive) -> Iterator[Violation]:
    last = dict.fromkeys(range(SHARDS), 0)
    for row in archive.rows:
        event = row.event
        if event.shard != shard_of(event.stream):
            yield Violation("shard", event.stream, f"is in shard {event.shard}")
        if event.pos != last[event.shard] + 1:
            where = f"{archive.service} shard {event.shard}"
            yield Violation("position", where, f"{event.pos} after {last[event.shard]}")
        last[event.shard] = event.pos
    for shard, position in last.items():
        if archive.heads.get(shard) != position:
            yield Violation(
                "position", f"{archive.service} shard {shard}", f"head {archive.heads.get(shard)}, events to {position}"
            )


def _versions(archive: Archive) -> Iterator[Violation]:
    for stream, rows in archive.by_stream.items():
        versions = [row.event.version for row in rows]
        if versions != list(range(1, len(rows) + 1)):
            yield Violation("version", stream, f"has {versions}")
        known = archive.streams.get(stream)
        if known is None or known[0] != versions[-1]:
            yield Violation("version", stream, f"the stream's row says {known and known[0]}, events {versions[-1]}")
    for stream in archive.streams.keys() - archive.by_stream.keys():
        if archive.streams[stream][0]:
            yield Violation("version", stream, "has a version and no event")


def appends(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """A stream's rows, append by append."""
    batch: list[Row] = []
    for row in rows:
        if batch and row.event.seq == 0:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _chains(archive: Archive) -> Iterator[Violation]:
    for stream, rows in archive.by_stream.items():
        tail = b""
        seen: set[str] = set()
        for batch in appends(rows):
            first = batch[0].event
            if [row.event.seq for row in batch] != list(range(first.n)) or {row.event.command for row in batch} != {
                first.command
            }:
                yield Violation("half an append", stream, f"command {first.command} at version {first.version}")
            if first.command in seen:
                yield Violation("twice", stream, f"command {first.command} at version {first.version}")
            seen.add(first.command)
            tail = hashlib.sha256(tail + _digest(stream, batch)).digest()
            if batch[-1].chain != tail:
                yield Violation("chain", stream, f"breaks at version {batch[-1].event.version}")
            if any(row.chain is not None for row in batch[:-1]):
                yield Violation("chain", stream, f"has a link inside the append at version {first.version}")
        if stream in archive.streams and archive.streams[stream][1] != tail:
            yield Violation("chain", stream, "does not end where the stream's row says")


def _digest(stream: str, batch: Sequence[Row]) -> bytes:
    events = [
        NewEvent(row.event.id, row.event.type, row.event.schema_v, row.event.data, row.event.meta) for row in batch
    ]
    return link(Append(stream, 0, batch[0].event.command, events))


# ---------------------------------------------------------------- answers


def answers(history: History, everything: Everything) -> Iterator[Violation]:
    """Every accepted command is stored exactly once, where its answers said; every refused one is not."""
    stored: dict[tuple[str, str], list[Recorded]] = {}
    for archive in (everything.rooms, everything.cardgames):
        for row in archive.rows:
            if row.event.seq == 0:
                stored.setdefault((row.event.stream, row.event.command), []).append(row.event)
    told: dict[tuple[str, str], list[Accepted]] = {}
    for accepted in history.accepted:
        told.setdefault((accepted.stream, accepted.command), []).append(accepted)
    for about, same in told.items():
        yield from _accepted(same, stored.get(about, []))
    for refusal in history.refused:
        if (refusal.stream, refusal.command) in stored:
            yield Violation("refused and done", refusal.stream, f"{refusal.what} {refusal.command}: {refusal.code}")
    for odd in history.odd:
        yield Violation("odd", "a client", odd)


def _accepted(same: Sequence[Accepted], stored: Sequence[Recorded]) -> Iterator[Violation]:
    """All answers that one command got; a no-op (leaving a room twice) has no event and is not among them."""
    first = same[0]
    about = f"{first.what} {first.command} on {first.stream}"
    if not stored:
        yield Violation("lost", about, f"was accepted at version {first.version} and is not stored")
        return
    if len(stored) > 1:
        yield Violation("twice", about, f"is stored {len(stored)} times")
    event = stored[0]
    for told in same:
        if told.version != event.version + event.n - 1:
            yield Violation("answer", about, f"told version {told.version}, stored {event.version + event.n - 1}")
        if told.position is not None and told.position != event.pos:
            yield Violation("answer", about, f"told position {told.position}, stored {event.pos}")
    if sum(not told.replayed for told in same) > 1:
        yield Violation("answer", about, "was told twice that it is the first time")


# ---------------------------------------------------------------- what follows from the log


def read_model(rows: Mapping[str, Room], rooms: Archive) -> Iterator[Violation]:
    """The rows equal a fold from the first event."""
    folded: dict[str, Room] = {}
    for stream, events in rooms.events("room").items():
        row = Room(stream.removeprefix("room-"))
        for event in events:
            row = follow(row, event.version, ROOM_EVENTS.decode(event.type, event.schema_v, event.data))
        folded[row.room] = row
    for room in sorted(folded.keys() | rows.keys()):
        if folded.get(room) != rows.get(room):
            yield Violation("read model", room, f"shows {rows.get(room)}, the log says {folded.get(room)}")


def feed(messages: Sequence[bytes], archive: Archive) -> Iterator[Violation]:
    """JetStream holds the log: a reader that passes over what it has gets every event once, in order, to the end."""
    stored = {(row.event.shard, row.event.pos): row.event for row in archive.rows}
    about = f"log.{archive.service}"
    last = dict.fromkeys(range(SHARDS), 0)
    for number, message in enumerate(messages, 1):
        header, envelopes = unpack(message)
        ranged = [(shard, pos) for shard, first, end in header.ranges for pos in range(first, end + 1)]
        if ranged != [(envelope.shard, envelope.pos) for envelope in envelopes]:
            yield Violation("feed", about, f"message {number} does not hold the ranges that it names")
        for envelope in envelopes:
            if envelope.pos <= last[envelope.shard]:
                continue
            if envelope.pos != last[envelope.shard] + 1:
                yield Violation("feed", about, f"shard {envelope.shard}: {envelope.pos} after {last[envelope.shard]}")
            last[envelope.shard] = envelope.pos
            event = stored.get((envelope.shard, envelope.pos))
            if event is None or (
                envelope.id, envelope.stream, envelope.version, envelope.type, envelope.command, envelope.seq,
                envelope.n, envelope.at,
            ) != (event.id, event.stream, event.version, event.type, event.command, event.seq, event.n, event.at) or (
                bytes(envelope.data), bytes(envelope.meta)
            ) != (event.data, event.meta):  # fmt: skip
                yield Violation("feed", about, f"shard {envelope.shard} position {envelope.pos} is not what is stored")
    if last != {shard: archive.heads.get(shard, 0) for shard in range(SHARDS)}:
        yield Violation("feed", about, f"ends at {last}, the log at {archive.heads}")
