"""graphql-transport-ws: one ``Connection`` for each socket.

An operation belongs to the socket's table until its last frame or the client's ``complete``; its id is free again at
that moment, and what a cancelled operation still says is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from . import messages
from .errors import Problem, shown
from .later import Later
from .messages import Complete, Init, Malformed, Ping, Subscribe
from .operations import Operations
from .outgoing import Outgoing
from .outgoing import Socket as Wire
from .session import NOBODY, Application, Identity, Session, language_of

log = logging.getLogger(__name__)

CLOSE_SECONDS = 2.0
"""How long a close may take before the connection is cut off."""


@dataclass(frozen=True, slots=True)
class SocketBounds:
    init_seconds: float = 10.0
    operations: int = 100
    soft_bytes: int = 262_144
    hard_bytes: int = 2_097_152
    stalled_seconds: float = 30.0


class _Slot:
    """An operation's place in the table, and its sink: deaf once the operation is no longer in its place."""

    __slots__ = ("_connection", "_id", "later", "task")

    def __init__(self, connection: Connection, identity: str) -> None:
        self._connection = connection
        self._id = identity
        self.task: asyncio.Task[None] | None = None
        self.later: Later[Any] | None = None
        """What an operation without a task waits for."""

    @property
    def is_free(self) -> bool:
        return self._connection.operations.get(self._id) is self and self._connection.outgoing.is_free

    def put(self, frame: bytes) -> None:
        if self._connection.operations.get(self._id) is self:
            self._connection.outgoing.put(frame)

    @property
    def has_room(self) -> bool:
        return self._connection.outgoing.has_room

    async def room(self) -> None:
        await self._connection.outgoing.room()

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        self.task = asyncio.get_running_loop().create_task(work)
        self.task.add_done_callback(self._over)

    def end(self) -> None:
        if self._connection.operations.get(self._id) is self:
            del self._connection.operations[self._id]

    def cancel(self) -> asyncio.Task[None] | None:
        """The task that still has to end."""
        if self.later is not None:
            self.later.cancel()
        if self.task is not None:
            self.task.cancel()
        return self.task

    def _over(self, task: asyncio.Task[None]) -> None:
        self.task = None  # the frames of a cancelled task know the slot: a circle, if it knew the task
        self.end()
        self._connection.ended(task)


class Connection:
    def __init__(
        self, socket: WebSocket, application: Application, operations: Operations, bounds: SocketBounds
    ) -> None:
        self._socket = socket
        self._application = application
        self._begin = operations.begin
        self._bounds = bounds
        self.operations: dict[str, _Slot] = {}
        self._wire: Wire = socket.scope["extensions"]["circolo.socket"]
        self.outgoing = Outgoing(
            self._wire,
            soft=bounds.soft_bytes,
            hard=bounds.hard_bytes,
            stalled=bounds.stalled_seconds,
            too_slow=self._too_slow,
        )
        self._session: Session | None = None
        self._initialised = False
        self._ending: tuple[int, str] | None = None
        self._closing = asyncio.Event()
        self._timers: list[asyncio.TimerHandle] = []
        self._ended: set[asyncio.Task[None]] = set()

    @property
    def identity(self) -> Identity:
        """Nobody before ``connection_init``."""
        return NOBODY if self._session is None else self._session.identity

    # ------------------------------------------------------------ life

    async def serve(self) -> None:
        """Until the peer or we close; afterwards nothing of it runs any more."""
        loop = asyncio.get_running_loop()
        self._timers.append(
            loop.call_later(
                self._bounds.init_seconds,
                self._end_unless_initialised,
                messages.INIT_TIMEOUT,
                "Connection initialisation timeout",
            )
        )
        writer = loop.create_task(self.outgoing.run())
        reader = loop.create_task(self._read())
        closing = loop.create_task(self._closing.wait())
        self._wire.heard = self._hear
        try:
            await asyncio.wait({writer, reader, closing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._wire.heard = None
            for timer in self._timers:
                timer.cancel()
            await self._stop_operations()
            await self._close(writer)
            for task in (reader, closing, writer):
                task.cancel()
            await asyncio.gather(reader, closing, writer, return_exceptions=True)
            self.outgoing.end()

    def end(self, code: int, reason: str) -> None:
        """Close with this code after what is already queued; the first reason wins."""
        if self._ending is None:
            self._ending = (code, reason[:120])
        self._closing.set()

    def _end_unless_initialised(self, code: int, reason: str) -> None:
        if not self._initialised:
            self.end(code, reason)

    def _too_slow(self) -> None:
        self.end(messages.TOO_SLOW, "Too slow")

    async def _stop_operations(self) -> None:
        slots, self.operations = list(self.operations.values()), {}
        tasks = [task for slot in slots if (task := slot.cancel()) is not None]
        for task in self._ended:
            task.cancel()
        tasks.extend(self._ended)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _close(self, writer: asyncio.Task[None]) -> None:
        if self._ending is None:
            return
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                if not writer.done():
                    await self.outgoing.sent()
                if self._socket.application_state is not WebSocketState.DISCONNECTED:
                    await self._socket.close(*self._ending)
        except (TimeoutError, RuntimeError, OSError, WebSocketDisconnect):
            self._wire.abort()

    # ------------------------------------------------------------ reading

    async def _read(self) -> None:
        """What was read before ``_hear`` was there to hear it, and the end."""
        while self._ending is None:
            event = await self._socket.receive()
            if event["type"] == "websocket.disconnect":
                return
            self._hear(event.get("text"))

    def _hear(self, text: str | None) -> None:
        if self._ending is not None:
            return
        try:
            message = messages.read_message(text)
        except Malformed as malformed:
            self.end(messages.BAD_MESSAGE, str(malformed))
            return
        if isinstance(message, Subscribe):
            self._subscribe(message)
        elif isinstance(message, Complete):
            self._complete(message.id)
        elif isinstance(message, Ping):
            self.outgoing.put(messages.pong(message.payload))
        elif isinstance(message, Init):
            self._init(message)

    def _init(self, message: Init) -> None:
        if self._initialised:
            self.end(messages.TOO_MANY_INITS, "Too many initialisation requests")
            return
        self._initialised = True
        payload = message.payload or {}
        headers = self._socket.headers
        authorization = payload.get("authorization", payload.get("Authorization", headers.get("authorization")))
        language = payload.get("language")
        try:
            if authorization is not None and not isinstance(authorization, str):
                raise Problem("UNAUTHENTICATED", "The token is a string.")
            identity = self._application.identify(authorization) if authorization else NOBODY
        except Problem:
            self.end(messages.FORBIDDEN, "Forbidden")
            return
        self._session = Session(
            identity,
            language_of(language if isinstance(language, str) else headers.get("accept-language")),
            self._socket.client.host if self._socket.client else "",
        )
        if identity.expires_at is not None:
            left = max(0.0, (identity.expires_at - self._application.now()) / 1000)
            self._timers.append(
                asyncio.get_running_loop().call_later(left, self.end, messages.FORBIDDEN, "The token has expired")
            )
        self.outgoing.put(messages.ACK)

    # ------------------------------------------------------------ operations

    def _subscribe(self, message: Subscribe) -> None:
        if self._session is None:
            self.end(messages.UNAUTHORIZED, "Unauthorized")
            return
        if message.id in self.operations:
            self.end(messages.SUBSCRIBER_EXISTS, f"Subscriber for {message.id} already exists")
            return
        if len(self.operations) + len(self._ended) >= self._bounds.operations:
            too_many = Problem("TOO_MANY_OPERATIONS", "Too many operations at once on this socket.")
            self.outgoing.put(messages.error_frame(messages.quoted(message.id), [shown(too_many)]))
            return
        slot = self.operations[message.id] = _Slot(self, message.id)
        slot.later = self._begin(message.id, message.params, self._session, slot)

    def ended(self, task: asyncio.Task[None]) -> None:
        """Of an operation."""
        self._ended.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("an operation failed", exc_info=task.exception())

    def _complete(self, identity: str) -> None:
        slot = self.operations.pop(identity, None)
        if slot is not None and (task := slot.cancel()) is not None:
            self._ended.add(task)
