"""A resolver's value that comes later, in a callback: whoever has nothing else to wait for needs no task for it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Later(ABC, Generic[T]):
    """Either awaited, or given to ``then``; once."""

    __slots__ = ("_done", "_then")

    def __init__(self) -> None:
        self._done = False
        self._then: Callable[[], None] | None = None

    @abstractmethod
    def result(self) -> T:
        """Once it is there. Raises what kept it from being made."""

    def cancel(self) -> None:
        """Nobody wants it any more: ``then``'s callback is not called."""
        self._then = None

    def then(self, callback: Callable[[], None]) -> None:
        """Called as soon as it is there: from the callback that brought it, or now. It must return at once."""
        if self._done:
            callback()
        else:
            self._then = callback

    def come(self) -> None:
        """For whoever makes it: it is there."""
        self._done = True
        then, self._then = self._then, None
        if then is not None:
            then()

    def __await__(self) -> Generator[Any, None, T]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.then(lambda: None if future.done() else future.set_result(None))
        try:
            yield from future
        except BaseException:
            self.cancel()
            raise
        return self.result()
