"""HARD's thinking, away from the event loop: one search worker is asked, and a rule of thumb stands in for it.

A CPU never keeps a table waiting for its worker: with too many questions ahead, with no answer in time, with a worker
that has died or will not start, the answer is MEDIUM's, at once.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from circolo_contracts.cardgames import PlayCard
from circolo_contracts.rooms import CpuLevel
from circolo_events.telemetry import HotCounter
from msgspec import UNSET, MsgspecError
from opentelemetry import metrics

from circolo_cardgames.sight import Sight

from .choice import choose
from .frames import LENGTH_BYTES, READY, Answer, Question, answer_decoder, framed
from .search import Budget, Found

log = logging.getLogger(__name__)

BUDGET = Budget(plays=250_000, seconds=0.8)
"""About a quarter of a second on one core; never more than a second."""
WAITING = 8
"""Questions that may wait for the worker, the one that it thinks about included; further ones are answered by the
rule of thumb."""
PATIENCE_SECONDS = 2.5
"""From the question to the rule of thumb."""
HANG_SECONDS = 10.0
"""After which a worker that says nothing, asked again and again, is killed: no busy machine makes it wait so long."""
FIRST_REST_SECONDS, LONGEST_REST_SECONDS = 0.5, 30.0
"""Before a worker that died is started again: doubled each time it dies without having answered anything."""
STOP_SECONDS = 1.0
WORKER = (sys.executable, "-m", "circolo_cardgames.cpu.worker")

_decisions = HotCounter("circolo.cpu.decisions", "Moves of CPU players by how they were chosen", "game", "level", "by")
_playouts = HotCounter("circolo.cpu.playouts", "Deals that were played through in thought", "game")
_time = metrics.get_meter("circolo.cardgames").create_histogram(
    "circolo.cpu.decision.time", unit="ms", description="Of a search, without waiting for the worker"
)


class Thinker:
    """One for each service process. ``stop`` ends the worker; after it every answer is a rule of thumb's."""

    def __init__(
        self, *, budget: Budget = BUDGET, waiting: int = WAITING, patience: float = PATIENCE_SECONDS,
        hang: float = HANG_SECONDS, worker: Sequence[str] = WORKER,
    ) -> None:  # fmt: skip
        self.budget = budget
        self._waiting = waiting
        self._patience = patience
        self._hang = hang
        self._command = worker
        self._worker: _Worker | None = None
        self._rest = FIRST_REST_SECONDS
        self._rests_until = 0.0
        self._number = READY
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """Of the worker; None while there is none."""
        return None if self._worker is None else self._worker.pid

    async def choose(self, sight: Sight, level: CpuLevel, command_id: str) -> PlayCard | None:
        """As ``choice.choose``, with a search for HARD. The same question has the same answer as long as the search is
        not cut short by time or left out; when a deadline's second firing then asks for another card, its command
        has the id of the first and changes nothing.
        """
        move = choose(sight, level, command_id)
        if move is None:
            return None
        by = "rule"
        if level == "HARD" and self._has_choice(sight):
            found, by = await self._search(sight, command_id)
            if found is not None:
                move = found.move
                _playouts.add(found.playouts, sight.view.game)
                _time.record(found.seconds * 1000, {"game": sight.view.game})
        _decisions.add(1, sight.view.game, level, by)
        return move

    @staticmethod
    def _has_choice(sight: Sight) -> bool:
        moves = sight.view.legal_moves
        return moves is not UNSET and (len(moves) > 1 or any(len(move.captures) > 1 for move in moves))

    async def _search(self, sight: Sight, seed: str) -> tuple[Found | None, str]:
        """What the worker found, or None and why there is nothing."""
        until = time.monotonic() + self._patience
        worker = await self._ready_to_ask()
        if worker is None:
            return None, "away"
        if worker.waiting >= self._waiting:
            return None, "full"
        self._number += 1
        answer = await worker.ask(Question.of(sight, self._number, seed, self.budget, until))
        if answer is None:
            return None, "late" if worker.is_alive else "away"
        if answer.failed:
            log.error("the search failed on a position of %s: %s", sight.view.game, answer.failed)
            return None, "failed"
        self._rest, self._rests_until = FIRST_REST_SECONDS, 0.0  # one that answers may be followed at once
        return answer.found, "search" if answer.found is not None else "late"

    async def _ready_to_ask(self) -> _Worker | None:
        """The worker, started when there is none; None while it rests after a death."""
        worker = self._worker
        if worker is not None and worker.is_alive:
            return worker
        now = time.monotonic()
        if self._stopped or now < self._rests_until:
            return None
        if worker is not None:
            log.warning("the search worker is gone (exit code %s): another is started", worker.exit_code)
        self._rests_until = now + self._rest  # for this start; a worker that answers makes it short again
        self._rest = min(self._rest * 2, LONGEST_REST_SECONDS)
        fresh = self._worker = _Worker(self._command, self._hang)
        await fresh.start()
        return fresh if fresh.is_alive else None

    async def stop(self) -> None:
        self._stopped = True
        if self._worker is not None:
            await self._worker.stop()


class _Worker:
    """One process. Several questions may be on their way; it takes them in order."""

    def __init__(self, command: Sequence[str], hang: float) -> None:
        self._command = command
        self._hang = hang
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._asked: dict[int, asyncio.Future[Answer | None]] = {}
        self._started = asyncio.Event()
        self._gone = False
        self._silent_since: float | None = None
        """When it was first asked something since its last word."""

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def exit_code(self) -> int | None:
        return None if self._process is None else self._process.returncode

    @property
    def is_alive(self) -> bool:
        return not self._gone

    @property
    def waiting(self) -> int:
        return len(self._asked)

    async def start(self) -> None:
        """Without waiting for its first word."""
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdin=pipe, stdout=pipe)
            self._reader = asyncio.create_task(self._read(self._process), name="search worker")
        except OSError as error:
            log.error("the search worker cannot be started: %s", error.strerror)
            self._gone = True
        finally:
            self._started.set()

    async def ask(self, question: Question) -> Answer | None:
        """None when there is no answer by ``question.until``, or it died, or is being stopped."""
        await self._started.wait()  # an earlier question may just be starting it
        if self._gone or self._process is None or self._process.stdin is None or self._process.stdin.is_closing():
            return None
        answered: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._asked[question.number] = answered
        now = time.monotonic()
        if self._silent_since is None:
            self._silent_since = now
        try:
            self._process.stdin.write(framed(question))
            async with asyncio.timeout(question.until - now):
                return await answered
        except TimeoutError:
            if self._hangs():
                self._end()
            return None
        finally:
            self._asked.pop(question.number, None)

    def _hangs(self) -> bool:
        return self._silent_since is not None and time.monotonic() - self._silent_since >= self._hang

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        stdout = process.stdout
        assert stdout is not None
        try:
            while True:
                size = int.from_bytes(await stdout.readexactly(LENGTH_BYTES), "big")
                answer = answer_decoder.decode(await stdout.readexactly(size))
                self._silent_since = None
                waiting = self._asked.get(answer.number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        except (asyncio.IncompleteReadError, OSError, MsgspecError):
            pass  # it has died, or talks nonsense: its questions go unanswered
        finally:
            self._end()
            await process.wait()

    def _end(self) -> None:
        self._gone = True
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_result(None)

    async def stop(self) -> None:
        """It may end what it is thinking about, for a moment; then it is killed. It is gone when this returns."""
        if self._process is None or self._reader is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.close()
        await asyncio.wait([self._reader], timeout=STOP_SECONDS)
        self._end()
        await self._reader
