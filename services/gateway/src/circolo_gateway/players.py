"""Names of players: read in batches from rooms' profiles, which nobody copies, so that an erased name is gone at once
(at most ``seconds`` later, longer only while the database is away). Bounded: the name unused longest goes first.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import asyncpg

log = logging.getLogger(__name__)

_NAMES = "SELECT player, name FROM rooms.profile WHERE player = ANY($1)"


class ReadNames(Protocol):
    async def __call__(self, players: Sequence[str]) -> Mapping[str, str]: ...


def profiles(pool: asyncpg.Pool) -> ReadNames:
    async def read(players: Sequence[str]) -> Mapping[str, str]:
        return {row["player"]: row["name"] for row in await pool.fetch(_NAMES, list(players), timeout=5)}

    return read


class Names:
    """Everything that is wanted in one tick of the loop is one query (or several of ``batch``)."""

    def __init__(
        self, read: ReadNames, *, seconds: float, entries: int, batch: int, monotonic: Callable[[], float]
    ) -> None:
        self._read = read
        self._seconds = seconds
        self._entries = entries
        self._batch = batch
        self._monotonic = monotonic
        self._known: OrderedDict[str, tuple[float, str | None]] = OrderedDict()
        self._wanted: dict[str, asyncio.Future[str | None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def name(self, player: str) -> str | None:
        """None for a player who is not known or was erased. While the database is away: the name known last.

        Raises what the database raises where none is known.
        """
        known = self._known.get(player)
        if known is not None and self._monotonic() - known[0] <= self._seconds:
            return known[1]
        loop = asyncio.get_running_loop()
        future = self._wanted.get(player)
        if future is None:
            if not self._wanted:
                loop.call_soon(self._start)
            future = self._wanted[player] = loop.create_future()
        return await asyncio.shield(future)

    def forget(self, player: str) -> None:
        self._known.pop(player, None)

    def learn(self, player: str, name: str | None) -> None:
        self._known[player] = (self._monotonic(), name)
        self._known.move_to_end(player)
        while len(self._known) > self._entries:
            self._known.popitem(last=False)

    def _start(self) -> None:
        wanted, self._wanted = self._wanted, {}
        players = list(wanted)
        for start in range(0, len(players), self._batch):
            part = {player: wanted[player] for player in players[start : start + self._batch]}
            task = asyncio.get_running_loop().create_task(self._load(part))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _load(self, wanted: dict[str, asyncio.Future[str | None]]) -> None:
        try:
            found = await self._read(list(wanted))
        except Exception as error:
            for player, future in wanted.items():
                if future.cancelled():
                    continue
                if player in self._known:
                    future.set_result(self._known[player][1])
                else:
                    future.set_exception(error)
                    future.exception()  # whoever waited may be gone: it is told, not logged
            return
        for player, future in wanted.items():
            name = found.get(player)
            self.learn(player, name)
            if not future.cancelled():
                future.set_result(name)
