"""Views after a commit: one serialised view for each audience, with what it may know of what happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat

from circolo_contracts.wire import Pushed, encoder, view_subject
from msgspec import Raw, Struct

from . import telemetry
from .aggregate import Entry, Step
from .bus import NatsBus
from .decider import PUBLIC, Viewer

UNKNOWN_PREVIOUS = -1
"""In a push that does not say what happened: whoever is behind must ask."""


def told_of(entry: Entry, steps: Sequence[Step], viewer: Viewer) -> list[Struct]:
    """What one viewer may know of these events."""
    tell = entry.decider.tell
    return [told for step in steps for told in tell(step.event, step.before, step.after, viewer)]


def happened(entry: Entry, steps: Sequence[Step], viewer: Viewer) -> list[Raw]:
    """The same, serialised."""
    return [Raw(encoder.encode(told)) for told in told_of(entry, steps, viewer)]


def happened_to(entry: Entry, steps: Sequence[Step], viewers: Sequence[Viewer]) -> Iterable[bytes]:
    """The same as JSON for each viewer, made once if they are all told alike."""
    tell_all = getattr(entry.decider, "tell_all", None)
    if tell_all is None:
        return [encoder.encode(told_of(entry, steps, viewer)) for viewer in viewers]
    alike = [tell_all(step.event, step.before, step.after) for step in steps]
    if None not in alike:
        return repeat(encoder.encode([told for each in alike for told in each]))
    tell = entry.decider.tell
    each_told: list[list[Struct]] = [[] for _ in viewers]
    for step, same in zip(steps, alike, strict=True):
        for viewer, told in zip(viewers, each_told, strict=True):
            told.extend(tell(step.event, step.before, step.after, viewer) if same is None else same)
    return map(encoder.encode, each_told)


def view_of(entry: Entry, viewer: Viewer) -> Raw:
    return Raw(encoder.encode(entry.decider.view(entry.state, viewer)))


def views_of(entry: Entry, viewers: Sequence[Viewer]) -> dict[str, Raw]:
    """The serialised view of each, by audience."""
    own = getattr(entry.decider, "own", None)
    if own is None:
        return {viewer.audience: view_of(entry, viewer) for viewer in viewers}
    shared = encoder.encode(entry.decider.view(entry.state, PUBLIC))
    views: dict[str, Raw] = {}
    for viewer in viewers:
        part = own(entry.state, viewer)
        views[viewer.audience] = Raw(shared if part is None else shared[:-1] + b"," + encoder.encode(part)[1:])
    return views


def push(bus: NatsBus, entry: Entry, steps: Sequence[Step], previous: int, service: str) -> dict[str, Raw]:
    """Publish to every audience; returns the views by audience, so that the answer need not serialise again."""
    viewers = entry.decider.audiences(entry.state)
    views = views_of(entry, viewers)
    subject = view_subject(entry.stream, "")
    head = b'{"previous":%d,"version":%d,"happened":' % (previous, entry.version)
    # ``wire.Pushed`` put together from the parts that audiences share
    for viewer, happened in zip(viewers, happened_to(entry, steps, viewers), strict=False):
        audience = viewer.audience
        bus.publish(subject + audience, b"".join((head, happened, b',"view":', views[audience], b"}")))
    telemetry.pushes.add(len(views), service)
    return views


def nudge(bus: NatsBus, entry: Entry) -> None:
    """Tell every audience the present version, without what happened.

    After a repeated command: its first execution may have died between the commit and the push.
    """
    for viewer in entry.decider.audiences(entry.state):
        pushed = Pushed(UNKNOWN_PREVIOUS, entry.version, [], view_of(entry, viewer))
        bus.publish(view_subject(entry.stream, viewer.audience), encoder.encode(pushed))
