"""nats-py's client on a connection of ours: it keeps the session, we carry the messages.

nats-py connects, authenticates, upgrades to TLS, pings, reconnects, replays subscriptions and speaks to JetStream. Two
things are ours, since they are most of a message's cost: reading (``Wire`` is an asyncio protocol, no stream, and hands
messages to their subscription as they arrive) and writing (at once, no queue and no task). docs/decisions/0008.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import ParseResult

from nats.aio.client import Client
from nats.aio.subscription import Subscription
from nats.aio.transport import Transport

from .protocol import Deliver, Reader

PENDING_BYTES = 16 * 1024 * 1024
"""What is kept for a NATS that is away or does not read; more is dropped and counted."""
CLOSE_SECONDS = 2.0
"""A server that does not read gets no more time than this for what it has not taken."""


class _Connection(asyncio.Protocol):
    """One TCP connection. What is not ours waits in ``control`` for nats-py's reading task."""

    def __init__(self, deliveries: Mapping[bytes, Deliver]) -> None:
        loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.control = bytearray()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.problem: Exception | None = None
        self._loop = loop
        self._awaited: asyncio.Future[None] | None = None
        self._reader = Reader(deliveries, self.control.extend)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is none by inheritance

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
        except Exception as error:
            self.problem = error
            self.abort()
        if self.control:
            self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self.problem = self.problem or exc
        if not self.ended.done():
            self.ended.set_result(None)
        self._wake()

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def _wake(self) -> None:
        if self._awaited is not None and not self._awaited.done():
            self._awaited.set_result(None)

    async def more(self) -> bool:
        """Wait for more of what is nats-py's. False: the connection has ended. Raises what ended it."""
        if not self.ended.done():
            self._awaited = self._loop.create_future()
            await self._awaited
        if not self.ended.done():
            return True
        if self.problem is None or self.control:
            return False
        if isinstance(self.problem, OSError):
            raise self.problem
        raise ConnectionError("the connection cannot be read") from self.problem

    def take(self, size: int) -> bytes:
        taken = bytes(self.control[:size])
        del self.control[:size]
        return taken


class Wire(Transport):
    """What nats-py sees of the connection; the same object over all reconnects."""

    def __init__(self, deliveries: Mapping[bytes, Deliver]) -> None:
        self._deliveries = deliveries
        self._connection: _Connection | None = None

    @property
    def _transport(self) -> asyncio.Transport | None:
        return None if self._connection is None else self._connection.transport

    @property
    def is_open(self) -> bool:
        transport = self._transport
        return transport is not None and not transport.is_closing()

    @property
    def unsent(self) -> int:
        """Bytes that the server's socket has not taken yet."""
        transport = self._transport
        return 0 if transport is None or transport.is_closing() else transport.get_write_buffer_size()

    def __bool__(self) -> bool:
        return True

    async def connect(self, uri: ParseResult, buffer_size: int, connect_timeout: float) -> None:
        if uri.hostname is None or uri.port is None:
            raise ConnectionError("the URL names no host or no port")
        opening = asyncio.get_running_loop().create_connection(
            lambda: _Connection(self._deliveries), uri.hostname, uri.port
        )
        _, self._connection = await asyncio.wait_for(opening, connect_timeout)

    async def connect_tls(
        self, uri: str | ParseResult, ssl_context: ssl.SSLContext, buffer_size: int, connect_timeout: float
    ) -> None:
        connection = self._connection
        if connection is None or connection.transport is None:
            raise ConnectionError("not connected")
        upgrading = asyncio.get_running_loop().start_tls(
            connection.transport, connection, ssl_context,
            server_hostname=uri if isinstance(uri, str) else uri.hostname,
        )  # fmt: skip
        connection.transport = await asyncio.wait_for(upgrading, connect_timeout)

    def write(self, payload: bytes) -> None:
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.write(payload)

    def writelines(self, payload: list[bytes]) -> None:
        self.write(b"".join(payload))

    async def drain(self) -> None:
        """The transport sends by itself; ``BusClient.send`` looks at how much it holds."""

    async def read(self, buffer_size: int) -> bytes:
        connection = self._connection
        assert connection is not None
        while not connection.control and await connection.more():
            pass
        return connection.take(len(connection.control))

    async def readline(self) -> bytes:
        connection = self._connection
        assert connection is not None
        while b"\n" not in connection.control and await connection.more():
            pass
        return connection.take(connection.control.find(b"\n") + 1)

    def at_eof(self) -> bool:
        connection = self._connection
        return connection is None or (connection.ended.done() and not connection.control and not connection.problem)

    def close(self) -> None:
        transport = self._transport
        if transport is not None:
            transport.close()

    async def wait_closed(self) -> None:
        connection = self._connection
        if connection is None:
            return
        await asyncio.wait([connection.ended], timeout=CLOSE_SECONDS)
        if not connection.ended.done():
            connection.abort()
            await connection.ended


class BusClient(Client):
    """nats-py is pinned; ``test_bus`` and ``test_connection`` fail if what is overridden here moves."""

    def __init__(self) -> None:
        super().__init__()
        self._deliveries: dict[bytes, Deliver] = {}
        self._transport = self.wire = Wire(self._deliveries)

    async def listen(self, subject: str, queue: str, deliver: Deliver) -> Subscription:
        """As ``subscribe``, with ``deliver`` called as each message is read; no queue and no task for it."""
        sid = b"%d" % (self._sid + 1)  # before the server can hear of it
        self._deliveries[sid] = deliver
        try:
            return await self.subscribe(subject, queue=queue)
        except BaseException:
            del self._deliveries[sid]
            raise

    def send(self, lines: list[bytes]) -> bool:
        """A tick's messages in one write; kept until there is a server. False: closed, or too much waits already."""
        data = b"".join(lines)
        waits = self._pending_data_size + self.wire.unsent
        if self.is_closed or (waits and waits + len(data) > PENDING_BYTES):
            return False
        self._pending.append(data)
        self._pending_data_size += len(data)
        self._write()
        return True

    def _write(self) -> None:
        if self._pending and self.is_connected and self.wire.is_open:
            self.wire.writelines(self._pending)
            self._pending = []
            self._pending_data_size = 0

    async def _flush_pending(self, force_flush: bool = False) -> Any:
        """nats-py would wake a task that writes."""
        self._write()

    async def _send_ping(self, future: asyncio.Future[Any] | None = None) -> None:
        """Behind what waits, and not before the server knows us; a flush waits for its limit then."""
        if self.is_connected:
            self._pongs.append(asyncio.get_running_loop().create_future() if future is None else future)
            await self._send_command(b"PING\r\n")
            self._write()

    async def _process_pong(self) -> None:
        """nats-py ends its read loop, and is deaf until its pings go stale, when a PONG comes after the flush that
        asked for it was given up; here such a PONG is only counted."""
        if self._pongs and self._pongs[0].done():
            self._pongs.pop(0)
            self._pongs_received += 1
            self._pings_outstanding = 0
        else:
            await super()._process_pong()

    def _remove_sub(self, sid: int, max_msgs: int = 0) -> None:
        super()._remove_sub(sid, max_msgs)
        self._deliveries.pop(b"%d" % sid, None)
