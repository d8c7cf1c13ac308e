"""``python -m bench profile``: which functions a move costs, by py-spy on the running services."""

from __future__ import annotations

import argparse
import collections
import re
import subprocess
import sys
import threading
from pathlib import Path

from .install import PYTHON
from .machine import described
from .peers.run import Server, serving
from .peers.targets import INSTALLED, ROOT, TARGETS, environment

RATE = 200
"""Samples a second."""
PY_SPY = PYTHON.with_name("py-spy")
_FRAME = re.compile(r"(?P<function>.*) \((?P<file>.*?)(?::(?P<line>\d+))?\)$")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--window", type=int, default=8000, help="ms")
    parser.add_argument("--think", type=int, default=0, help="ms")
    parser.add_argument("--services", default="gateway,cardgames")
    parser.add_argument("--target", choices=("circolo", "circolo-one"), default="circolo")
    parser.add_argument("--top", type=int, default=40, help="functions shown of each list")
    parser.add_argument("--native", action="store_true", help="C functions too; slower")


def run(options: argparse.Namespace) -> int:
    if not PY_SPY.exists():
        print("The profiler is not installed: run `python -m bench install --only=python` first", file=sys.stderr)
        return 2
    target = TARGETS[options.target]
    print(described())
    with serving(options.target, target, None) as server:
        client = subprocess.Popen(
            [word.format(port=server.port) for word in target.client]
            + [f"--{name}={value}" for name, value in
               (("rooms", options.rooms), ("warmup", 3000), ("window", options.window), ("think", options.think))],
            stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment(target),
        )  # fmt: skip
        assert client.stdout is not None
        stacks: dict[str, Path] = {}
        for line in client.stdout:
            if line.startswith("WINDOW open"):
                stacks = _record(server, options)
            elif line.startswith("RESULT"):
                print(f"While it was recorded (recording itself costs): {line[7:].strip()}")
        client.wait()
    for service, path in stacks.items():
        print(f"\n{service}: {path.relative_to(ROOT)} (folded stacks)")
        print(shares(path.read_text(), options.top))
    return 0


def _record(server: Server, options: argparse.Namespace) -> dict[str, Path]:
    """Record the named services side by side for most of the window."""
    seconds = max(1, options.window // 1000 - 1)
    wanted = options.services.split(",") if options.target == "circolo" else ["club"]
    stacks = {}
    threads = []
    for service in wanted:
        path = stacks[service] = INSTALLED / f"profile-{service}.txt"
        argv = [str(PY_SPY), "record", "--pid", str(server.roots[service]), "--format", "raw", "--output", str(path),
                "--duration", str(seconds), "--rate", str(RATE)]  # fmt: skip
        if options.native:
            argv.append("--native")
        threads.append(threading.Thread(target=subprocess.run, args=(argv,), kwargs={"capture_output": True}))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return stacks


def shares(folded: str, top: int) -> str:
    """The functions with the largest share of their own, and with all that they call, in percent of the samples."""
    own: collections.Counter[str] = collections.Counter()
    whole: collections.Counter[str] = collections.Counter()
    total = 0
    for line in folded.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [_function(frame) for frame in stack.split(";")]
        total += int(count)
        own[frames[-1]] += int(count)
        for frame in set(frames):
            whole[frame] += int(count)
    packages: collections.Counter[str] = collections.Counter()
    for frame, samples in own.items():
        packages[_package(frame)] += samples
    lines = [
        f"{total} samples, by package: "
        + ", ".join(f"{package} {100 * count / total:.0f} %" for package, count in packages.most_common(12)),
        "of their own, and with what they call:",
    ]
    left = [f"{100 * count / total:5.1f} %  {name}" for name, count in own.most_common(top)]
    right = [f"{100 * count / total:5.1f} %  {name}" for name, count in whole.most_common(top)]
    width = max(map(len, left), default=0) + 2
    lines += [f"{a:<{width}}{b}" for a, b in zip(left, right, strict=False)]
    return "\n".join(lines)


def _function(frame: str) -> str:
    match = _FRAME.match(frame)
    if match is None:
        return frame
    file = re.sub(r".*/(site-packages|src|python3\.\d+)/", "", match["file"])
    return f"{match['function']} ({file})"


def _package(frame: str) -> str:
    """``asyncpg`` or ``circolo_gateway/transport``: where the function's file is."""
    folders = frame.rpartition("(")[2].rstrip(")").split("/")[:-1]
    return "/".join(folders[: 2 if folders and folders[0].startswith("circolo") else 1]) or "built in"
