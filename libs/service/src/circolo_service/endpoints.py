"""``/livez``, ``/readyz`` and ``/metrics`` on a port of their own, for processes that serve no other HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from .health import Health
from .prometheus import CONTENT_TYPE

MAX_HEAD = 8_192
"""Bytes of a request's head; a longer one is cut off with 431."""
READ_SECONDS = 5.0
MAX_CONNECTIONS = 64
"""Open at once; a further one has ``CROWDED_SECONDS`` to send its request, gets 503 and is closed."""
CROWDED_SECONDS = 0.2

_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
            431: "Request Header Fields Too Large", 503: "Service Unavailable"}  # fmt: skip
Answer = tuple[int, str, bytes]


class HealthEndpoints:
    """One request for each connection; nothing in it waits for a server."""

    def __init__(self, health: Health, metrics_text: Callable[[], str]) -> None:
        self.health = health
        self.metrics_text = metrics_text
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port. Raises OSError when it is taken."""
        self._server = await asyncio.start_server(self._connected, host, port, limit=MAX_HEAD)
        taken: int = self._server.sockets[0].getsockname()[1]
        return taken

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)
            await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            status, content_type, body = await self._answer(reader)
            head = (
                f"HTTP/1.1 {status} {_REASONS[status]}\r\ncontent-type: {content_type}\r\n"
                f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
            )
            writer.write(head.encode() + body)
            await asyncio.wait_for(writer.drain(), READ_SECONDS)
        except (OSError, TimeoutError):
            pass  # whoever asked has gone
        finally:
            self._open.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        crowded = len(self._open) > MAX_CONNECTIONS
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), CROWDED_SECONDS if crowded else READ_SECONDS)
        except asyncio.LimitOverrunError:
            return 431, "text/plain", b"the request's head is too long\n"
        except (TimeoutError, asyncio.IncompleteReadError):
            return 408, "text/plain", b"no whole request came\n"
        if crowded:
            return 503, "text/plain", b"too many connections\n"
        method, _, rest = head.split(b"\r\n", 1)[0].decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method not in ("GET", "HEAD"):
            return 405, "text/plain", b"GET only\n"
        status, content_type, body = self.respond(path)
        return status, content_type, b"" if method == "HEAD" else body

    def respond(self, path: str) -> Answer:
        """What a path answers: (HTTP status, content type, body)."""
        if path in ("/livez", "/readyz"):
            report = self.health.live() if path == "/livez" else self.health.ready()
            return report.http_status, "application/json", report.body()
        if path == "/metrics":
            return 200, CONTENT_TYPE, self.metrics_text().encode()
        return 404, "text/plain", b"here are /livez, /readyz and /metrics\n"
