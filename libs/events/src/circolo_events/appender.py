"""Appending: whatever was asked for while a statement ran goes out in the next one. No timer, one connection.

A broken connection leaves an append's outcome unknown; it is asked again under the same command id, and the store
answers "duplicate" if it was committed after all. So a caller gets one outcome, or AppendFailed after
``give_up_seconds`` and then repeats with the same id.
"""

from __future__ import annotations

import asyncio
import enum
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from operator import attrgetter

import asyncpg
from msgspec import Struct

from .canonical import digest, shard_of
from .waiting import called_back

log = logging.getLogger(__name__)

_STATEMENT = (
    "SELECT outcome, last_version, first_pos FROM append("
    "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)"
)
ANY_VERSION = -1
NEW_STREAM = 0
MAX_BATCH = 512
"""Appends in one statement."""
STATEMENT_SECONDS = 5.0


class NewEvent(Struct, frozen=True, gc=False):
    id: str
    type: str
    schema_v: int
    data: bytes
    meta: bytes


class Arm(Struct, frozen=True, gc=False):
    kind: str
    due_at: int
    version: int


class Append(Struct, frozen=True, gc=False):
    """Events of one command for one stream, with the deadlines that they arm and clear."""

    stream: str
    expected: int
    """``NEW_STREAM``, an exact version, or ``ANY_VERSION``."""
    command: str
    events: Sequence[NewEvent]
    arm: Sequence[Arm] = ()
    clear: Sequence[str] = ()


class Status(enum.IntEnum):
    APPENDED = 0
    DUPLICATE = 1
    CONFLICT = 2


_STATUSES = tuple(Status)


class Outcome(Struct, frozen=True, gc=False):
    status: Status
    version: int
    """After the command's last event; for CONFLICT the stream's present version."""
    position: int
    """Of the command's first event in its shard; 0 for CONFLICT."""


class AppendFailed(Struct, frozen=True, gc=False):
    """Not known whether it was committed: the database did not answer in time, or refuses."""

    reason: str


Done = Callable[["Outcome | AppendFailed"], None]
Connect = Callable[[], Awaitable[asyncpg.Connection]]


class AppenderFull(Exception):
    """``max_queued`` appends wait already: answer UNAVAILABLE and let the caller come back."""


class _Queued(Struct):
    item: Append
    done: Done
    until: float
    place: tuple[int, str]
    """Shard and stream: in this order rows are locked, by whoever appends."""


_place = attrgetter("place")


class Appender:
    """``submit`` never waits; ``done`` is called from the loop once, in the order of commits within a stream."""

    def __init__(self, connect: Connect, *, max_queued: int = 20_000, give_up_seconds: float = 8.0) -> None:
        self._connect = connect
        self._max_queued = max_queued
        self._give_up = give_up_seconds
        self._queue: deque[_Queued] = deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._alone = 0
        """How many of the next appends go one at a time, since one of them broke a statement."""
        self.on_commit: list[Callable[[], None]] = []
        """Called after every statement that appended something."""
        self.statements = 0
        self.appended = 0

    @property
    def queued(self) -> int:
        return len(self._queue)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name="appender")

    async def stop(self) -> None:
        """Finish what is queued, then close the connection."""
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await self._task

    def submit(self, item: Append, done: Done) -> None:
        """Raises AppenderFull when too many wait."""
        if len(self._queue) >= self._max_queued or self._closing:
            raise AppenderFull
        if not self._queue:
            self._wake.set()
        until = asyncio.get_running_loop().time() + self._give_up
        self._queue.append(_Queued(item, done, until, (shard_of(item.stream), item.stream)))

    async def append(self, item: Append) -> Outcome | AppendFailed:
        return await called_back(lambda done: self.submit(item, done))

    async def _run(self) -> None:
        connection: asyncpg.Connection | None = None
        while True:
            if not self._queue:
                if self._closing:
                    break
                self._wake.clear()
                await self._wake.wait()
                continue
            batch = self._take()
            pause = 0.05
            while batch:
                try:
                    if connection is None or connection.is_closed():
                        connection = await self._connect()
                    rows = await connection.fetch(
                        _STATEMENT, *arguments([q.item for q in batch]), timeout=STATEMENT_SECONDS
                    )
                    self._settle(batch, rows)
                    break
                except Exception as error:  # also InternalClientError, which a connection killed in a bad moment raises
                    if _is_ours(error):
                        self._refused(batch, error)
                        break
                    if connection is not None:
                        connection.terminate()
                    connection = None
                    batch = self._drop_expired(batch, type(error).__name__)
                    log.warning("append of %d is repeated after %s", len(batch), type(error).__name__)
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, 1.0)
        if connection is not None and not connection.is_closed():
            await connection.close(timeout=2)

    def _take(self) -> list[_Queued]:
        """The next batch, ascending by (shard, stream); a second append to a stream waits for the next one."""
        batch: dict[str, _Queued] = {}
        later: list[_Queued] = []
        limit = 1 if self._alone else MAX_BATCH
        self._alone = max(0, self._alone - 1)
        while self._queue and len(batch) < limit:
            queued = self._queue.popleft()
            if batch.setdefault(queued.item.stream, queued) is not queued:
                later.append(queued)
        self._queue.extendleft(reversed(later))
        return sorted(batch.values(), key=_place)

    def _refused(self, batch: list[_Queued], error: BaseException) -> None:
        """A statement that will never succeed: find out whose fault it is by sending each append alone."""
        if len(batch) > 1:
            self._queue.extendleft(reversed(batch))
            self._alone = len(batch)
            return
        log.error("append to %s refused by the database: %s", batch[0].item.stream, type(error).__name__)
        self._call(batch[0].done, AppendFailed(type(error).__name__))

    def _drop_expired(self, batch: list[_Queued], reason: str) -> list[_Queued]:
        now = asyncio.get_running_loop().time()
        for queued in batch:
            if queued.until <= now:
                self._call(queued.done, AppendFailed(reason))
        return [q for q in batch if q.until > now]

    def _settle(self, batch: list[_Queued], rows: Sequence[asyncpg.Record]) -> None:
        self.statements += 1
        appended = 0
        for queued, row in zip(batch, rows, strict=True):
            status, version, position = row
            if status == Status.APPENDED:
                appended += 1
            self._call(queued.done, Outcome(_STATUSES[status], version, position or 0))
        if appended:
            self.appended += appended
            for callback in self.on_commit:
                callback()

    def _call(self, done: Done, outcome: Outcome | AppendFailed) -> None:
        try:
            done(outcome)
        except Exception:
            log.exception("the continuation of an append failed")


def _is_ours(error: BaseException) -> bool:
    """A statement that fails however often it is sent (a bug), as against a server that is away."""
    return isinstance(
        error,
        ValueError
        | asyncpg.DataError
        | asyncpg.IntegrityConstraintViolationError
        | asyncpg.SyntaxOrAccessError
        | asyncpg.exceptions.RaiseError,
    )


def arguments(items: Sequence[Append]) -> tuple[Sequence[object], ...]:
    """The statement's arrays. ``items`` must be ascending by (shard, stream), each stream once."""
    numbered = list(enumerate(items, 1))
    return (
        *_columns(6, [(shard_of(a.stream), a.stream, a.expected, a.command, len(a.events), link(a)) for a in items]),
        *_columns(
            7,
            [(n, seq, e.id, e.type, e.schema_v, e.data, e.meta) for n, a in numbered for seq, e in enumerate(a.events)],
        ),
        *_columns(4, [(n, arm.kind, arm.due_at, arm.version) for n, a in numbered for arm in a.arm]),
        *_columns(2, [(n, kind) for n, a in numbered for kind in a.clear]),
    )


def _columns(width: int, rows: Sequence[tuple[object, ...]]) -> Iterable[Sequence[object]]:
    return zip(*rows, strict=True) if rows else [()] * width


def link(item: Append) -> bytes:
    """What the append adds to its stream's hash chain."""
    parts = [item.command.encode()]
    for event in item.events:
        parts += (event.id.encode(), event.type.encode(), event.schema_v.to_bytes(2, "big"), event.data, event.meta)
    return digest(*parts)
