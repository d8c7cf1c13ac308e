"""Passwords of the embedded servers: generated once, kept in one file that only its owner reads."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from pathlib import Path

PRIVATE = 0o600


def write_private(path: Path, content: bytes) -> None:
    """Whole or not at all, 0600 from the first byte."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as file:
        os.fchmod(file.fileno(), PRIVATE)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(fresh).replace(path)


class Passwords:
    """``passwords.get("circolo_rooms")``: the same one for ever. Hex, so it needs no quoting in a URL or in SQL."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}

    def get(self, name: str) -> str:
        if name not in self._known:
            self.put(name, secrets.token_hex(24))
        return self._known[name]

    def put(self, name: str, password: str) -> None:
        self._known[name] = password
        write_private(self._path, json.dumps(self._known, sort_keys=True).encode())
