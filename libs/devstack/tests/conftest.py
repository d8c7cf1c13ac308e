"""A stand-in for every service (ready at once, ends on SIGTERM, follows files with orders), and state folders."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from circolo_devstack.services import SERVICES
from circolo_devstack.temporary import temporary_folder

FAKE = """
import json, os, signal, socket, sys
name = os.path.basename(os.path.dirname(__file__)).removeprefix("circolo_")
orders = os.path.join(os.environ["FAKE_ORDERS"], name)
if os.path.exists(orders + ".fail"):
    print("cannot do it", flush=True)
    sys.exit(int(open(orders + ".fail").read()))
with open(orders + ".env", "w") as file:
    json.dump(dict(os.environ), file)
def end(number, frame):
    with open(os.path.join(os.environ["FAKE_ORDERS"], "stopped"), "a") as file:
        file.write(name + "\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, signal.SIG_IGN if os.path.exists(orders + ".stubborn") else end)
server = socket.create_server(("127.0.0.1", int(os.environ["CIRCOLO_HEALTH_PORT"])))
while True:
    caller, _ = server.accept()
    caller.recv(4096)
    caller.sendall(b"HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\nconnection: close\\r\\n\\r\\n")
    caller.close()
"""


@pytest.fixture
def fake_services(tmp_path: Path) -> dict[str, str]:
    """The environment in which ``python -m circolo_<service>`` is the stand-in. Orders are in ``FAKE_ORDERS``."""
    packages, orders = tmp_path / "packages", tmp_path / "orders"
    orders.mkdir()
    for name in [*(spec.name for spec in SERVICES), "service"]:
        package = packages / f"circolo_{name}"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(FAKE)
    path = os.pathsep.join([str(packages), *(entry for entry in sys.path if entry)])
    env = {name: value for name, value in os.environ.items() if not name.startswith("CIRCOLO_")}
    return {**env, "PYTHONPATH": path, "FAKE_ORDERS": str(orders)}


@pytest.fixture
def orders(fake_services: dict[str, str]) -> Path:
    return Path(fake_services["FAKE_ORDERS"])


class Processes:
    """Which processes there are."""

    @staticmethod
    def is_alive(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def are_gone(self, *pids: int, seconds: float = 10) -> bool:
        ends = time.monotonic() + seconds
        while any(self.is_alive(pid) for pid in pids) and time.monotonic() < ends:
            time.sleep(0.01)
        return not any(self.is_alive(pid) for pid in pids)


@pytest.fixture
def processes() -> Processes:
    return Processes()


@pytest.fixture
def state() -> Iterator[Path]:
    """A state folder that the database's user can reach (pytest's own temporary folders are closed to others)."""
    with temporary_folder() as folder:
        yield folder / "state"


class Command:
    """``circolo ...`` as a process of its own."""

    def __init__(self, env: dict[str, str], home: Path) -> None:
        self._env = env
        self.home = home
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "circolo_devstack", *arguments, "--data", str(self.home)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self._env,
        )  # fmt: skip
        self._started.append(process)
        return process

    @staticmethod
    def read_until(process: subprocess.Popen[str], wanted: str) -> str:
        """What it prints up to the line with ``wanted``."""
        assert process.stdout is not None
        printed = ""
        for line in process.stdout:
            printed += line
            if wanted in line:
                return printed
        raise AssertionError(f"{wanted!r} was never printed:\n{printed}")

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        printed, _ = process.communicate(timeout=30)
        return process.returncode, printed

    def end(self) -> None:
        for process in self._started:
            if process.poll() is None:
                process.terminate()
                process.wait(30)
            assert process.stdout is not None
            process.stdout.close()


@pytest.fixture
def circolo(fake_services: dict[str, str], state: Path) -> Iterator[Command]:
    command = Command(fake_services, state)
    yield command
    command.end()
