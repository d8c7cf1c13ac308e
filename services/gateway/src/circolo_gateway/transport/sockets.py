"""All sockets of the process: the handshake, how many there are, and how they are drained."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.websockets import WebSocket

from . import messages
from .operations import Operations
from .origins import Origins
from .session import Application, Identity
from .websocket import Connection, SocketBounds

LONGEST_PAUSE = 0.1
"""Seconds between two closes of a drain: a few sockets need no long one."""


class Sockets:
    def __init__(
        self, application: Application, operations: Operations, origins: Origins, bounds: SocketBounds
    ) -> None:
        self._application = application
        self._operations = operations
        self._origins = origins
        self._bounds = bounds
        self._live: set[Connection] = set()
        self._draining = False

    def __len__(self) -> int:
        return len(self._live)

    @property
    def operations(self) -> int:
        return sum(len(connection.operations) for connection in self._live)

    @property
    def players(self) -> set[str]:
        """Who has one, signed in."""
        return {connection.identity.player for connection in self._live if connection.identity.player is not None}

    def forbid(self, whose: Callable[[Identity], bool]) -> None:
        """Close those of whom it says so, with 4403."""
        for connection in [each for each in self._live if whose(each.identity)]:
            connection.end(messages.FORBIDDEN, "The token was recalled")

    async def __call__(self, socket: WebSocket) -> None:
        """The endpoint. Refused before the upgrade: foreign origins (403) and everybody while draining (503)."""
        if self._draining:
            await _refuse(socket, 503)
            return
        if not self._origins.allows(socket.headers):
            await _refuse(socket, 403)
            return
        if messages.PROTOCOL not in socket.scope.get("subprotocols", []):
            await socket.accept()
            await socket.close(messages.SUBPROTOCOL_NOT_ACCEPTABLE, "Subprotocol not acceptable")
            return
        await socket.accept(subprotocol=messages.PROTOCOL)
        connection = Connection(socket, self._application, self._operations, self._bounds)
        self._live.add(connection)
        try:
            await connection.serve()
        finally:
            self._live.discard(connection)

    async def drain(self, window: float) -> None:
        """No new sockets; live ones are closed with 1012, spread over at most ``window`` seconds, each after what is
        queued for it, so that their clients do not all come back at once."""
        self._draining = True
        waiting = list(self._live)
        pause = min(window / len(waiting), LONGEST_PAUSE) if waiting else 0.0
        for connection in waiting:
            connection.end(messages.RESTART, "Service restart")
            await asyncio.sleep(pause)
        while self._live:
            await asyncio.sleep(0.01)


async def _refuse(socket: WebSocket, status: int) -> None:
    await socket.receive()  # websocket.connect
    await socket.send({"type": "websocket.http.response.start", "status": status, "headers": []})
    await socket.send({"type": "websocket.http.response.body", "body": b""})
