"""Work that is done again and again: once after each pause, until it is stopped. A failure is logged, never fatal."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from circolo_events.failures import explain, passes

log = logging.getLogger(__name__)


class Round:
    def __init__(self, name: str, seconds: float, work: Callable[[], Awaitable[object]]) -> None:
        self.name = name
        self.seconds = seconds
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._problem = ""

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"round {self.name}")

    async def stop(self, timeout: float = 5.0) -> None:
        """Let the round at work finish; what it does can be done again, so it is cut off when it does not."""
        self._stopping.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=timeout)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                await self._work()
                self._problem = ""
            except Exception as error:
                self._report(error)
            try:
                async with asyncio.timeout(self.seconds):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    def _report(self, error: Exception) -> None:
        problem = explain(error)
        if problem != self._problem:
            self._problem = problem
            log.error("%s: %s", self.name, problem, exc_info=None if passes(error) else error)
