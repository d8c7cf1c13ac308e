"""Commands that are a process over several streams (sign-in, opening a room): tasks, bounded, with one answer each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Refused

from .failures import DATABASE_AWAY

log = logging.getLogger(__name__)

MOST_AT_ONCE = 1_000
"""The next one is answered UNAVAILABLE and comes again."""


class Processes:
    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        """Everything that runs, reads of single streams included; a drain waits for all of it."""
        self._most = most
        self._running = 0

    def run(self, work: Awaitable[Answer], reply: Callable[[Answer], None]) -> None:
        """Answer with what ``work`` returns; UNAVAILABLE when the database is away, INTERNAL for a fault of ours."""
        if self._running >= self._most:
            if isinstance(work, Coroutine):
                work.close()
            reply(Refused(RefusalCode.UNAVAILABLE))
            return
        self._running += 1
        self.spawn(self._answer(work, reply))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _answer(self, work: Awaitable[Answer], reply: Callable[[Answer], None]) -> None:
        try:
            answer = await work
        except DATABASE_AWAY as error:
            log.warning("a process met %s", type(error).__name__)
            answer = Refused(RefusalCode.UNAVAILABLE)
        except Exception:
            log.exception("a process failed")
            answer = Refused(RefusalCode.INTERNAL)
        finally:
            self._running -= 1
        reply(answer)
