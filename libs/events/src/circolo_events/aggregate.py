"""One stream in memory: its state folded so far, what waits for it, and the commands that it did lately."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Ask, Command
from msgspec import Struct
from opentelemetry.trace import INVALID_SPAN, Span

from .decider import Deadline, Decider
from .registry import EventRegistry
from .store import Recorded, Written

RECENT_COMMANDS = 32
"""Remembered in memory for each stream, so that a quick retry costs no read; older ones are found in the store."""

KEPT_STEPS = 4
"""A step holds two states; a match's opening has two steps, a move at most four."""


class StreamKind(Struct, frozen=True):
    """A kind of stream that a service owns: its decider and its commands by their name on the wire."""

    name: str
    decider: Decider[Any, Any, Any]
    commands: Mapping[str, type[Struct]]
    documents: Mapping[str, Callable[[Sequence[Any]], str | RefusalCode]] = {}
    """Texts made from all events of a stream, by name; whoever may see the stream may have them, or hears why not."""

    @classmethod
    def of(cls, name: str, decider: Decider[Any, Any, Any], *commands: type[Struct]) -> StreamKind:
        return cls(name, decider, {c.__name__: c for c in commands})


class VersionDrift(RuntimeError):
    """The state does not count its versions as the stream does: the decider's evolve is wrong."""


class Remembered(Struct, frozen=True, gc=False):
    version: int
    position: int
    digest: str


class Step(Struct, frozen=True, gc=False):
    """One event with the state before and after it; what ``tell`` is asked about."""

    event: Any
    before: Any
    after: Any


class Job(Struct):
    """A command or a question that waits for its stream. ``reply`` is called exactly once."""

    envelope: Command | Ask
    reply: Callable[[Answer], None]
    span: Span = INVALID_SPAN
    parsed: Struct | None = None
    attempts: int = 0


class Entry:
    """A cached stream. ``busy``: a job is on its way to the database; the others wait their turn."""

    __slots__ = ("armed", "busy", "decider", "kind", "latest", "loaded", "recent", "state", "stream", "used", "waiting")

    def __init__(self, stream: str, kind: StreamKind) -> None:
        self.stream = stream
        self.kind = kind
        self.decider = kind.decider
        self.state: Any = kind.decider.initial
        self.armed: Mapping[str, Deadline] | None = None
        """The deadlines of ``state``, where they are known already."""
        self.loaded = False
        self.busy = False
        self.used = True
        """Since the last sweep."""
        self.latest: Sequence[Step] = ()
        """The last few that led to ``state``, so that who is a step behind costs no read."""
        self.waiting: deque[Job] = deque()
        self.recent: OrderedDict[str, Remembered] = OrderedDict()

    @property
    def version(self) -> int:
        version: int = self.state.version
        return version

    def forget(self) -> None:
        """The outcome of an append is not known: the state must be read again."""
        self.state = self.decider.initial
        self.armed = None
        self.loaded = False
        self.latest = ()

    def advance(self, steps: Sequence[Step], armed: Mapping[str, Deadline] | None = None) -> None:
        """These events are committed and follow on; ``armed`` are the deadlines after them."""
        self.loaded = True
        if steps:
            self.state = steps[-1].after
            self.armed = armed
            self.latest = steps[-KEPT_STEPS:]

    def since(self, version: int) -> Sequence[Step] | None:
        """What happened after this version; None when it is not in memory any more."""
        behind = self.version - version
        if not 0 <= behind <= len(self.latest):
            return None
        return self.latest[-behind:] if behind else ()

    def questions(self) -> list[Job]:
        """Those that wait next, taken from the queue: whatever is read from now on is new enough for all of them."""
        taken = []
        while self.waiting and isinstance(self.waiting[0].envelope, Ask):
            taken.append(self.waiting.popleft())
        return taken

    def remember(self, command: str, version: int, position: int, digest: str) -> None:
        self.recent[command] = Remembered(version, position, digest)
        if len(self.recent) > RECENT_COMMANDS:
            self.recent.popitem(last=False)

    def fold(self, registry: EventRegistry, rows: Sequence[Written | Recorded]) -> list[Step]:
        """Bring the state forward by stored events; raises VersionDrift if they do not follow on."""
        steps = []
        state = self.state
        for row in rows:
            event = registry.decode(row.type, row.schema_v, row.data)
            before, state = state, self.decider.evolve(state, event)
            if state.version != row.version:
                raise VersionDrift(f"{self.stream} version {row.version} {row.type}: state says {state.version}")
            steps.append(Step(event, before, state))
        self.advance(steps)
        return steps


class Entries:
    """The streams in memory: at most ``most``, and none that nobody has used from one sweep to the next. Those at work
    stay; one that is forgotten costs a read when it comes back."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._by_stream: OrderedDict[str, Entry] = OrderedDict()

    def __contains__(self, stream: str) -> bool:
        return stream in self._by_stream

    def __len__(self) -> int:
        return len(self._by_stream)

    def get(self, stream: str) -> Entry | None:
        """As it is; this is no use of it."""
        return self._by_stream.get(stream)

    def use(self, stream: str, kind: StreamKind) -> Entry:
        entry = self._by_stream.get(stream)
        if entry is None:
            entry = self._by_stream[stream] = Entry(stream, kind)
            self._bound()
        else:
            entry.used = True
            self._by_stream.move_to_end(stream)
        return entry

    @property
    def at_work(self) -> bool:
        return any(entry.busy or entry.waiting for entry in self._by_stream.values())

    def sweep(self) -> None:
        for entry in list(self._by_stream.values()):
            if not entry.used and not entry.busy and not entry.waiting:
                del self._by_stream[entry.stream]
            entry.used = False

    def _bound(self) -> None:
        while len(self._by_stream) > self.most:
            oldest = next((e for e in self._by_stream.values() if not e.busy and not e.waiting), None)
            if oldest is None:
                return
            del self._by_stream[oldest.stream]
