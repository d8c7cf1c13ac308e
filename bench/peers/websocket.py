"""The smallest graphql-transport-ws client that can load a server: no tasks, no queues, masks of zero.

A general client costs more than the server that it loads; this one leaves the cores to what is measured.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from typing import cast

OnText = Callable[[bytes], None]
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NO_MASK = bytes(4)
"""A mask of zeros leaves the payload as it is, which the protocol allows a client that is no browser."""


class Refused(Exception):
    """The server did not open the socket, or closed it; the text says how."""


def masked(opcode: int, payload: bytes) -> bytes:
    """One whole frame of a client."""
    length = len(payload)
    if length < 126:
        head = bytes((0x80 | opcode, 0x80 | length))
    elif length < 65536:
        head = bytes((0x80 | opcode, 0x80 | 126)) + length.to_bytes(2, "big")
    else:
        head = bytes((0x80 | opcode, 0x80 | 127)) + length.to_bytes(8, "big")
    return head + NO_MASK + payload


class Socket(asyncio.Protocol):
    """``on_text`` gets every whole text message, ``on_lost`` the reason when the connection ends unasked."""

    def __init__(self, on_text: OnText, on_lost: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._on_lost = on_lost
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._parts = bytearray()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed = False

    @classmethod
    async def connect(cls, host: str, port: int, path: str, on_text: OnText, on_lost: Callable[[str], None]) -> Socket:
        """Raises Refused or OSError."""
        _, socket = await asyncio.get_running_loop().create_connection(lambda: cls(on_text, on_lost), host, port)
        key = base64.b64encode(os.urandom(16)).decode()
        socket._write(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n".encode()
        )
        await socket._opened
        return socket

    def send(self, payload: bytes) -> None:
        """One text message."""
        self._write(masked(TEXT, payload))

    def close(self) -> None:
        self._closed = True
        if self._transport is not None:
            self._write(masked(CLOSE, (1000).to_bytes(2, "big")))
            self._transport.close()

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    # ------------------------------------------------------------ asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none of asyncio's classes

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._end(f"connection lost: {exc}")

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        if not self._opened.done() and not self._upgraded():
            return
        at = 0
        while (end := self._frame(at)) > at:
            at = end
        if at:
            del buffer[:at]

    def _upgraded(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        status = self._buffer.split(b"\r\n", 1)[0]
        del self._buffer[: end + 4]
        if b" 101 " not in status + b" ":
            self._end(status.decode("latin-1"))
            return False
        self._opened.set_result(None)
        return True

    def _frame(self, at: int) -> int:
        """Handle the frame that begins at ``at``; where the next begins, or ``at`` while it is not whole."""
        buffer = self._buffer
        have = len(buffer) - at
        if have < 2:
            return at
        first, length, body = buffer[at], buffer[at + 1], at + 2
        if length == 126:
            if have < 4:
                return at
            length, body = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
        elif length == 127:
            if have < 10:
                return at
            length, body = int.from_bytes(buffer[at + 2 : at + 10], "big"), at + 10
        end = body + length
        if len(buffer) < end:
            return at
        payload = bytes(memoryview(buffer)[body:end])
        if first == 0x80 | TEXT:
            self._on_text(payload)
        else:
            self._unusual(first & 15, bool(first & 0x80), payload)
        return end

    def _unusual(self, opcode: int, last: bool, payload: bytes) -> None:
        """Control frames, and messages in several frames."""
        if opcode == PING:
            self._write(masked(PONG, payload))
        elif opcode == CLOSE:
            self._end(f"closed by the server: {int.from_bytes(payload[:2], 'big')} {payload[2:].decode()}")
        elif opcode in (0, TEXT):
            self._parts += payload
            if last:
                whole, self._parts = bytes(self._parts), bytearray()
                self._on_text(whole)

    def _end(self, reason: str) -> None:
        if not self._opened.done():
            self._opened.set_exception(Refused(reason))
        elif not self._closed:
            self._closed = True
            self._on_lost(reason)
