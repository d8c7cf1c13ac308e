"""Questions: the present view of a stream and, for who was here before, exactly what he missed; and documents."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Ask, Document, Refused, Seen

from . import pushing
from .aggregate import Entry, Step
from .decider import PUBLIC, Rejection, Viewer
from .reading import StreamReader
from .registry import EventRegistry

MAX_RESUME = 1_000
"""A reader that is further behind (in versions) gets a reset."""


def viewer_of(entry: Entry, actor: Actor) -> Viewer:
    """By whose eyes an actor is shown what his command did."""
    if actor.kind != "player":
        return PUBLIC
    viewer = entry.decider.viewer(entry.state, actor.id)
    return PUBLIC if isinstance(viewer, Rejection) else viewer


def at_hand(entry: Entry, ask: Ask) -> Answer | None:
    """None for what is not in memory: more missed events, a document. ``entry`` must have been brought up to date."""
    if entry.version == 0:
        return Refused(RefusalCode.NOT_FOUND)
    viewer = entry.decider.viewer(entry.state, ask.viewer)
    if isinstance(viewer, Rejection):
        return Refused(viewer.code, current_version=entry.version, field=viewer.field)
    if isinstance(ask.document, str):
        return None if ask.document in entry.kind.documents else Refused(RefusalCode.NOT_FOUND)
    after = ask.after if isinstance(ask.after, int) else -1
    if after < 0 or not 0 <= entry.version - after <= MAX_RESUME:
        return Seen(entry.version, viewer.audience, pushing.view_of(entry, viewer))
    missed = entry.since(after)
    return None if missed is None else _seen(entry, viewer, missed)


async def from_the_log(reader: StreamReader, registry: EventRegistry, entry: Entry, ask: Ask) -> Answer:
    """For whom ``at_hand`` had no answer; nothing else may happen to ``entry`` meanwhile."""
    viewer = entry.decider.viewer(entry.state, ask.viewer)
    steps = await steps_to(reader, registry, entry)
    if isinstance(ask.document, str):
        text = entry.kind.documents[ask.document]([step.event for step in steps])
        if isinstance(text, RefusalCode):
            return Refused(text, current_version=entry.version)
        return Document(entry.version, text)
    assert not isinstance(viewer, Rejection) and isinstance(ask.after, int)
    return _seen(entry, viewer, steps[ask.after - entry.version :])


def _seen(entry: Entry, viewer: Viewer, missed: Sequence[Step]) -> Seen:
    view = pushing.view_of(entry, viewer)
    return Seen(entry.version, viewer.audience, view, pushing.happened(entry, missed, viewer), reset=False)


async def steps_to(reader: StreamReader, registry: EventRegistry, entry: Entry) -> list[Step]:
    """Every event up to the entry's version, each with the states around it (``tell`` needs them)."""
    scratch = Entry(entry.stream, entry.kind)
    rows = await reader.events(entry.stream)
    return scratch.fold(registry, [row for row in rows if row.version <= entry.version])
