"""An embedded PostgreSQL: a cluster made once, then served on a loopback port with passwords and with fsync.

No Unix socket and no address but 127.0.0.1. As root it runs as another user, see ``places``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .binaries import PostgresBinaries
from .children import LAUNCHER, Child, User, tail
from .places import make_owned
from .ports import LOOPBACK, kept_or_free

SUPERUSER = "postgres"
MAX_CONNECTIONS = 200
START_SECONDS = 60.0
"""Recovery after a crash is part of the start."""
BIND_ATTEMPTS = 5
STOP_STEPS = ((signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0))
"""Fast shutdown (sessions ended, checkpoint written), then the immediate one."""
POLL_SECONDS = 0.01
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": os.defpath}


class ServerFailed(Exception):
    """An embedded server did not start. The text ends with the last lines of its log."""


@dataclass(frozen=True)
class Cluster:
    """A data folder, who serves it, and its superuser's password."""

    binaries: PostgresBinaries
    data: Path
    user: User | None
    password: str

    @property
    def exists(self) -> bool:
        return (self.data / "PG_VERSION").exists()


def make_cluster(cluster: Cluster, *, sync: bool = True) -> None:
    """initdb in an empty data folder. Half a folder, left by a killed initdb, is made anew. 0.6 to 2 seconds.

    Raises ServerFailed.
    """
    for left in cluster.data.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    handle, name = tempfile.mkstemp()  # initdb reads it as its own user, so it goes beside nothing private
    password_file = Path(name)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(cluster.password)
        if cluster.user is not None:
            os.chown(password_file, cluster.user.uid, cluster.user.gid)
        _initdb(cluster, password_file, sync)
    finally:
        password_file.unlink()


def _initdb(cluster: Cluster, password_file: Path, sync: bool) -> None:
    owner = cluster.user or User(-1, -1)
    numbers = [str(number) for number in (os.getpid(), int(signal.SIGKILL), owner.uid, owner.gid)]
    command = [
        str(cluster.binaries.bin / "initdb"), "-D", str(cluster.data), "-U", SUPERUSER, "-A", "scram-sha-256",
        f"--pwfile={password_file}", "--encoding=UTF8", "--locale=C", *([] if sync else ["--no-sync"]),
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER), *numbers, *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=ENVIRONMENT, cwd="/", check=False,
    )  # fmt: skip
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-5:])
        raise ServerFailed(f"initdb could not make {cluster.data}:\n{last}")


class Postgres:
    """One server over one cluster. ``start`` returns at once; ``wait_ready`` says when it answers."""

    name = "postgres"
    tier = 0
    stop_steps = STOP_STEPS

    def __init__(self, cluster: Cluster, *, log: Path, port: int | None = None, fsync: bool = True) -> None:
        self.cluster = cluster
        self.port = kept_or_free(port)
        self.log = log
        self._fsync = fsync
        self._child: Child | None = None

    @property
    def url(self) -> str:
        """The superuser's, on the maintenance database."""
        return f"postgresql://{SUPERUSER}:{self.cluster.password}@{LOOPBACK}:{self.port}/postgres"

    @property
    def child(self) -> Child | None:
        return self._child

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child and self._child.exit_code is None else None

    def start(self) -> Child:
        """Spawn it, after whoever still serves this folder (a killed supervisor's, shutting down) has gone."""
        self._await_former()
        argv: list[str | Path] = [self.cluster.binaries.bin / "postgres", "-D", self.cluster.data]
        for name, value in self.settings().items():
            argv += ["-c", f"{name}={value}"]
        self._child = Child.start(
            "postgres", argv, log=self.log, env=ENVIRONMENT, user=self.cluster.user, cwd=Path("/"),
            death_signal=signal.SIGINT,
        )  # fmt: skip
        return self._child

    def settings(self) -> dict[str, str]:
        """What the server is started with, over its configuration file."""
        return {
            "listen_addresses": LOOPBACK, "port": str(self.port), "unix_socket_directories": "",
            "max_connections": str(MAX_CONNECTIONS), "fsync": "on" if self._fsync else "off", "jit": "off",
            "timezone": "UTC", "log_timezone": "UTC", "logging_collector": "off", "log_destination": "stderr",
            "cluster_name": "circolo",
        }  # fmt: skip

    def _await_former(self) -> None:
        deadline = time.monotonic() + STOP_STEPS[0][1]
        while (former := self._recorded_pid()) is not None and _serves(former, self.cluster.data):
            if time.monotonic() > deadline:
                raise ServerFailed(f"another PostgreSQL (process {former}) still serves {self.cluster.data}")
            time.sleep(0.05)

    def _status(self) -> list[str]:
        try:
            return (self.cluster.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _recorded_pid(self) -> int | None:
        lines = self._status()
        return int(lines[0]) if lines and lines[0].strip().isdigit() else None

    def is_ready(self) -> bool:
        """It accepts connections: its own pid file says so, without a connection being made."""
        lines = self._status()
        return len(lines) >= 8 and lines[0].strip() == str(self.pid) and lines[7].strip() == "ready"

    def wait_ready(self, timeout: float = START_SECONDS) -> None:
        """Raises ServerFailed. A port lost between choosing and binding is replaced by another."""
        deadline = time.monotonic() + timeout
        attempts = 1
        while not self.is_ready():
            if self.pid is None:
                if attempts == BIND_ATTEMPTS or "could not bind" not in tail(self.log, 10):
                    raise ServerFailed(f"PostgreSQL ended while starting, see {self.log}:\n{tail(self.log)}")
                attempts += 1
                self.port = kept_or_free(None)
                self.start()
            elif time.monotonic() > deadline:
                raise ServerFailed(f"PostgreSQL is not ready after {timeout:.0f} s, see {self.log}")
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop(STOP_STEPS)
            self._child = None

    def kill(self) -> None:
        """As a crash of the machine would (for tests)."""
        if self._child is not None:
            self._child.kill_group()
            self._child = None


def _serves(pid: int, data: Path) -> bool:
    """Whether the process is alive and is a server of this folder (the number may be another's by now)."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return str(data).encode() in words


def prepared(data: Path, user: User | None) -> Path:
    """The data folder, made and owned as the server wants it."""
    return make_owned(data, user) if not data.exists() else data
