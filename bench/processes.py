"""What processes cost, read from /proc: CPU seconds, resident and proportional memory, of whole trees."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")


@dataclass(frozen=True)
class Memory:
    """Bytes. Proportional: what is shared with others is divided among them, so that sums are true."""

    resident: int
    proportional: int


def tree(root: int) -> Iterator[int]:
    """``root`` and everything that it started, as far as it is alive."""
    seen = [root]
    for pid in seen:
        if not (PROC / str(pid)).exists():
            continue
        yield pid
        for children in (PROC / str(pid) / "task").glob("*/children"):
            try:
                seen += map(int, children.read_text().split())
            except OSError:  # it ended meanwhile
                continue


def cpu_seconds(pid: int) -> float:
    """User and system time, with that of children that have ended and were waited for; 0 for who is gone."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def tree_cpu(roots: Mapping[str, int]) -> dict[str, float]:
    """CPU seconds by name. A process counts for the innermost root above it, so nested trees are told apart."""
    spent = dict.fromkeys(roots, 0.0)
    owner = {pid: name for name, pid in roots.items()}
    for name, root in roots.items():
        for pid in _own(root, owner):
            spent[name] += cpu_seconds(pid)
    return spent


def _own(root: int, owner: Mapping[int, str]) -> Iterator[int]:
    """The tree of ``root`` without the trees of other roots in it."""
    seen = [root]
    for pid in seen:
        yield pid
        for children in (PROC / str(pid) / "task").glob("*/children"):
            try:
                found = map(int, children.read_text().split())
                seen += [child for child in found if child not in owner]
            except OSError:
                continue


def memory(roots: Mapping[str, int]) -> dict[str, Memory]:
    owner = {pid: name for name, pid in roots.items()}
    found = {}
    for name, root in roots.items():
        each = [_rollup(pid) for pid in _own(root, owner)]
        found[name] = Memory(sum(m.resident for m in each), sum(m.proportional for m in each))
    return found


def _rollup(pid: int) -> Memory:
    sizes = {"Rss": 0, "Pss": 0}
    try:
        for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in sizes:
                sizes[name] = int(rest.split()[0]) * 1024
    except OSError:
        pass
    return Memory(sizes["Rss"], sizes["Pss"])


def resident() -> int:
    """Bytes of this process."""
    return int((PROC / "self" / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def machine_busy() -> float:
    """CPU seconds spent by everything on the machine since it started."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, _cpu_line()[1:9])
    return (user + nice + system + irq + softirq + steal) / TICKS


def _cpu_line() -> list[str]:
    return (PROC / "stat").read_text().split("\n", 1)[0].split()


def wait_for_quiet(patience: float, busy: float = 0.4) -> None:
    """Until the machine took less than ``busy`` cores for a second, at most ``patience`` seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        before = machine_busy()
        time.sleep(1.0)
        if machine_busy() - before < busy:
            return


def load_average() -> float:
    return os.getloadavg()[0]
