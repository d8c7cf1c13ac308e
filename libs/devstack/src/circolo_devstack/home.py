"""The state folder (`./.circolo`): data, keys, passwords, ports, logs, and who is using it now."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from .passwords import Passwords, write_private
from .places import forget_data_folder

DEFAULT = Path(".circolo")


class AlreadyRunning(Exception):
    """Another process uses this state folder; the text says which."""


class Home:
    """Paths and small files of one state folder. Nothing is made before ``open``."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def keys(self) -> Path:
        return self.path / "keys"

    @property
    def nats(self) -> Path:
        return self.path / "nats"

    @cached_property
    def passwords(self) -> Passwords:
        return Passwords(self.path / "passwords.json")

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def open(self) -> None:
        """Make the folder: private; as root another user may pass through it to the database's own folder."""
        mode = 0o711 if os.geteuid() == 0 else 0o700
        try:
            self.path.mkdir(parents=True, mode=mode)
        except FileExistsError:
            return
        self.path.chmod(mode)  # whatever the umask was

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder for ourselves. Raises AlreadyRunning at once; the kernel frees it when we die."""
        self.open()
        with (self.path / "lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunning(self.running_line()) from None
            yield

    def is_running(self) -> bool:
        lock = self.path / "lock"
        if not lock.exists():
            return False
        with lock.open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def running_line(self) -> str:
        """For a person: what runs here, where, as which process."""
        run = self.read_run()
        where = f" at {run['url']}" if run.get("url") else ""
        process = f" (process {run['pid']})" if run.get("pid") else ""
        return f"Circolo is already running on {self.path}{where}{process}."

    def read_ports(self) -> dict[str, int]:
        return self._read("ports.json")

    def write_ports(self, ports: dict[str, int]) -> None:
        write_private(self.path / "ports.json", json.dumps(ports, sort_keys=True).encode())

    def read_run(self) -> dict[str, Any]:
        """What ``circolo up`` says about itself; empty when there is none. Only meaningful while ``is_running``."""
        return self._read("run.json")

    def write_run(self, run: dict[str, Any]) -> None:
        """0600: it carries the servers' URLs."""
        write_private(self.path / "run.json", json.dumps(run, indent=1).encode())

    def clear_run(self) -> None:
        (self.path / "run.json").unlink(missing_ok=True)

    def _read(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads((self.path / name).read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def reset(self) -> None:
        """Remove everything, the database included. Raises AlreadyRunning."""
        with self.locked():
            forget_data_folder(self.path)
            for entry in self.path.iterdir():
                if entry.name == "lock":
                    continue
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        (self.path / "lock").unlink(missing_ok=True)
        self.path.rmdir()
