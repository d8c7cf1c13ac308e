"""What a load client counts: only moves that are sent and confirmed inside the window (see ``meter.cjs``, its twin)."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any


def percentile(ordered: list[float], share: float) -> float | None:
    """Of ascending values; None without any."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 2)


class Meter:
    """The window opens ``warmup`` seconds from now. Says so on stdout, so that others can measure the same span."""

    def __init__(self, warmup: float, window: float) -> None:
        self.clock = time.perf_counter
        self.opens = self.clock() + warmup
        self.closes = self.opens + window
        self.window = window
        self.round_trips: list[float] = []
        self.setups: list[float] = []
        self.games = 0
        self.errors = 0
        self.peer_updates = 0
        self.leaks = 0
        self.house_moves = 0
        """Of people against CPUs, who are not measured."""
        self.reasons: dict[str, int] = {}
        self._cpu = time.process_time()

    async def announce(self) -> None:
        """Ends when the window does."""
        await asyncio.sleep(self.opens - self.clock())
        print("WINDOW open", flush=True)
        await asyncio.sleep(self.closes - self.clock())
        print("WINDOW closed", flush=True)

    @property
    def over(self) -> bool:
        return self.clock() >= self.closes

    def inside(self) -> bool:
        return self.opens <= self.clock() <= self.closes

    def move(self, sent: float) -> None:
        """The mover sees the new state now."""
        now = self.clock()
        if sent >= self.opens and now <= self.closes:
            self.round_trips.append(now - sent)

    def error(self, reason: str) -> None:
        self.errors += 1
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def report(self) -> str:
        """The one line that the runner reads."""
        trips, setups = sorted(self.round_trips), sorted(self.setups)
        result: dict[str, Any] = {
            "moves": len(trips),
            "moves_per_s": round(len(trips) / self.window, 2),
            "p50_ms": milliseconds(percentile(trips, 0.5)),
            "p90_ms": milliseconds(percentile(trips, 0.9)),
            "p99_ms": milliseconds(percentile(trips, 0.99)),
            "max_ms": milliseconds(trips[-1] if trips else None),
            "peer_updates": self.peer_updates,
            "games": self.games,
            "setup_p50_ms": milliseconds(percentile(setups, 0.5)),
            "errors": self.errors,
            "secret_leaks": self.leaks,
            "house_moves": self.house_moves,
            "client_cpu_s": round(time.process_time() - self._cpu, 2),
            "reasons": self.reasons,
        }
        return "RESULT " + json.dumps(result)
