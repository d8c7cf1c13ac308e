"""The runtime of deciders: commands in, events appended, one typed answer, views out.

Order within a stream is kept by its entry's queue; between replicas by the expected version of the append. On the
hot path nothing is awaited: a message is decoded, decided and handed to the appender by plain functions, and goes on
in the append's callback. Whatever needs a read (a cold stream, a conflict, a repeated command, a question) runs as a
task while the stream's other jobs wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from circolo_contracts.ids import is_stream, kind_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import (
    Answer,
    Ask,
    Command,
    Done,
    Refused,
    encoder,
    envelope_decoder,
    poke_subject,
    up_subject,
)
from msgspec import Raw
from opentelemetry.trace import INVALID_SPAN, Span

from . import asking, pushing, telemetry
from .aggregate import Entries, Entry, Job, StreamKind
from .appender import Appender, AppenderFull, AppendFailed, Outcome, Status
from .bus import Message, NatsBus
from .clock import Clock
from .decider import Context, Deadline, Rejection
from .failures import DATABASE_AWAY
from .parsing import parse
from .processes import Processes
from .proposal import Proposal, fresh, propose, uuid7
from .reading import StreamReader
from .registry import EventRegistry
from .store import Recorded, Store, Written
from .waiting import called_back

log = logging.getLogger(__name__)

CACHED_STREAMS = 10_000
SWEEP_SECONDS = 60.0
"""A stream stays in memory for one to two times this long after its last use."""
WAITING_PER_STREAM = 256
"""Jobs that may wait for one stream; the next one is answered RATE_LIMITED."""
MAX_CONFLICTS = 12

CommandHandler = Callable[[str, Command, Mapping[str, str] | None], Awaitable[Answer]]
AskHandler = Callable[[str, Ask], Awaitable[Answer]]
Reply = Callable[[Answer], None]


class Runtime:
    """Serves ``cmd.<service>.*.*``. ``execute`` and ``ask`` are the same path from inside the process."""

    def __init__(
        self, service: str, store: Store, appender: Appender, registry: EventRegistry, kinds: Sequence[StreamKind],
        bus: NatsBus, clock: Clock, *, cached_streams: int = CACHED_STREAMS,
    ) -> None:  # fmt: skip
        self.service = service
        self.store = store
        self.reader = StreamReader(store)
        self.appender = appender
        self.registry = registry
        self.kinds = {kind.name: kind for kind in kinds}
        self.bus = bus
        self.clock = clock
        self.handlers: dict[str, CommandHandler] = {}
        """Commands, by type, that are a process over several streams rather than one decision."""
        self.ask_handlers: dict[str, AskHandler] = {}
        """Questions, by kind of stream, that another stream answers."""
        self.on_commit: list[Callable[[], None]] = []
        self.on_armed: list[Callable[[int], None]] = []
        """Called with the earliest due time (ms) of the deadlines that a commit armed."""
        self._entries = Entries(cached_streams)
        self._sweeper: asyncio.TimerHandle | None = None
        self._processes = Processes()
        self._appended_types: set[str] = set()  # since the last poke
        self._subscription: Any = None
        appender.on_commit.append(self._committed)

    # ------------------------------------------------------------ life

    async def start(self) -> None:
        self._subscription = await self.bus.subscribe(f"cmd.{self.service}.*.*", self._on_message, queue=self.service)
        await self.bus.flush()
        self.bus.publish(up_subject(self.service), b"")
        self._sweep()

    async def stop(self) -> None:
        """Take nothing new, finish what was taken. The appender is its owner's to stop, afterwards."""
        if self._subscription is not None:
            await self._subscription.unsubscribe()
            self._subscription = None
        if self._sweeper is not None:
            self._sweeper.cancel()
        while self._entries.at_work or self._processes.tasks:
            await asyncio.sleep(0.01)

    def _sweep(self) -> None:
        self._entries.sweep()
        self._sweeper = asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)

    def _committed(self) -> None:
        self.bus.publish(poke_subject(self.service), b"")
        for event_type in self._appended_types:
            self.bus.publish(poke_subject(self.service, event_type), b"")
        self._appended_types.clear()
        for callback in self.on_commit:
            callback()

    # ------------------------------------------------------------ the ways in

    def _on_message(self, message: Message) -> None:
        try:
            envelope = envelope_decoder.decode(message.data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            message.respond(encoder.encode(Refused(RefusalCode.MALFORMED)))
            return
        stream = message.subject.rpartition(".")[2]
        self.submit(stream, envelope, lambda answer: message.respond(encoder.encode(answer)), message.headers)

    def submit(
        self, stream: str, envelope: Command | Ask, reply: Reply, headers: Mapping[str, str] | None = None
    ) -> None:
        """Queue a command or question; ``reply`` is called once, maybe at once."""
        if isinstance(envelope, Command):
            kind = self.kinds.get(kind_of(stream))
            known = envelope.type in self.handlers or (kind is not None and envelope.type in kind.commands)
            label = envelope.type if known else "unknown"
            span = telemetry.command_span(self.service, label, headers)
            reply = telemetry.observed(self.service, label, span, reply)
            handler = self.handlers.get(envelope.type)
            if handler is not None:
                self._processes.run(handler(stream, envelope, headers), reply)
                return
            self._enqueue(stream, envelope, reply, span)
        elif kind_of(stream) in self.ask_handlers:
            self._processes.run(self.ask_handlers[kind_of(stream)](stream, envelope), reply)
        else:
            self._enqueue(stream, envelope, reply)

    async def execute(self, stream: str, command: Command) -> Answer:
        """Decide this command on its stream, passing by ``handlers`` (who use it for their single steps)."""
        return await self._awaited(stream, command)

    async def ask(self, stream: str, ask: Ask) -> Answer:
        return await self._awaited(stream, ask)

    async def state(self, stream: str) -> Any:
        """The state as committed now (the initial one for a stream that does not exist)."""
        kind = self.kinds[kind_of(stream)]
        entry = self._entries.get(stream)
        base, after = (entry.state, entry.version) if entry is not None and entry.loaded else (kind.decider.initial, 0)
        scratch = Entry(stream, kind)
        scratch.state = base
        scratch.fold(self.registry, await self.reader.events(stream, after))
        return scratch.state

    def cached(self, stream: str) -> Any | None:
        """The state as this process knows it, without a read: maybe behind another replica; None when not at hand."""
        entry = self._entries.get(stream)
        return entry.state if entry is not None and entry.loaded else None

    async def deadlines(self, stream: str) -> Mapping[str, Deadline]:
        """What is armed now by the committed state."""
        return self.kinds[kind_of(stream)].decider.deadlines(await self.state(stream))

    async def _awaited(self, stream: str, envelope: Command | Ask) -> Answer:
        return await called_back(lambda reply: self._enqueue(stream, envelope, reply))

    # ------------------------------------------------------------ one stream's queue

    def _enqueue(self, stream: str, envelope: Command | Ask, reply: Reply, span: Span = INVALID_SPAN) -> None:
        known = self._entries.get(stream)
        kind = known.kind if known is not None else self.kinds.get(kind_of(stream)) if is_stream(stream) else None
        if kind is None:
            reply(Refused(RefusalCode.NOT_FOUND))
            return
        job = Job(envelope, reply, span)
        if isinstance(envelope, Command):
            parsed = parse(kind, envelope)
            if isinstance(parsed, Refused):
                reply(parsed)
                return
            job.parsed = parsed
        entry = self._entries.use(stream, kind)
        if not entry.busy and not entry.waiting:
            self._begin(entry, job)
        elif len(entry.waiting) >= WAITING_PER_STREAM:
            reply(Refused(RefusalCode.RATE_LIMITED))
        else:
            entry.waiting.append(job)
            self._next(entry)

    def _next(self, entry: Entry) -> None:
        while entry.waiting and not entry.busy:
            self._begin(entry, entry.waiting.popleft())

    def _begin(self, entry: Entry, job: Job) -> None:
        if isinstance(job.envelope, Ask):
            self._refresh_for(entry, [job, *entry.questions()])
        elif not entry.loaded and entry.recent:
            self._refresh_for(entry, [job])
        else:
            self._decide(entry, job, job.envelope)

    def _refresh_for(self, entry: Entry, jobs: Sequence[Job]) -> None:
        """Bring the state up to date, then go on with these: one command, or questions that share the read."""
        entry.busy = True

        def read(rows: list[Written] | Exception) -> None:
            entry.busy = False
            try:
                if isinstance(rows, Exception):
                    raise rows
                entry.fold(self.registry, rows)
            except Exception as error:
                refused = self._unread(entry, error)
                for job in jobs:
                    job.reply(refused)
            else:
                for place, job in enumerate(jobs):
                    if entry.busy:  # with the question before this one, for what is not in memory
                        entry.waiting.extendleft(reversed(jobs[place:]))
                        break
                    self._go_on(entry, job)
            self._next(entry)

        self.reader.read(entry.stream, entry.version, read)

    def _go_on(self, entry: Entry, job: Job) -> None:
        if isinstance(job.envelope, Command):
            self._decide(entry, job, job.envelope)
            return
        try:
            answer = asking.at_hand(entry, job.envelope)
        except Exception as error:
            answer = self._unread(entry, error)
        if answer is None:
            self._read_first(entry, job, asking.from_the_log(self.reader, self.registry, entry, job.envelope))
        else:
            job.reply(answer)

    def _read_first(self, entry: Entry, job: Job, read: Awaitable[Answer | None]) -> None:
        """Run a read while the stream's other jobs wait; without an answer of its own, decide the job afterwards."""
        entry.busy = True

        async def run() -> None:
            answer: Answer | None
            try:
                answer = await read
            except Exception as error:
                answer = self._unread(entry, error)
            entry.busy = False
            if answer is not None:
                job.reply(answer)
            elif isinstance(job.envelope, Command):
                self._decide(entry, job, job.envelope)
            self._next(entry)

        self._processes.spawn(run())

    def _unread(self, entry: Entry, error: Exception) -> Refused:
        if isinstance(error, DATABASE_AWAY):
            log.warning("%s could not be read: %s", entry.stream, type(error).__name__)
            return Refused(RefusalCode.UNAVAILABLE)
        log.error("%s could not be folded", entry.stream, exc_info=error)
        entry.forget()
        return Refused(RefusalCode.INTERNAL)

    async def _refresh(self, entry: Entry) -> None:
        entry.fold(self.registry, await self.reader.events(entry.stream, entry.version))

    # ------------------------------------------------------------ deciding

    def _decide(self, entry: Entry, job: Job, command: Command) -> None:
        """Also on a stream that was not read yet, as if it were new: the append checks that, and a refusal reads it."""
        first = entry.recent.get(command.id)
        if first is not None:
            job.reply(self._replay(entry, command, first.version, first.position, first.digest, replayed=True))
            return
        now = self.clock.now()
        context = Context(
            actor=command.actor, command_id=command.id, entropy=fresh(32), now=now,
            stamp=min(command.at or now, now), stream=entry.stream, version=entry.version, expected=command.expected,
        )  # fmt: skip
        try:
            decided = entry.decider.decide(entry.state, job.parsed, context)
            if isinstance(decided, Rejection):
                refused = Refused(decided.code, current_version=entry.version, field=decided.field)
                self._unless_done_before(entry, job, command, refused)
                return
            if not decided:
                self._unless_done_before(entry, job, command, self._done(entry, command, entry.version, 0, False))
                return
            proposal = propose(entry, self.registry, command, decided, uuid7(now), telemetry.traceparent_of(job.span))
        except Exception:
            log.exception("%s could not be decided on %s", command.type, entry.stream)
            job.reply(Refused(RefusalCode.INTERNAL))
            return
        entry.busy = True
        span = telemetry.append_span(job.span, self.service, len(decided))
        try:
            self.appender.submit(proposal.item, partial(self._appended, entry, job, command, proposal, span))
        except AppenderFull:
            entry.busy = False
            job.reply(Refused(RefusalCode.UNAVAILABLE))

    def _unless_done_before(self, entry: Entry, job: Job, command: Command, otherwise: Answer) -> None:
        """Say no only of what is committed now: another replica may have moved the stream since it was folded here.

        And a retry that arrives after the state moved on gets its first answer, not "stale" or "nothing to do".
        """
        decided_at = entry.version

        async def look() -> Answer | None:
            await self._refresh(entry)
            if entry.version != decided_at:
                return None  # decide again
            first = await self.store.find_command(entry.stream, command.id) if decided_at else None
            return otherwise if first is None else self._replay_of(entry, command, first, replayed=True)

        self._read_first(entry, job, look())

    def _appended(
        self, entry: Entry, job: Job, command: Command, proposal: Proposal, span: Span, outcome: Outcome | AppendFailed
    ) -> None:
        span.end()
        entry.busy = False
        if isinstance(outcome, AppendFailed):
            entry.forget()
            job.reply(Refused(RefusalCode.UNAVAILABLE))
        elif outcome.status is Status.APPENDED:
            previous = entry.version
            entry.advance(proposal.steps, proposal.armed)
            self._appended_types.update([event.type for event in proposal.item.events])
            entry.remember(command.id, outcome.version, outcome.position, command.digest)
            if (due_at := proposal.due_at) is not None:
                for callback in self.on_armed:
                    callback(due_at)
            views = pushing.push(self.bus, entry, proposal.steps, previous, self.service)
            job.reply(self._done(entry, command, outcome.version, outcome.position, False, views))
        elif outcome.status is Status.DUPLICATE:
            self._read_first(entry, job, self._duplicate(entry, command, proposal))
        else:
            telemetry.conflicts.add(1, self.service)
            job.attempts += 1
            if job.attempts > MAX_CONFLICTS:
                job.reply(Refused(RefusalCode.UNAVAILABLE))
            else:
                self._refresh_for(entry, [job])
        self._next(entry)

    async def _duplicate(self, entry: Entry, command: Command, proposal: Proposal) -> Answer:
        first = await self.store.find_command(entry.stream, command.id)
        await self._refresh(entry)
        if first is None:
            return Refused(RefusalCode.UNAVAILABLE)
        # Our own append, whose first answer the connection lost, is no replay.
        return self._replay_of(entry, command, first, replayed=first.id != proposal.item.events[0].id)

    # ------------------------------------------------------------ answering

    def _replay_of(self, entry: Entry, command: Command, first: Recorded, *, replayed: bool) -> Answer:
        digest = msgspec.json.decode(first.meta).get("digest", "")
        return self._replay(entry, command, first.version + first.n - 1, first.pos, digest, replayed=replayed)

    def _replay(
        self, entry: Entry, command: Command, version: int, position: int, digest: str, *, replayed: bool
    ) -> Answer:
        if command.digest and digest and command.digest != digest:
            return Refused(RefusalCode.KEY_REUSED)
        entry.remember(command.id, version, position, digest)
        pushing.nudge(self.bus, entry)
        return self._done(entry, command, version, position, replayed)

    def _done(
        self, entry: Entry, command: Command, version: int, position: int, replayed: bool,
        views: Mapping[str, Raw] | None = None,
    ) -> Answer:  # fmt: skip
        viewer = asking.viewer_of(entry, command.actor)
        view = (views or {}).get(viewer.audience)
        return Done(version, position, replayed, view or pushing.view_of(entry, viewer), entry.version)
