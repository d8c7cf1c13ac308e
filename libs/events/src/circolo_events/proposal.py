"""From decided events to an append: serialised, with ids, and with the deadlines that they arm or clear."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from circolo_contracts.wire import Command
from msgspec import Struct

from . import canonical
from .aggregate import Entry, Step, VersionDrift
from .appender import Append, Arm, NewEvent
from .decider import Deadline
from .registry import EventRegistry


class Proposal(Struct, frozen=True):
    """What will be appended, and the state that will hold if it is."""

    item: Append
    steps: list[Step]
    after: Any


class Entropy:
    """Bytes from the system's generator, drawn in larger pieces: a system call for each command is dear."""

    def __init__(self, piece: int = 4096) -> None:
        self._piece = piece
        self._drawn = b""
        self._used = 0

    def fresh(self, count: int) -> bytes:
        """``count`` bytes that nobody has had."""
        if self._used + count > len(self._drawn):
            self._drawn, self._used = os.urandom(max(self._piece, count)), 0
        self._used += count
        return self._drawn[self._used - count : self._used]


_entropy = Entropy()
fresh = _entropy.fresh


def uuid7(now_ms: int) -> str:
    """A time-ordered id (RFC 9562 version 7) as 32 hex digits; ``now_ms`` since 1970."""
    random = int.from_bytes(fresh(10), "big")
    value = (now_ms & (1 << 48) - 1) << 80 | 7 << 76 | (random >> 68 & 0xFFF) << 64 | 2 << 62 | random & (1 << 62) - 1
    return f"{value:032x}"


def sibling(first_id: str, seq: int) -> str:
    """The id of the command's ``seq``-th event: the first one's, counted up in its random tail."""
    return first_id if seq == 0 else f"{first_id[:16]}{(int(first_id[16:], 16) & ~0xFFF) + seq:016x}"


def propose(
    entry: Entry,
    registry: EventRegistry,
    command: Command,
    decided: Sequence[Struct],
    first_id: str,
    traceparent: str | None = None,
) -> Proposal:
    """Raises VersionDrift when the decider does not count its versions."""
    first_id = first_id[:-3] + "000"
    fields: dict[str, object] = {"actor": [command.actor.kind, command.actor.id]}
    if command.digest:
        fields["digest"] = command.digest
    if traceparent:
        fields["trace"] = traceparent
    meta = canonical.encode(fields)
    state = before = entry.state
    steps: list[Step] = []
    events: list[NewEvent] = []
    for seq, event in enumerate(decided):
        after = entry.decider.evolve(state, event)
        steps.append(Step(event, state, after))
        name, schema_v, data = registry.encode(event)
        events.append(NewEvent(sibling(first_id, seq), name, schema_v, data, meta))
        state = after
    if state.version != before.version + len(decided):
        raise VersionDrift(f"{entry.stream}: {before.version} + {len(decided)} events, state says {state.version}")
    arm, clear = difference(entry.decider.deadlines(before), entry.decider.deadlines(state))
    return Proposal(Append(entry.stream, before.version, command.id, events, arm, clear), steps, state)


def difference(before: Mapping[str, Deadline], after: Mapping[str, Deadline]) -> tuple[list[Arm], list[str]]:
    """Which deadlines to write and which kinds to delete."""
    arm = [Arm(kind, d.due_at, d.version) for kind, d in after.items() if before.get(kind) != d]
    return arm, [kind for kind in before if kind not in after]
