"""What is remembered of a read, and what was learnt while the read was on its way."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from circolo_gateway.remembered import Remembered


class Slow:
    """A read that waits till it may go on."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {"a": 1}
        self.go = asyncio.Event()
        self.fails = False
        self.reads = 0

    async def __call__(self, keys: Sequence[str]) -> Mapping[str, int]:
        self.reads += 1
        found = {key: self.values[key] for key in keys if key in self.values}
        await self.go.wait()
        if self.fails:
            raise OSError("away")
        return found


@pytest.fixture
def slow() -> Slow:
    return Slow()


def remembered(slow: Slow) -> Remembered[int]:
    return Remembered(slow, seconds=60, entries=10, batch=10, monotonic=lambda: 0.0)


async def test_what_was_learnt_during_a_read_counts_more_than_what_it_read(slow: Slow) -> None:
    values = remembered(slow)
    asked = asyncio.create_task(values.get("a"))
    while not slow.reads:
        await asyncio.sleep(0)
    values.learn("a", 2)
    slow.go.set()
    assert await asked == 2
    assert values.latest("a") == 2


async def test_what_was_forgotten_during_a_read_is_not_remembered_by_it(slow: Slow) -> None:
    values = remembered(slow)
    asked = asyncio.create_task(values.get("a"))
    while not slow.reads:
        await asyncio.sleep(0)
    values.forget("a")
    slow.go.set()
    assert await asked == 1
    assert not values.is_known("a")


async def test_reading_anew_passes_over_what_is_remembered_and_a_failure_changes_nothing(slow: Slow) -> None:
    values = remembered(slow)
    slow.go.set()
    assert await values.get("a") == 1
    slow.values = {"a": 3}
    assert await values.get("a") == 1
    assert await values.read_anew(["a", "b"]) == {"a": 3}
    assert values.is_known("b")
    slow.fails = True
    with pytest.raises(OSError, match="away"):
        await values.read_anew(["a"])
    values.learn("a", 4)
    slow.fails = False
    assert await values.read_anew(["a"]) == {"a": 3}
