"""What a table says above its figures: when, on what, beside what else."""

from __future__ import annotations

import datetime as dt
import os
import platform
from pathlib import Path


def described() -> str:
    """One line: date, cores, processor, memory, Python."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    today = dt.datetime.now(dt.UTC).date()
    return f"{today}, {os.cpu_count()} cores of {model}, {memory:.0f} GB, Python {platform.python_version()}"
