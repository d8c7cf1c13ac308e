"""A child process of the stack: a log file of its own, a process group of its own, and it never outlives us."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

LAUNCHER = Path(__file__).with_name("launch.py")
LOG_LIMIT = 8 * 1024 * 1024
"""Bytes; a longer log is moved to ``<name>.log.1`` when its process is started again."""


@dataclass(frozen=True)
class User:
    """The system user that a child runs as."""

    uid: int
    gid: int


def open_log(path: Path) -> IO[bytes]:
    """Open for appending, readable by its owner only; the previous one is kept once when it grew too long."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_name(path.name + ".1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "ab")


def tail(path: Path, lines: int = 5) -> str:
    """The last lines of a log, for an error message."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - 4096))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


class Child:
    """A started process. The kernel's parent-death signal is bound to the *thread* that started it: start children
    from a thread that lives as long as they should."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.name = name
        self.log = log
        self._process = process
        self._group_ended = False

    @classmethod
    def start(
        cls,
        name: str,
        argv: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str],
        user: User | None = None,
        cwd: Path | None = None,
        death_signal: signal.Signals = signal.SIGKILL,
    ) -> Child:
        """Start ``argv`` (an absolute program) with exactly ``env``. A program that cannot run exits with 127."""
        owner = user or User(-1, -1)
        launcher = [sys.executable, "-I", "-S", str(LAUNCHER)]
        numbers = [str(number) for number in (os.getpid(), int(death_signal), owner.uid, owner.gid)]
        with open_log(log) as output:
            process = subprocess.Popen(
                [*launcher, *numbers, *(str(word) for word in argv)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=dict(env), cwd=cwd, process_group=0,
            )  # fmt: skip
        return cls(name, process, log)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; negative: ended by that signal."""
        return self._process.poll()

    def wait(self, timeout: float) -> bool:
        """True when it has ended within ``timeout`` seconds."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        return True

    def send(self, wanted: signal.Signals) -> None:
        """To the process alone; it passes on to its own children what they should know."""
        if self.exit_code is None:
            self._process.send_signal(wanted)

    def stop(self, steps: Sequence[tuple[signal.Signals, float]]) -> None:
        """Each signal in turn with its patience in seconds, then SIGKILL for the whole group."""
        for wanted, patience in steps:
            self.send(wanted)
            if self.wait(patience):
                break
        self.kill_group()

    def kill_group(self) -> None:
        """Whatever is left of the process and of its group. Only the first call acts: later the number of the group
        may be another's."""
        if self._group_ended:
            return
        self._group_ended = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
