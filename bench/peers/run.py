"""The runner: one server, one load client, on loopback; the targets take turns, so that outside load hits all alike."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from circolo_devstack.ports import free_port

from ..processes import load_average, machine_busy, memory, tree_cpu
from .targets import INSTALLED, ROOT, Target, environment

READY_SECONDS = 60.0
STOP_SECONDS = 10.0
LAG_EVERY_SECONDS = 1.0
_LAG = re.compile(r"^circolo_(consumer|relay)_(lag|delay)\w*\{([^}]*)\} ([0-9.e+]+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Failed(Exception):
    """A server that did not start, or a client without a result."""


@dataclass
class Server:
    """A running target: names and processes of its parts, health ports of those that have one."""

    process: subprocess.Popen[str]
    port: int
    roots: dict[str, int]
    health: dict[str, int] = field(default_factory=dict)


@contextlib.contextmanager
def serving(name: str, target: Target, postgres: tuple[str, int] | None) -> Iterator[Server]:
    port = free_port()
    fill = {"port": str(port), "postgres": postgres[0] if postgres else ""}
    INSTALLED.mkdir(exist_ok=True)
    with (INSTALLED / f"{name}-server.log").open("w") as log:
        process = subprocess.Popen(
            [word.format_map(fill) for word in target.server],
            stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT, env=environment(target),
        )  # fmt: skip
        try:
            server = Server(process, port, {"server": process.pid})
            for program in _ready(process):
                server.roots[program["name"]] = program["pid"]
                if program.get("port") and program["name"] not in ("postgres", "nats"):
                    server.health[program["name"]] = program["port"]
            if postgres and target.needs_postgres:
                server.roots["postgres"] = postgres[1]
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _ready(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """The programs that the server names on its READY line, if any."""
    assert process.stdout is not None
    timer = threading.Timer(READY_SECONDS, process.kill)
    timer.start()
    try:
        for line in process.stdout:
            if line.startswith("READY"):
                programs: list[dict[str, Any]] = json.loads(line[5:].strip() or "[]")
                return programs
    finally:
        timer.cancel()
    raise Failed(f"the server ended with {process.wait()} before it was ready")


class Lag:
    """Events that relay and consumers had not handled yet, looked at every second."""

    def __init__(self, health: dict[str, int]) -> None:
        self._health = health
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.most: dict[str, float] = {}

    def __enter__(self) -> Lag:
        if self._health:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(LAG_EVERY_SECONDS):
            for name, value in lags(self._health).items():
                self.most[name] = max(self.most.get(name, 0.0), value)


def lags(health: dict[str, int]) -> dict[str, float]:
    """By service and consumer, from their /metrics; who does not answer is left out."""
    found: dict[str, float] = {}
    for service, port in health.items():
        with (
            contextlib.suppress(OSError),
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2) as answer,
        ):
            found.update(lags_in(service, answer.read().decode()))
    return found


def lags_in(service: str, metrics: str) -> dict[str, float]:
    """In events not yet handled, and as the age of the oldest in hand."""
    found = {}
    for what, measure, labels, value in _LAG.findall(metrics):
        names = dict(_LABEL.findall(labels))
        name = " ".join((service, what, names.get("consumer") or names.get("service", "")))
        found[f"{name} (age, ms)" if measure == "delay" else name] = float(value)
    return found


def one(name: str, target: Target, postgres: tuple[str, int] | None, options: dict[str, int]) -> dict[str, Any]:
    """One run of one target. Raises Failed."""
    with serving(name, target, postgres) as server:
        idle = memory(server.roots)
        result = _loaded(name, target, server, options)
        peak = memory(server.roots)
    result["rss_idle_mb"] = round(sum(m.resident for m in idle.values()) / 2**20)
    result["rss_end_mb"] = round(sum(m.resident for m in peak.values()) / 2**20)
    return result


def _loaded(name: str, target: Target, server: Server, options: dict[str, int]) -> dict[str, Any]:
    argv = [word.format(port=server.port) for word in target.client]
    argv += [f"--{key}={value}" for key, value in options.items()]
    client = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment(target))
    timer = threading.Timer((options["warmup"] + options["window"]) / 1000 + 60, client.kill)
    timer.start()
    marks = []
    result: dict[str, Any] | None = None
    try:
        assert client.stdout is not None
        with Lag(server.health) as lag:
            for line in client.stdout:
                if line.startswith("WINDOW"):
                    everyone = {**server.roots, "client": client.pid}
                    marks.append((time.perf_counter(), tree_cpu(everyone), machine_busy()))
                elif line.startswith("RESULT "):
                    result = json.loads(line[7:])
    finally:
        timer.cancel()
        client.wait()
    if result is None or len(marks) != 2:
        raise Failed(f"{name}: no result")
    return {**result, **_costs(marks, result["moves"]), "lag": lag.most, "load1": load_average()}


def _costs(marks: list[tuple[float, dict[str, float], float]], moves: int) -> dict[str, Any]:
    """CPU between the two marks: ms for a move by part, and the share of the machine that others took."""
    (t0, cpu0, busy0), (t1, cpu1, busy1) = marks
    spent = {part: cpu1[part] - cpu0[part] for part in cpu0}
    client = spent.pop("client")
    others = (busy1 - busy0) - sum(spent.values()) - client
    each = max(moves, 1) / 1000
    return {
        "cpu_ms_per_move": round(sum(spent.values()) / each, 3),
        "cpu_ms_by_part": {part: round(seconds / each, 3) for part, seconds in spent.items()},
        "server_cpu_pct": round(100 * sum(spent.values()) / (t1 - t0)),
        "client_cpu_pct": round(100 * client / (t1 - t0)),
        "others_cpu_pct": round(100 * max(0.0, others) / (t1 - t0)),
    }


def kept(results: list[dict[str, Any]], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
