"""The steps of a subscription, with a short cut for those that need no waiting."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Steps(AsyncIterator[T], Generic[T]):
    """Iterated like the generator that ``source`` makes.

    The source may offer a step to ``deliver`` before it yields it, at any time that its reader rests. A step that was
    delivered is not yielded; ``deliver`` never raises.
    """

    def __init__(self, source: Callable[[Callable[[T], bool]], AsyncGenerator[T, None]]) -> None:
        self.deliver: Callable[[T], bool] | None = None
        """Set by whoever iterates."""
        self._steps = source(self._offer)

    def _offer(self, step: T) -> bool:
        return self.deliver is not None and self.deliver(step)

    def __aiter__(self) -> Steps[T]:
        return self

    async def __anext__(self) -> T:
        return await anext(self._steps)

    async def aclose(self) -> None:
        await self._steps.aclose()
