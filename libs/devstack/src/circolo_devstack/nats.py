"""An embedded NATS server: JetStream on, a password, loopback only, its port kept where it is still free."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from pathlib import Path
from urllib.parse import urlsplit

from .binaries import NatsBinary
from .children import Child, tail
from .passwords import write_private
from .ports import LOOPBACK, is_free
from .postgres import POLL_SECONDS, ServerFailed

USER = "circolo"
ANY_PORT = -1
START_SECONDS = 20.0
STOP_STEPS = ((signal.SIGTERM, 10.0),)


class Nats:
    """One server over one folder. ``start`` returns at once; ``wait_ready`` says when it is healthy."""

    name = "nats"
    tier = 0
    stop_steps = STOP_STEPS

    def __init__(self, binary: NatsBinary, folder: Path, password: str, *, log: Path, port: int | None = None) -> None:
        self.port = port if port is not None and is_free(port) else ANY_PORT
        self.monitor: str = ""
        """``host:port`` of the health and statistics pages, once it is ready."""
        self._binary = binary
        self._folder = folder
        self._password = password
        self.log = log
        self._child: Child | None = None

    @property
    def url(self) -> str:
        return f"nats://{USER}:{self._password}@{LOOPBACK}:{self.port}"

    @property
    def child(self) -> Child | None:
        return self._child

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child and self._child.exit_code is None else None

    def start(self) -> Child:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._await_former()
        for old in self._folder.glob("*.ports"):
            old.unlink()
        settings = self._folder / "nats.conf"
        write_private(settings, self._configuration().encode())
        self._child = Child.start(
            "nats", [self._binary.program, "-c", settings], log=self.log, cwd=self._folder,
            env={"PATH": os.defpath, "GOMAXPROCS": str(threads(os.cpu_count() or 1))}, death_signal=signal.SIGTERM,
        )  # fmt: skip
        (self._folder / "nats.pid").write_text(str(self._child.pid))
        self.monitor = ""
        return self._child

    def _configuration(self) -> str:
        folder = json.dumps(str(self._folder))
        return "\n".join([
            f'listen: "{LOOPBACK}:{self.port}"',
            f'http: "{LOOPBACK}:{ANY_PORT}"',
            f"ports_file_dir: {folder}",
            f"jetstream {{ store_dir: {folder} }}",
            f'authorization {{ user: {USER}, password: "{self._password}" }}',
            "",
        ])  # fmt: skip

    def _await_former(self) -> None:
        """Two servers on one folder would spoil it: wait for one that a killed supervisor left shutting down."""
        record = self._folder / "nats.pid"
        former = record.read_text().strip() if record.exists() else ""
        deadline = time.monotonic() + STOP_STEPS[0][1]
        while former and _runs_on(former, self._folder):
            if time.monotonic() > deadline:
                raise ServerFailed(f"another nats-server (process {former}) still uses {self._folder}")
            time.sleep(0.05)

    def wait_ready(self, timeout: float = START_SECONDS) -> None:
        """Raises ServerFailed. When the kept port was lost to another program, any port is taken."""
        deadline = time.monotonic() + timeout
        while not self.is_ready():
            if self.pid is None:
                if self.port == ANY_PORT or "address already in use" not in tail(self.log, 10):
                    raise ServerFailed(f"NATS ended while starting, see {self.log}:\n{tail(self.log)}")
                self.port = ANY_PORT
                self.start()
            elif time.monotonic() > deadline:
                raise ServerFailed(f"NATS is not healthy after {timeout:.0f} s, see {self.log}")
            time.sleep(POLL_SECONDS)

    def is_ready(self) -> bool:
        if not self.monitor and not self._read_ports():
            return False
        return self.is_healthy()

    def _read_ports(self) -> bool:
        written = next(self._folder.glob(f"*_{self.pid}.ports"), None)
        try:
            ports = json.loads(written.read_text()) if written else {}
        except (OSError, ValueError):  # half written
            return False
        if not ports.get("nats") or not ports.get("monitoring"):
            return False
        self.port = urlsplit(ports["nats"][0]).port or self.port
        self.monitor = urlsplit(ports["monitoring"][0]).netloc
        return True

    def is_healthy(self) -> bool:
        """Its own health page, JetStream included."""
        connection = http.client.HTTPConnection(self.monitor, timeout=1)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop(STOP_STEPS)
            self._child = None
            self.monitor = ""

    def kill(self) -> None:
        """As a crash would (for tests)."""
        if self._child is not None:
            self._child.kill_group()
            self._child = None
            self.monitor = ""


def threads(cores: int) -> int:
    """On how many of these cores the broker may run at once. On two cores, with 13,000 messages a second, one thread
    did the work for a quarter less than two, which kept waking each other."""
    return max(1, cores // 4)


def _runs_on(pid: str, folder: Path) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return str(folder / "nats.conf").encode() in words
