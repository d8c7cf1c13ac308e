"""What waits to be sent to one socket. Frames keep their order and none is dropped.

While the socket takes what it is given, a frame is written at once and nothing waits here. Above ``soft`` bytes the
operations of the socket pause, so that their streams coalesce; above ``hard`` bytes, or when nothing was taken for
``stalled`` seconds, the socket is closed as too slow.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol


class Socket(Protocol):
    """One connection (``server.DirectWebSocket``)."""

    heard: Callable[[str | None], None] | None
    """Gets every message that comes from now on."""

    def is_writable(self) -> bool: ...

    async def until_writable(self) -> None: ...

    def write_text(self, text: bytes) -> None: ...

    def abort(self) -> None: ...


class Outgoing:
    def __init__(self, socket: Socket, *, soft: int, hard: int, stalled: float, too_slow: Callable[[], None]) -> None:
        self._socket = socket
        self._soft = soft
        self._hard = hard
        self._stalled = stalled
        self._too_slow = too_slow
        self._frames: deque[bytes] = deque()
        self._held = 0
        self._more = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._over = False

    @property
    def held(self) -> int:
        """Bytes that wait."""
        return self._held

    @property
    def is_free(self) -> bool:
        """Whether the next frame would be written at once."""
        return not self._frames and not self._over and self._socket.is_writable()

    def put(self, frame: bytes) -> None:
        """Queue a frame; nothing after the socket was found too slow or closed."""
        if self._over:
            return
        if not self._frames and self._socket.is_writable():
            self._socket.write_text(frame)
            return
        self._frames.append(frame)
        self._held += len(frame)
        self._idle.clear()
        self._more.set()
        if self._held > self._hard:
            self._give_up()
        elif self._held > self._soft:
            self._room.clear()

    @property
    def has_room(self) -> bool:
        """Whether less than ``soft`` bytes wait."""
        return self._room.is_set()

    async def room(self) -> None:
        """Wait until less than ``soft`` bytes wait; for ever once it has ended: who waits is being stopped."""
        await self._room.wait()

    async def sent(self) -> None:
        """Wait until nothing waits any more."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write until cancelled; returns when the socket is too slow or gone."""
        while not self._over:
            if not self._frames:
                self._more.clear()
                await self._more.wait()
                continue
            try:
                async with asyncio.timeout(self._stalled):
                    await self._socket.until_writable()
            except TimeoutError:
                self._give_up()
                return
            while self._frames and self._socket.is_writable():
                frame = self._frames.popleft()
                self._held -= len(frame)
                self._socket.write_text(frame)
            if self._held <= self._soft:
                self._room.set()
            if not self._frames:
                self._idle.set()

    def end(self) -> None:
        """Take no more."""
        self._over = True
        self._frames.clear()
        self._held = 0
        self._room.clear()
        self._idle.set()
        self._more.set()

    def _give_up(self) -> None:
        self.end()
        self._too_slow()
