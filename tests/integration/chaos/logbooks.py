"""What the services wrote into their logs of what went wrong, for whoever has to understand a failed storm."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

STACK_LINES = 12


def lines(folder: Path, level: str = "error") -> list[dict[str, Any]]:
    """The services' own lines of this level, over all processes that wrote there."""
    found = []
    for log in sorted(folder.glob("*.log*")):
        for text in log.read_text(errors="replace").splitlines():
            if text.startswith('{"') and f'"level":"{level}"' in text:
                try:
                    found.append(json.loads(text))
                except ValueError:  # cut off by a kill
                    continue
    return found


def crashes(folder: Path) -> list[str]:
    """Exceptions that nobody expected: an error's line with a stack, each kind once with its count."""
    counted: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for line in lines(folder):
        stack = line.get("stack", "").splitlines()
        if stack:
            kind = f"{line['service']}: {stack[-1]}"
            counted[kind] += 1
            shown.setdefault(kind, f"{line['message']}\n" + "\n".join(stack[-STACK_LINES:]))
    return [f"{count} times {kind}\n{shown[kind]}" for kind, count in counted.items()]
