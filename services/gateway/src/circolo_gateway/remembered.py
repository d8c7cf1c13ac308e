"""Values by key that are read in batches and remembered for a while. Bounded: the one unused longest goes first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

Read = Callable[[Sequence[str]], Awaitable[Mapping[str, T]]]


class Remembered(Generic[T]):
    """Everything that is wanted in one tick of the loop is one read (or several of ``batch``); None: there is none.

    A value is at most ``seconds`` old, longer only while it cannot be read.
    """

    def __init__(
        self, read: Read[T], *, seconds: float, entries: int, batch: int, monotonic: Callable[[], float]
    ) -> None:
        self._read = read
        self._seconds = seconds
        self._entries = entries
        self._batch = batch
        self._monotonic = monotonic
        self._known: OrderedDict[str, tuple[float, T | None]] = OrderedDict()
        self._wanted: dict[str, asyncio.Future[T | None]] = {}
        self._loading: set[str] = set()
        self._overtaken: set[str] = set()
        """What is being read and was learnt or forgotten meanwhile: the read may be older."""
        self._tasks: set[asyncio.Task[None]] = set()

    def is_known(self, key: str) -> bool:
        """And not too old."""
        known = self._known.get(key)
        return known is not None and self._monotonic() - known[0] <= self._seconds

    def latest(self, key: str) -> T | None:
        """What was read or learnt last, however old."""
        known = self._known.get(key)
        return None if known is None else known[1]

    async def get(self, key: str) -> T | None:
        """While it cannot be read: what was known last. Raises what the read raises where nothing is known."""
        if self.is_known(key):
            return self.latest(key)
        loop = asyncio.get_running_loop()
        future = self._wanted.get(key)
        if future is None:
            if not self._wanted:
                loop.call_soon(self._start)
            future = self._wanted[key] = loop.create_future()
        return await asyncio.shield(future)

    async def read_anew(self, keys: Iterable[str]) -> dict[str, T]:
        """Of these, whatever is remembered; raises what the read raises."""
        found: dict[str, T] = {}
        wanted = list(keys)
        for start in range(0, len(wanted), self._batch):
            part = wanted[start : start + self._batch]
            self._loading.update(part)
            try:
                read = await self._read(part)
            except BaseException:
                self._loading.difference_update(part)
                self._overtaken.difference_update(part)
                raise
            for key in part:
                value = self._learnt(key, read.get(key))
                if value is not None:
                    found[key] = value
        return found

    def forget(self, key: str) -> None:
        self._known.pop(key, None)
        self._overtake(key)

    def learn(self, key: str, value: T | None) -> None:
        self._overtake(key)
        self._remember(key, value)

    def _overtake(self, key: str) -> None:
        if key in self._loading:
            self._overtaken.add(key)

    def _learnt(self, key: str, read: T | None) -> T | None:
        """A read has come; what was learnt since it began counts more."""
        self._loading.discard(key)
        if key in self._overtaken:
            self._overtaken.discard(key)
            return self.latest(key) if key in self._known else read
        self._remember(key, read)
        return read

    def _remember(self, key: str, value: T | None) -> None:
        self._known[key] = (self._monotonic(), value)
        self._known.move_to_end(key)
        while len(self._known) > self._entries:
            self._known.popitem(last=False)

    def _start(self) -> None:
        wanted, self._wanted = self._wanted, {}
        keys = list(wanted)
        for start in range(0, len(keys), self._batch):
            part = {key: wanted[key] for key in keys[start : start + self._batch]}
            task = asyncio.get_running_loop().create_task(self._load(part))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _load(self, wanted: dict[str, asyncio.Future[T | None]]) -> None:
        self._loading.update(wanted)
        try:
            found = await self._read(list(wanted))
        except Exception as error:
            for key, future in wanted.items():
                self._loading.discard(key)
                self._overtaken.discard(key)
                if future.cancelled():
                    continue
                if key in self._known:
                    future.set_result(self._known[key][1])
                else:
                    future.set_exception(error)
                    future.exception()  # whoever waited may be gone: it is told, not logged
            return
        for key, future in wanted.items():
            value = self._learnt(key, found.get(key))
            if not future.cancelled():
                future.set_result(value)
