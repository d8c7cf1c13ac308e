"""Who takes part, and how each is started. ``{port}`` and ``{postgres}`` are filled in by the runner."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INSTALLED = ROOT / ".peers"


@dataclass(frozen=True)
class Target:
    server: list[str]
    client: list[str]
    about: str
    durable: bool = False
    needs_postgres: bool = False
    env: dict[str, str] = field(default_factory=dict)


class UnknownTarget(Exception):
    """It is not in ``TARGETS``."""


class NotInstalled(Exception):
    """``python -m bench install`` has not been run."""


def _node(server: str, client: str, home: str, about: str, *options: str, **more: bool) -> Target:
    node = shutil.which("node") or "node"
    installed = {"BGIO_HOME": f"{INSTALLED / 'bgio'}/", "COL_HOME": f"{INSTALLED / 'col'}/", "NODE_ENV": "production"}
    if not (INSTALLED / home / "node_modules").is_dir():
        installed["MISSING"] = home
    return Target(
        [node, str(HERE / server), "--port={port}", *options],
        [node, str(HERE / client), "--port={port}"],
        about, env=installed, **more,
    )  # fmt: skip


def _circolo(about: str, *options: str) -> Target:
    return Target(
        [sys.executable, "-m", "bench.peers.circolo_server", "--port={port}", *options],
        [sys.executable, "-m", "bench.peers.circolo_client", "--port={port}"],
        about,
        durable=True,
    )


TARGETS: dict[str, Target] = {
    "circolo": _circolo("every service its own process"),
    "circolo-one": _circolo("all services in one process", "--one-process"),
    "bgio-pg": _node(
        "bgio_server.cjs", "bgio_client.cjs", "bgio", "boardgame.io on Postgres", "--db=pg", "--pg={postgres}",
        needs_postgres=True,
    ),
    "bgio-mem": _node("bgio_server.cjs", "bgio_client.cjs", "bgio", "boardgame.io in memory", "--db=mem"),
    "col": _node("col_server.cjs", "col_client.cjs", "col", "Colyseus in memory, patch at once"),
}  # fmt: skip


def chosen(names: str) -> dict[str, Target]:
    """Raises UnknownTarget, NotInstalled."""
    unknown = [name for name in names.split(",") if name not in TARGETS]
    if unknown:
        raise UnknownTarget(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    wanted = {name: TARGETS[name] for name in names.split(",")}
    for name, target in wanted.items():
        if "MISSING" in target.env:
            raise NotInstalled(f"{name} is not installed: run `python -m bench install` first")
    return wanted


def environment(target: Target) -> dict[str, str]:
    return {**os.environ, **target.env}
