"""The bus: NATS request/reply, views and pokes, with plain callbacks and one flush for each tick of the loop.

A handler is a plain function that returns at once; it is called as its message is read from the socket. A publish
never waits: what the tick collected goes out together. A publish that NATS cannot take (disconnected and its buffer
full) is counted in ``dropped``; readers heal by version, so nothing is lost by it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Protocol

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as NatsSubscription
from nats.errors import Error as NatsError

from . import telemetry

log = logging.getLogger(__name__)

NO_RESPONDERS = "503"
PENDING_BYTES = 16 * 1024 * 1024
"""What is kept for a NATS that is away; more is dropped and counted."""
_SUBJECT = re.compile(r"[!-~]+")


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


class _PatientClient(Client):
    """nats-py's client ends its read loop, and is deaf until its pings go stale, when a PONG comes after the flush that
    asked for it was given up; here such a PONG is only counted."""

    async def _process_pong(self) -> None:
        if self._pongs and self._pongs[0].done():
            self._pongs.pop(0)
            self._pongs_received += 1
            self._pings_outstanding = 0
        else:
            await super()._process_pong()


class _Dispatch(asyncio.Queue[Msg]):
    """Stands where nats-py keeps a subscription's queue, and hands each message over as it is read from the socket.

    The queue and the task behind it cost a wake-up for each message (7 % of the gateway), and our handlers are plain
    functions that return at once. nats-py is pinned; ``test_bus`` fails if its inside moves.
    """

    def __init__(self, subscription: NatsSubscription, on_message: Callable[[Msg], None]) -> None:
        super().__init__()
        self._subscription = subscription
        self._on_message = on_message

    def put_nowait(self, item: Msg) -> None:
        self._subscription._pending_size = 0
        self._on_message(item)


def dispatch_directly(subscription: NatsSubscription, on_message: Callable[[Msg], None]) -> None:
    early = subscription._pending_queue
    subscription._pending_queue = _Dispatch(subscription, on_message)
    task: asyncio.Task[None] | None = getattr(subscription, "_wait_for_msgs_task", None)
    if task is not None:
        task.cancel()
    while not early.empty():
        on_message(early.get_nowait())


class NatsBus:
    """One connection. Create with ``await NatsBus.connect(url, name=...)``."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.dropped = 0
        """Publishes that NATS could not take."""
        self.reconnected: list[Callable[[], None]] = []
        """Called after every reconnect: whatever was pushed meanwhile is lost and must be asked for."""
        self._out: list[tuple[str, bytes, str, dict[str, str] | None]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._inbox = f"_INBOX.{uuid.uuid4().hex}"
        self._tokens = itertools.count()
        self._waiting: dict[str, tuple[OnReply, asyncio.TimerHandle]] = {}
        self._loop = asyncio.get_running_loop()
        self._closing = False

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

        try:
            client = _PatientClient()
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
            raise BusError(f"no NATS server answers within {connect_timeout:g} s") from error
        bus = cls(client)
        await bus._subscribe(f"{bus._inbox}.*", "", bus._on_reply)
        return bus

    @property
    def is_connected(self) -> bool:
        return self.client.is_connected

    async def close(self) -> None:
        """Send what is queued, fail what waits, close."""
        self._closing = True
        if self._flushing is not None:
            await self._flushing
        waiting, self._waiting = self._waiting, {}
        for on_reply, timer in waiting.values():
            timer.cancel()
            on_reply(BusTimeout("the bus was closed"))
        await self.client.close()

    # ------------------------------------------------------------ publish

    def publish(self, subject: str, payload: bytes, *, reply: str = "", headers: dict[str, str] | None = None) -> None:
        """Queue for this tick's flush; never waits and never raises."""
        self._out.append((subject, payload, reply, headers))
        if self._flushing is None:
            self._flushing = self._loop.create_task(self._flush())

    async def _flush(self) -> None:
        try:
            while self._out:
                batch, self._out = self._out, []
                plain: list[bytes] = []
                for message in batch:
                    line = self._line(*message)
                    if line is not None:
                        plain.append(line)
                        continue
                    await self._send(plain)
                    plain = []
                    await self._publish(*message)
                await self._send(plain)
        finally:
            self._flushing = None
            if self._out and not self._closing:
                self._flushing = self._loop.create_task(self._flush())

    def _line(self, subject: str, payload: bytes, reply: str, headers: dict[str, str] | None) -> bytes | None:
        """The message as the protocol has it; None for what nats-py itself has to see (headers, trouble)."""
        if headers or len(payload) > self.client.max_payload or not _SUBJECT.fullmatch(subject + reply):
            return None
        return b"PUB %b %b %d\r\n%b\r\n" % (subject.encode(), reply.encode(), len(payload), payload)

    async def _send(self, lines: list[bytes]) -> None:
        """A tick's plain messages as one piece for nats-py's buffer: one check and one copy for all of them."""
        if not lines:
            return
        client = self.client
        is_full = client.pending_data_size + sum(map(len, lines)) > PENDING_BYTES
        if client.is_closed or (is_full and not client.is_connected):
            self._drop(len(lines))
            return
        await client._send_command(b"".join(lines))
        await client._flush_pending()

    def _drop(self, count: int) -> None:
        self.dropped += count
        telemetry.dropped.add(count)

    async def _publish(self, subject: str, payload: bytes, reply: str, headers: dict[str, str] | None) -> None:
        try:
            await self.client.publish(subject, payload, reply, headers)
        except NatsError as error:
            self._drop(1)
            waiting = self._waiting.pop(reply.rpartition(".")[2], None) if reply else None
            if waiting is not None:
                waiting[1].cancel()
                waiting[0](NoResponders(str(error)))

    # ------------------------------------------------------------ request

    def request_nowait(
        self, subject: str, payload: bytes, on_reply: OnReply, *, timeout: float, headers: dict[str, str] | None = None
    ) -> None:
        """Send a request; ``on_reply`` gets the answer, or BusTimeout after ``timeout`` seconds, or NoResponders."""
        token = str(next(self._tokens))
        timer = self._loop.call_later(timeout, self._expire, token)
        self._waiting[token] = (on_reply, timer)
        self.publish(subject, payload, reply=f"{self._inbox}.{token}", headers=headers)

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

    def _expire(self, token: str) -> None:
        waiting = self._waiting.pop(token, None)
        if waiting is not None:
            waiting[0](BusTimeout("no answer in time"))

    def _on_reply(self, msg: Msg) -> None:
        waiting = self._waiting.pop(msg.subject.rpartition(".")[2], None)
        if waiting is None:
            return
        on_reply, timer = waiting
        timer.cancel()
        if msg.headers and msg.headers.get("Status") == NO_RESPONDERS:
            on_reply(NoResponders(msg.subject))
        else:
            on_reply(Message(self, msg.subject, msg.data, "", msg.headers))

    # ------------------------------------------------------------ subscribe

    async def subscribe(self, subject: str, handler: Handler, *, queue: str = "") -> NatsSubscription:
        """Hand every message to ``handler``, a plain function that must return at once and not raise.

        With ``queue``, one member of the group gets each message. The returned subscription has ``unsubscribe()``; it
        lives on over reconnects. Raises BusError when the bus is closed.
        """

        def on_message(msg: Msg) -> None:
            try:
                handler(Message(self, msg.subject, msg.data, msg.reply, msg.headers))
            except Exception:
                log.exception("a handler of %s failed", subject)

        return await self._subscribe(subject, queue, on_message)

    async def _subscribe(self, subject: str, queue: str, on_message: Callable[[Msg], None]) -> NatsSubscription:
        async def early(msg: Msg) -> None:
            """For what arrives before the dispatch is in its place."""
            on_message(msg)

        subscription = await self.client.subscribe(subject, queue=queue, cb=early, pending_bytes_limit=0)
        dispatch_directly(subscription, on_message)
        return subscription

    async def flush(self) -> None:
        """Wait until the server has seen every subscription and publish so far. Raises BusTimeout while it is away."""
        if self._flushing is not None:
            await self._flushing
        try:
            await self.client.flush()
        except (NatsError, TimeoutError) as error:
            raise BusTimeout("NATS does not answer") from error
