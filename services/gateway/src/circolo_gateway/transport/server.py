"""uvicorn, run from our own code: no signal handlers of its own, no compression of frames, a port known at once."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

from .frames import Unusual, read_frame

MOST_UNSENT = 65_536
"""Bytes that one tick may gather for a socket; more has to wait in its ``Outgoing``."""


class DirectWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's protocol with a shorter way out for text: what one tick of the loop says goes out in one write.

    And a shorter way in: whoever sets ``heard`` gets each message as it is read (its text, or None for a binary one),
    without a queue and without reading being paused for it. It must return at once. Texts that come in one frame are
    read by ``frames``, which takes a third of the time; the library gets the other frames, each whole, and after the
    first that is not ordinary all that comes.

    It also lets the application cut off a peer that takes no byte: a polite close would wait for it for ever.
    Found by the application as ``scope["extensions"]["circolo.socket"]``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._most = self.config.ws_max_size
        self.heard: Callable[[str | None], None] | None = None
        self._reads_frames = False
        """From the handshake to the first frame that is not ordinary."""
        self._begun = b""
        """Of a frame whose end has not come."""
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        scope: Any = getattr(self, "scope", None)
        if scope is not None:
            scope["extensions"]["circolo.socket"] = self
            self._reads_frames = True

    def data_received(self, data: bytes) -> None:
        if not self._reads_frames:
            super().data_received(data)
            return
        if self._begun:
            data, self._begun = self._begun + data, b""
        at, size = 0, len(data)
        while at < size:
            begin = at
            at, read = read_frame(data, begin, self._most)
            if read is Unusual.INCOMPLETE:
                self._begun = data[begin:]
                return
            if read is Unusual.OTHER:
                self._reads_frames = False
                super().data_received(data[begin:])
                return
            if isinstance(read, Unusual) or not self._hear(read):
                super().data_received(data[begin:at])

    def _hear(self, payload: bytes) -> bool:
        """False when it is not to be heard directly: by nobody yet, after a close, or no UTF-8."""
        if self.heard is None or self.close_sent or not self.queue.empty() or self.conn.state is not State.OPEN:
            return False
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            return False  # the library closes with 1007
        self.heard(text)
        return True

    def send_receive_event_to_app(self) -> None:
        if self.heard is None or self.close_sent or not self.queue.empty():
            super().send_receive_event_to_app()
            return
        try:
            text = str(b"".join(self.frames), "utf-8") if self.curr_msg_data_type == "text" else None
        except UnicodeDecodeError:
            if self.conn.state is State.OPEN:  # the peer's close may have come with it
                super().send_receive_event_to_app()  # closes with 1007
            return
        self.frames = []
        self.heard(text)

    def abort(self) -> None:
        self.transport.abort()

    def is_writable(self) -> bool:
        """Whether ``write_text`` may be called now; ``until_writable`` waits for it."""
        return self.writable.is_set() and self._unsent_bytes < MOST_UNSENT

    async def until_writable(self) -> None:
        while not self.is_writable():
            await (self.writable.wait() if not self.writable.is_set() else asyncio.sleep(0))

    def write_text(self, text: bytes) -> None:
        """One text frame (UTF-8), in this tick's write. What the peer can no longer take is dropped: the reader is
        told."""
        self._unsent += (_text_header(len(text)), text)
        if not self._unsent_bytes:
            self.loop.call_soon(self._write_unsent)
        self._unsent_bytes += len(text) + 1

    def _write_unsent(self) -> None:
        if not self._unsent:
            return
        output, self._unsent, self._unsent_bytes = b"".join(self._unsent), [], 0
        if not self.disconnected and not self.close_sent and not self.transport.is_closing():
            self.transport.write(output)

    async def send(self, message: ASGISendEvent) -> None:
        self._write_unsent()
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True  # refused on purpose: uvicorn would log it as a failure of ours


def _text_header(length: int) -> bytes:
    """RFC 6455, 5.2: a final text frame, not masked."""
    if length < 126:
        return bytes((0x81, length))
    if length < 65_536:
        return b"\x81\x7e" + length.to_bytes(2, "big")
    return b"\x81\x7f" + length.to_bytes(8, "big")


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are the process's own business: it drains first."""
        yield


class HttpServer:
    """``start`` returns when it listens; ``stop`` when the last answer is out or ``drain`` seconds are over."""

    def __init__(self, app: ASGIApp, *, host: str, port: int, max_message: int, drain: float) -> None:
        self._config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http="httptools",
            ws=DirectWebSocket,
            ws_max_size=max_message,
            ws_per_message_deflate=False,
            ws_ping_interval=20.0,
            ws_ping_timeout=20.0,
            lifespan="off",
            log_config=None,
            access_log=False,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=max(1, round(drain)),
            timeout_keep_alive=30,
        )
        self._server = _Uvicorn(self._config)
        self._socket: socket.socket | None = None
        self._port = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        return self._port

    async def start(self) -> None:
        """Raises OSError when the address is taken."""
        family = socket.AF_INET6 if ":" in self._config.host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind((self._config.host, self._config.port))
        self._port = int(self._socket.getsockname()[1])
        self._task = asyncio.get_running_loop().create_task(self._server.serve([self._socket]))
        while not self._server.started and not self._task.done():
            await asyncio.sleep(0.005)
        if self._task.done():
            self._task.result()

    async def stop(self) -> None:
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        if self._socket is not None:
            self._socket.close()
