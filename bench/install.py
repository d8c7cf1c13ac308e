"""``python -m bench install``: the peers and the tools of the benchmark, into .peers/."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from .peers.targets import INSTALLED

PYTHON = INSTALLED / "venv" / "bin" / "python"
PACKAGES = {
    "bgio": ["boardgame.io@0.50.2", "bgio-postgres@1.0.16"],
    "col": [
        "@colyseus/core@0.18.17", "@colyseus/ws-transport@0.18.4", "@colyseus/schema@5.0.34", "@colyseus/sdk@0.18.4",
        "express@5",
    ],
}  # fmt: skip
OVERRIDES = {"bgio": {"koa-compose": "4.1.0"}}
"""4.2.0 copies the list of middleware, so that boardgame.io's lobby routes, added later, answer 404."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=("python", "node"), help="a part of it")


def run(options: argparse.Namespace) -> int:
    if options.only != "node":
        _python()
    if options.only != "python":
        for name in PACKAGES:
            _node(name)
    return 0


def _python() -> None:
    requirements = Path(__file__).with_name("requirements.txt")
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(INSTALLED / "venv")], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([*pip, "-r", str(requirements)], check=True)
    print("installed the Python library and the profiler")


def _node(name: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        print(f"{name} is left out: npm (Node 20 or newer) is not installed", file=sys.stderr)
        return
    folder = INSTALLED / name
    folder.mkdir(parents=True, exist_ok=True)
    about = {"name": f"bench-{name}", "private": True, "overrides": OVERRIDES.get(name, {})}
    (folder / "package.json").write_text(json.dumps(about))
    subprocess.run([npm, "install", "--silent", "--no-audit", "--no-fund", *PACKAGES[name]], cwd=folder, check=True)
    print(f"installed {', '.join(PACKAGES[name])}")
