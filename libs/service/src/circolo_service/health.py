"""Is the process alive, and may it get work? ``/livez`` says so without any server; ``/readyz`` with its reasons."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

FRESH_SECONDS = 6.0
"""A server that answered within this time counts as reachable."""

Monotonic = Callable[[], float]


class Report(msgspec.Struct, frozen=True):
    """An answer of a health endpoint: HTTP 200 when ``ok``, else 503 with every reason."""

    status: str
    reasons: list[str] = []

    @property
    def ok(self) -> bool:
        return not self.reasons

    @property
    def http_status(self) -> int:
        return 200 if self.ok else 503

    def body(self) -> bytes:
        return msgspec.json.encode(self)


class Health:
    """One for each process. Services, probes and the drain write to it; endpoints read it, at no cost to servers."""

    def __init__(self, *, fresh_seconds: float = FRESH_SECONDS, monotonic: Monotonic = time.monotonic) -> None:
        self.draining = False
        self.fresh_seconds = fresh_seconds
        self._monotonic = monotonic
        self._answered: dict[str, float | None] = {}
        self._checks: dict[str, Callable[[], bool]] = {}

    def expect_server(self, name: str) -> None:
        """From now on ready means that this server answered lately (``answered``)."""
        self._answered.setdefault(name, None)

    def answered(self, name: str) -> None:
        self._answered[name] = self._monotonic()

    def expect(self, name: str, check: Callable[[], bool]) -> None:
        """From now on ready means that ``check()`` is true; it must be cheap and ask no server."""
        self._checks[name] = check

    def live(self) -> Report:
        """Whoever gets this answer has proof: the loop turns."""
        return Report("live")

    def ready(self) -> Report:
        reasons = ["draining"] if self.draining else []
        now = self._monotonic()
        for name, when in self._answered.items():
            if when is None:
                reasons.append(f"{name} has not answered yet")
            elif now - when > self.fresh_seconds:
                reasons.append(f"{name} has not answered for {now - when:.0f} s")
        for name, check in self._checks.items():
            if not check():
                reasons.append(f"{name} is not ready")
        return Report("not ready" if reasons else "ready", reasons)
