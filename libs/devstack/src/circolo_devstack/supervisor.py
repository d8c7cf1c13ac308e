"""Keeps programs running: watches them, starts a crashed one again with back-off, stops all in order.

One thread does everything, because the kernel ties a child to the thread that started it. What it knows is read by
others through ``snapshot``.
"""

from __future__ import annotations

import http.client
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from .children import Child, tail

StopSteps = Sequence[tuple[signal.Signals, float]]
"""Signals, each with the seconds that it gets."""

FIRST_DELAY = 0.2
LONGEST_DELAY = 10.0
HEALTHY_RESET = 30.0
"""Seconds of health after which a crash counts as the first again."""
GRACE_SECONDS = 15.0
STOP_STEPS: StopSteps = ((signal.SIGTERM, GRACE_SECONDS),)
START_SECONDS = 60.0
HOPELESS_STARTS = 5
"""Crashes before it was ever ready, after which a start is given up."""
WRONG_SETTING = 2
"""The exit code of a service whose settings are wrong: trying again is of no use."""
TICK = 0.05
SERVER_TIER = 0
"""Programs of this tier keep data: they get their time to stop even when the rest is killed."""
PROBE_SECONDS = 1.0
"""How often a ready program is asked again; one that is not yet ready is asked each tick."""


class StartFailed(Exception):
    """The stack did not come up; the text says which program, where its log is and how that ends."""


class Program(Protocol):
    """Something that can be started again and again."""

    @property
    def name(self) -> str: ...

    @property
    def log(self) -> Path: ...

    @property
    def tier(self) -> int:
        """The highest is stopped first; programs of one tier stop together."""
        ...

    @property
    def stop_steps(self) -> StopSteps: ...

    def start(self) -> Child: ...

    def is_ready(self) -> bool: ...


@dataclass(frozen=True)
class Backoff:
    first: float = FIRST_DELAY
    longest: float = LONGEST_DELAY
    reset_after: float = HEALTHY_RESET

    def delay(self, crashes: int) -> float:
        """Seconds to wait after the ``crashes``-th crash in a row, counted from 1."""
        return float(min(self.longest, self.first * 2 ** min(crashes - 1, 30)))


@dataclass
class Watched:
    """What the supervisor knows of one program."""

    program: Program
    child: Child | None = None
    ready: bool = False
    was_ready: bool = False
    restarts: int = 0
    crashes: int = 0
    """In a row, since it was last healthy for long."""
    start_at: float = 0.0
    ready_since: float = 0.0
    probe_at: float = 0.0
    last_exit: int | None = field(default=None)

    @property
    def pid(self) -> int | None:
        return self.child.pid if self.child else None


class Supervisor:
    """``start()``, ``wait_ready()``, then ``stop()``. ``say`` gets one line for every crash and restart."""

    def __init__(
        self,
        programs: Sequence[Program],
        *,
        say: Callable[[str], None],
        changed: Callable[[], None] = lambda: None,
        backoff: Backoff | None = None,
        hurry: threading.Event | None = None,
    ) -> None:
        self._watched = [Watched(program) for program in programs]
        self._say = say
        self._changed = changed
        self._backoff = backoff or Backoff()
        self._stopping = threading.Event()
        self._ended = threading.Event()
        self._hurry = hurry or threading.Event()
        self._tick = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="circolo-supervisor")

    def adopt(self, name: str, child: Child) -> None:
        """A program that is running already, started by whoever lives as long as we do. Before ``start``."""
        watched = self._find(name)
        watched.child, watched.ready, watched.was_ready = child, True, True
        watched.ready_since = time.monotonic()

    def start(self) -> None:
        self._thread.start()

    def snapshot(self) -> list[Watched]:
        """Copies, in starting order."""
        return [replace(watched) for watched in self._watched]

    def _find(self, name: str) -> Watched:
        return next(watched for watched in self._watched if watched.program.name == name)

    def pid(self, name: str) -> int | None:
        """None while it is down. Raises StopIteration for a program that is not there."""
        return self._find(name).pid

    def wait_ready(self, timeout: float = START_SECONDS, seen: Callable[[str], None] = lambda _name: None) -> None:
        """Until all are ready, telling ``seen`` of each. Raises StartFailed; the caller then stops."""
        deadline = time.monotonic() + timeout
        told: set[str] = set()
        while True:
            watched = self.snapshot()
            for one in watched:
                if one.ready and one.program.name not in told:
                    told.add(one.program.name)
                    seen(one.program.name)
                self._check_hope(one)
            if all(one.ready for one in watched):
                return
            if time.monotonic() > deadline:
                waiting = ", ".join(f"{one.program.name} ({one.program.log})" for one in watched if not one.ready)
                raise StartFailed(f"not ready after {timeout:.0f} s: {waiting}")
            with self._tick:
                self._tick.wait(TICK)
            if self._stopping.is_set():
                raise StartFailed("stopped while starting")

    @staticmethod
    def _check_hope(one: Watched) -> None:
        hopeless = one.last_exit == WRONG_SETTING or one.crashes >= HOPELESS_STARTS
        if not one.was_ready and hopeless:
            raise StartFailed(
                f"{one.program.name} does not start ({_ended(one.last_exit)}), see {one.program.log}:\n"
                f"{tail(one.program.log)}"
            )

    def wait_end(self) -> None:
        """Until somebody calls ``stop``. Raises StartFailed when the watching ends by itself."""
        self._ended.wait()
        if not self._stopping.is_set():
            raise StartFailed("the supervisor ended unexpectedly; everything was stopped")

    def stop(self) -> None:
        """Stop everything, highest tier first; return when nothing runs. ``hurry``, once set, kills the services."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._ended.wait()  # not join(): in Python 3.11 an interrupted join takes a living thread for ended

    def _run(self) -> None:
        try:
            while not self._stopping.wait(TICK):
                changes = [self._attend(watched) for watched in self._watched]
                self._announce(any(changes))
        finally:
            try:
                self._stop_all()
                self._announce(True)
            finally:
                self._ended.set()

    def _announce(self, changed: bool) -> None:
        with self._tick:
            self._tick.notify_all()
        if changed:
            self._changed()

    def _attend(self, watched: Watched) -> bool:
        """One look at one program; True when something about it changed."""
        now = time.monotonic()
        child = watched.child
        if child is None:
            if now < watched.start_at:
                return False
            return self._start(watched)
        if child.exit_code is not None:
            self._crashed(watched, child.exit_code, now)
            return True
        if now < watched.probe_at:
            return False
        return self._probe(watched, now)

    def _start(self, watched: Watched) -> bool:
        try:
            child = watched.program.start()
        except Exception as error:  # whatever a program's start raises is a failed start of it, tried again
            self._say(f"{watched.program.name} could not be started: {error}")
            self._schedule(watched, time.monotonic())
            return True
        if watched.restarts or watched.last_exit is not None:
            self._say(f"{watched.program.name} started again (process {child.pid})")
        watched.child = child
        watched.probe_at = 0.0
        return True

    def _crashed(self, watched: Watched, code: int, now: float) -> None:
        assert watched.child is not None
        watched.child.kill_group()
        if watched.ready and now - watched.ready_since >= self._backoff.reset_after:
            watched.crashes = 0
        watched.child, watched.ready, watched.last_exit = None, False, code
        watched.restarts += 1
        delay = self._schedule(watched, now)
        self._say(f"{watched.program.name} {_ended(code)}; again in {delay:.1f} s, log: {watched.program.log}")

    def _schedule(self, watched: Watched, now: float) -> float:
        watched.crashes += 1
        delay = self._backoff.delay(watched.crashes)
        watched.start_at = now + delay
        return delay

    def _probe(self, watched: Watched, now: float) -> bool:
        ready = watched.program.is_ready()
        if ready:
            watched.probe_at = now + PROBE_SECONDS
        if ready == watched.ready:
            return False
        watched.ready = ready
        watched.was_ready = watched.was_ready or ready
        watched.ready_since = now
        return True

    def _stop_all(self) -> None:
        running = [watched for watched in reversed(self._watched) if watched.child is not None]
        for tier in sorted({watched.program.tier for watched in running}, reverse=True):
            group = [_Stop(watched) for watched in running if watched.program.tier == tier]
            while group:
                hurry = self._hurry.is_set() and tier > SERVER_TIER
                group = [stop for stop in group if not stop.is_done(hurry, self._say)]
                if group:
                    time.sleep(TICK / 5)


class _Stop:
    """One program on its way out: each signal in turn with its patience, then SIGKILL for the group."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._steps = list(watched.program.stop_steps)
        self._patience_ends = 0.0

    def is_done(self, hurry: bool, say: Callable[[str], None]) -> bool:
        child = self._watched.child
        assert child is not None
        late = time.monotonic() >= self._patience_ends
        if child.exit_code is None and not hurry:
            if not late:
                return False
            if self._steps:
                wanted, patience = self._steps.pop(0)
                self._patience_ends = time.monotonic() + patience
                child.send(wanted)
                return False
            say(f"{self._watched.program.name} did not stop in time and was killed")
        child.kill_group()
        self._watched.child, self._watched.ready = None, False
        return True


def _ended(code: int | None) -> str:
    if code is None:
        return "is not running"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with code {code}"


def answers_ready(port: int, path: str = "/readyz", host: str = "127.0.0.1") -> bool:
    """Whether the health page says 200, asked for at most half a second."""
    connection = http.client.HTTPConnection(host, port, timeout=0.5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
