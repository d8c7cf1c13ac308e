"""Golden samples: one stored event for each (type, version), read by today's code."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..registry import EventRegistry


def check_samples(registry: EventRegistry, folder: Path) -> None:
    """Every registered type and version has ``<Type>.v<n>.json``, and all of them decode.

    A sample at the present version must also encode to the very same bytes (canonical JSON and a line feed).
    """
    expected = {f"{t.name}.v{version}.json" for t in registry.by_name.values() for version in range(1, t.version + 1)}
    present = {path.name for path in folder.glob("*.json")}
    assert present == expected, f"missing {sorted(expected - present)}, left over {sorted(present - expected)}"
    for name, kind in registry.by_name.items():
        for version in range(1, kind.version + 1):
            stored = (folder / f"{name}.v{version}.json").read_bytes().rstrip(b"\n")
            event = registry.decode(name, version, stored)
            if version == kind.version:
                _, _, again = registry.encode(event)
                assert again == stored, f"{name}.v{version}: encodes to {again.decode()}"
            else:
                msgspec.json.decode(stored)
