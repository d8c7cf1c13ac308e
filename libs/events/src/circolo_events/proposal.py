"""From decided events to an append: serialised, with ids, and with the deadlines that they arm or clear."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from circolo_contracts.wire import Actor, Command, encoder
from msgspec import Struct

from .aggregate import Entry, Step, VersionDrift
from .appender import Append, Arm, NewEvent
from .decider import Deadline, Foreseen
from .registry import EventRegistry


class Proposal(Struct, frozen=True, gc=False):
    """What will be appended, and what will hold if it is."""

    item: Append
    steps: list[Step]
    armed: Mapping[str, Deadline]

    @property
    def due_at(self) -> int | None:
        """When the first of the deadlines that it arms is due."""
        return min([arm.due_at for arm in self.item.arm], default=None)


class _Meta(Struct, frozen=True, gc=False, omit_defaults=True):
    """Stored beside each event of a command. The fields are sorted, so that plain JSON of it is canonical."""

    actor: Actor
    digest: str = ""
    trace: str = ""


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


_VARIANT = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
"""The digit with two bits of chance and two that say by which rule the id is made."""


def uuid7(now_ms: int) -> str:
    """A time-ordered id (RFC 9562 version 7) as 32 hex digits; ``now_ms`` since 1970."""
    random = fresh(10).hex()
    return f"{now_ms & 0xFFFF_FFFF_FFFF:012x}7{random[:3]}{_VARIANT[random[3]]}{random[4:19]}"


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
    meta = encoder.encode(_Meta(command.actor, command.digest, traceparent or ""))
    decider = entry.decider
    state = before = entry.state
    foreseen = decided.states if isinstance(decided, Foreseen) else ()
    steps: list[Step] = []
    events: list[NewEvent] = []
    for seq, event in enumerate(decided):
        after = foreseen[seq] if seq < len(foreseen) else decider.evolve(state, event)
        steps.append(Step(event, state, after))
        name, schema_v, data = registry.encode(event)
        events.append(NewEvent(sibling(first_id, seq), name, schema_v, data, meta))
        state = after
    if state.version != before.version + len(decided):
        raise VersionDrift(f"{entry.stream}: {before.version} + {len(decided)} events, state says {state.version}")
    armed = decider.deadlines(state)
    arm, clear = difference(decider.deadlines(before) if entry.armed is None else entry.armed, armed)
    return Proposal(Append(entry.stream, before.version, command.id, events, arm, clear), steps, armed)


def difference(before: Mapping[str, Deadline], after: Mapping[str, Deadline]) -> tuple[Sequence[Arm], Sequence[str]]:
    """Which deadlines to write and which kinds to delete."""
    if before == after:
        return (), ()
    arm = [Arm(kind, d.due_at, d.version) for kind, d in after.items() if before.get(kind) != d]
    return arm, [kind for kind in before if kind not in after]
