"""How much one player or one address may ask for: a token bucket each, counted by root field, so that aliases are no
way around it. Bounded: the bucket unused longest is forgotten first, and a forgotten one is full.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

MOST_BUCKETS = 50_000


class Buckets:
    def __init__(self, per_second: float, burst: int, monotonic: Callable[[], float], most: int = MOST_BUCKETS) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._monotonic = monotonic
        self._most = most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, amount: int) -> float:
        """0 when it may go on, else the seconds until it may; then nothing was taken."""
        now = self._monotonic()
        level, at = self._buckets.pop(key, (self._burst, now))
        level = min(self._burst, level + (now - at) * self._per_second)
        wanted = min(float(amount), self._burst)
        wait = 0.0 if level >= wanted else (wanted - level) / self._per_second
        self._buckets[key] = (level if wait else level - wanted, now)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return wait
