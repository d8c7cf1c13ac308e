"""Questions: the present view of a stream and, for who was here before, exactly what he missed."""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Refused, Seen

from . import pushing
from .aggregate import Entry, Step
from .decider import Rejection
from .registry import EventRegistry
from .store import Store

MAX_RESUME = 1_000
"""A reader that is further behind (in versions) gets a reset."""


async def answer(store: Store, registry: EventRegistry, entry: Entry, ask: Ask) -> Answer:
    """``entry`` must have been brought up to date."""
    if entry.version == 0:
        return Refused(RefusalCode.NOT_FOUND)
    viewer = entry.decider.viewer(entry.state, ask.viewer)
    if isinstance(viewer, Rejection):
        return Refused(viewer.code, current_version=entry.version, field=viewer.field)
    view = pushing.view_of(entry, viewer)
    behind = entry.version - ask.after if isinstance(ask.after, int) and ask.after >= 0 else -1
    if not 0 <= behind <= MAX_RESUME:
        return Seen(entry.version, viewer.audience, view)
    missed = (await steps_to(store, registry, entry))[-behind:] if behind else []
    return Seen(entry.version, viewer.audience, view, pushing.happened(entry, missed, viewer), reset=False)


async def steps_to(store: Store, registry: EventRegistry, entry: Entry) -> list[Step]:
    """Every event up to the entry's version, each with the states around it (``tell`` needs them)."""
    scratch = Entry(entry.stream, entry.kind)
    rows = await store.read_stream(entry.stream)
    return scratch.fold(registry, [row for row in rows if row.version <= entry.version])
