"""The bus: NATS request/reply, views and pokes, with plain callbacks and one write for each tick of the loop.

A handler is a plain function that returns at once; it is called as its message is read from the socket. A publish
never waits: what the tick collected goes out together. A publish that NATS cannot take (disconnected and its buffer
full) is counted in ``dropped``; readers heal by version, so nothing is lost by it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import uuid
from collections.abc import Callable, Mapping
from typing import Protocol

from nats.aio.subscription import Subscription as NatsSubscription
from nats.errors import Error as NatsError

from . import telemetry
from .connection import PENDING_BYTES, BusClient
from .protocol import STATUS, headers_of, is_subject, publication, publication_with

log = logging.getLogger(__name__)

NO_RESPONDERS = "503"
EXPIRY_SECONDS = 0.05
"""How often requests are looked through for those whose time is over: a timer for each costs more than a message."""


class BusError(Exception):
    """The bus did not carry it."""


class BusTimeout(BusError):
    """No answer in time: whether it was done is not known. Repeat with the same id."""


class NoResponders(BusError):
    """Nobody serves this subject now: it was certainly not done."""


class Message:
    """One received message; ``respond`` answers a request once."""

    __slots__ = ("_bus", "data", "headers", "reply", "subject")

    def __init__(self, bus: NatsBus, subject: str, data: bytes, reply: str, headers: Mapping[str, str] | None) -> None:
        self._bus = bus
        self.subject = subject
        self.data = data
        self.reply = reply
        self.headers = headers

    def respond(self, payload: bytes, headers: dict[str, str] | None = None) -> None:
        if self.reply:
            self._bus.publish(self.reply, payload, headers=headers)


Handler = Callable[[Message], None]
OnReply = Callable[[Message | BusError], None]


class BusSubscription(Protocol):
    async def unsubscribe(self) -> None: ...


class NatsBus:
    """One connection. Create with ``await NatsBus.connect(url, name=...)``."""

    def __init__(self, client: BusClient) -> None:
        self.client = client
        """nats-py's, for JetStream and for who looks after the connection."""
        self.dropped = 0
        """Publishes that NATS could not take."""
        self.reconnected: list[Callable[[], None]] = []
        """Called after every reconnect: whatever was pushed meanwhile is lost and must be asked for."""
        self._out: list[bytes] = []
        self._inbox = f"_INBOX.{uuid.uuid4().hex}"
        self._before_token = len(self._inbox) + 1
        self._tokens = itertools.count()
        self._waiting: dict[bytes, tuple[OnReply, float]] = {}
        self._expiring: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def connect(cls, url: str, *, name: str, connect_timeout: float = 10.0) -> NatsBus:
        """Connect, waiting up to ``connect_timeout`` seconds for a server that is still starting.

        Raises BusError when there is none.
        """
        bus: NatsBus | None = None

        async def on_reconnect() -> None:
            if bus is not None:
                for callback in list(bus.reconnected):
                    callback()

        async def on_error(error: Exception) -> None:
            if bus is not None:
                log.warning("nats: %s", str(error) or type(error).__name__)

        client = BusClient()
        try:
            await asyncio.wait_for(
                client.connect(
                    url, name=name, ping_interval=5, max_outstanding_pings=2, max_reconnect_attempts=-1,
                    reconnect_time_wait=0.2,  # type: ignore[arg-type]  # slept, so a float is as good
                    allow_reconnect=True, connect_timeout=2, pending_size=PENDING_BYTES,
                    reconnected_cb=on_reconnect, error_cb=on_error,
                ),
                connect_timeout,  # nats-py itself goes on trying for ever
            )  # fmt: skip
        except (TimeoutError, OSError, NatsError) as error:
            client.wire.close()
            raise BusError(f"no NATS server answers within {connect_timeout:g} s") from error
        bus = cls(client)
        await client.listen(f"{bus._inbox}.*", "", bus._on_reply)
        return bus

    @property
    def is_connected(self) -> bool:
        return self.client.is_connected

    async def close(self) -> None:
        """Send what is queued, fail what waits, close."""
        self._send()
        if self._expiring is not None:
            self._expiring.cancel()
            self._expiring = None
        waiting, self._waiting = self._waiting, {}
        for on_reply, _ in waiting.values():
            self._answer(on_reply, BusTimeout("the bus was closed"))
        await self.client.close()

    # ------------------------------------------------------------ publish

    def publish(self, subject: str, payload: bytes, *, reply: str = "", headers: dict[str, str] | None = None) -> None:
        """Queue for this tick's write; never waits and never raises."""
        if reply and not is_subject(reply):
            self._refuse("a subject for the reply that NATS cannot carry", b"")
        else:
            self._queue(subject, payload, reply, headers, b"")

    def _queue(self, subject: str, payload: bytes, reply: str, headers: dict[str, str] | None, token: bytes) -> None:
        if not is_subject(subject):
            self._refuse("a subject that NATS cannot carry", token)
            return
        if headers:
            try:
                line = publication_with(headers, subject, reply, payload)
            except ValueError as error:
                self._refuse(str(error), token)
                return
        else:
            line = publication(subject, reply, payload)
        # the line is a little longer than its payload: only a large one is looked at again
        if len(line) > self.client.max_payload and len(payload) > self.client.max_payload:
            self._refuse("larger than the server takes", token)
            return
        if not self._out:
            self._loop.call_soon(self._send)
        self._out.append(line)

    def _send(self) -> None:
        lines, self._out = self._out, []
        if lines and not self.client.send(lines):
            self._drop(len(lines))

    def _drop(self, count: int) -> None:
        self.dropped += count
        telemetry.dropped.add(count)

    def _refuse(self, why: str, token: bytes) -> None:
        self._drop(1)
        waiting = self._waiting.pop(token, None)
        if waiting is not None:
            self._loop.call_soon(waiting[0], NoResponders(why))

    # ------------------------------------------------------------ request

    def request_nowait(
        self, subject: str, payload: bytes, on_reply: OnReply, *, timeout: float, headers: dict[str, str] | None = None
    ) -> None:
        """Send a request; ``on_reply`` gets the answer, or NoResponders, or BusTimeout when ``timeout`` seconds are
        over (up to ``EXPIRY_SECONDS`` later)."""
        number = next(self._tokens)
        token = b"%d" % number
        self._waiting[token] = (on_reply, self._loop.time() + timeout)
        if self._expiring is None:
            self._expiring = self._loop.call_later(EXPIRY_SECONDS, self._expire)
        self._queue(subject, payload, f"{self._inbox}.{number}", headers, token)

    async def request(
        self, subject: str, payload: bytes, *, timeout: float, headers: dict[str, str] | None = None
    ) -> Message:
        """As ``request_nowait``, raising the error."""
        future: asyncio.Future[Message] = self._loop.create_future()

        def settle(answer: Message | BusError) -> None:
            if future.done():
                return
            if isinstance(answer, BusError):
                future.set_exception(answer)
            else:
                future.set_result(answer)

        self.request_nowait(subject, payload, settle, timeout=timeout, headers=headers)
        return await future

    def _expire(self) -> None:
        now = self._loop.time()
        for token in [token for token, (_, until) in self._waiting.items() if until <= now]:
            waiting = self._waiting.pop(token, None)
            if waiting is not None:
                self._answer(waiting[0], BusTimeout("no answer in time"))
        self._expiring = self._loop.call_later(EXPIRY_SECONDS, self._expire) if self._waiting else None

    def _on_reply(self, subject: bytes, reply: bytes, block: bytes, payload: bytes) -> None:
        waiting = self._waiting.pop(subject[self._before_token :], None)
        if waiting is None:
            return
        headers = headers_of(block) if block else None
        if headers and headers.get(STATUS) == NO_RESPONDERS:
            self._answer(waiting[0], NoResponders("nobody serves this subject"))
        else:
            self._answer(waiting[0], Message(self, subject.decode(), payload, "", headers))

    def _answer(self, on_reply: OnReply, answer: Message | BusError) -> None:
        try:
            on_reply(answer)
        except Exception:
            log.exception("what waited for an answer failed")

    # ------------------------------------------------------------ subscribe

    async def subscribe(self, subject: str, handler: Handler, *, queue: str = "") -> NatsSubscription:
        """Hand every message to ``handler``, a plain function that must return at once and not raise.

        With ``queue``, one member of the group gets each message. The returned subscription has ``unsubscribe()``; it
        lives on over reconnects. Raises NatsError when the bus is closed.
        """

        def deliver(subject_of: bytes, reply: bytes, block: bytes, payload: bytes) -> None:
            try:
                headers = headers_of(block) if block else None
                handler(Message(self, subject_of.decode(), payload, reply.decode(), headers))
            except Exception:
                log.exception("a handler of %s failed", subject)

        return await self.client.listen(subject, queue, deliver)

    async def follow(self, subject: str, take: Callable[[bytes], None]) -> NatsSubscription:
        """As ``subscribe``, for who wants nothing of a message but its payload."""

        def deliver(_subject: bytes, _reply: bytes, _block: bytes, payload: bytes) -> None:
            try:
                take(payload)
            except Exception:
                log.exception("who follows %s failed", subject)

        return await self.client.listen(subject, "", deliver)

    async def flush(self) -> None:
        """Wait until the server has seen every subscription and publish so far. Raises BusTimeout while it is away."""
        self._send()
        try:
            await self.client.flush()
        except (NatsError, TimeoutError) as error:
            raise BusTimeout("NATS does not answer") from error
