"""Whoever reads a subscription in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from circolo_gateway.streams.update import NotShown, Update
from circolo_gateway.transport.steps import Steps


async def until(true: Callable[[], bool], seconds: float = 4.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


class Reader:
    """Reads a subscription in a task of its own; ``ended`` is what it ended with."""

    def __init__(self, updates: Any, pause: float = 0.0) -> None:
        self.got: list[Update] = []
        self.ended: BaseException | None = None
        self.pause = pause
        self.straight = 0
        if isinstance(updates, Steps):
            updates.deliver = self._take
        self.task = asyncio.create_task(self._read(updates))

    async def _read(self, updates: Any) -> None:
        try:
            async with aclosing(updates) as source:
                async for update in source:
                    self.got.append(update)
                    await asyncio.sleep(self.pause)
        except NotShown as refusal:
            self.ended = refusal

    def _take(self, update: Update) -> bool:
        """A step past the task, now and then refused as by a socket that is full."""
        self.straight += 1
        if self.pause or self.straight % 7 == 0:
            return False
        self.got.append(update)
        return True

    @property
    def versions(self) -> list[int]:
        return [update.version for update in self.got]

    async def reaches(self, version: int, seconds: float = 4.0) -> None:
        await until(lambda: bool(self.got) and self.got[-1].version >= version, seconds)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
