"""From callbacks to coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def called_back(begin: Callable[[Callable[[T], None]], object]) -> T:
    """What ``begin`` calls back with; nobody hears of it who has given up waiting."""
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def settle(value: T) -> None:
        if not future.done():
            future.set_result(value)

    begin(settle)
    return await future
