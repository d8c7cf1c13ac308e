"""What resolvers have at hand: the house (one for each process) and a context of one execution."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import asyncpg
from circolo_contracts.refusals import RefusalCode, message
from circolo_contracts.wire import Document, Refused, Seen
from circolo_events.clock import Clock
from circolo_events.failures import DATABASE_AWAY

from ..commands import Commands
from ..lobby import Lobby
from ..players import Names
from ..records.brilli import balances, given_by
from ..records.history import FinishedMatch, finished_matches
from ..records.statistics import Statistics, statistics
from ..remembered import Read, Remembered
from ..streams.chat import Chats
from ..streams.feeds import Feeds
from ..streams.watch import Watch
from ..transport.errors import Problem
from ..transport.session import Session

log = logging.getLogger(__name__)

T = TypeVar("T")
NO_DOCUMENT = (RefusalCode.NOT_FOUND, RefusalCode.NOT_ALLOWED, RefusalCode.GAME_NOT_OVER)
NOT_SHOWN = (RefusalCode.NOT_FOUND, RefusalCode.NOT_ALLOWED)


@dataclass(frozen=True, slots=True)
class House:
    feeds: Feeds
    watch: Watch
    chats: Chats
    commands: Commands
    names: Names
    lobby: Lobby
    clock: Clock
    pool: asyncpg.Pool
    """For the read models."""


class Figures:
    """Of players and matches, read together for all that are shown at once."""

    def __init__(self, pool: asyncpg.Pool, viewer: str) -> None:
        self.statistics: Remembered[Mapping[str, Statistics]] = _at_once(partial(statistics, pool))
        self.balances: Remembered[int] = _at_once(partial(balances, pool))
        self.given: Remembered[Mapping[str, int]] = _at_once(partial(given_by, pool))
        """By match, what it gave to whom."""
        self.matches: Remembered[FinishedMatch] = _at_once(partial(finished_matches, pool, viewer or None))


def _at_once(read: Read[T]) -> Remembered[T]:
    """For one execution."""
    return Remembered(read, seconds=float("inf"), entries=1_000, batch=1_000, monotonic=time.monotonic)


@dataclass(slots=True)
class Context:
    """Of one query, one mutation, or one event of a subscription: what it loaded is never older than itself."""

    house: House
    session: Session
    _asked: dict[tuple[str, str], asyncio.Task[Seen | None]] = field(default_factory=dict)
    _figures: Figures | None = None

    @property
    def viewer(self) -> str:
        """Player id; empty for somebody who is not signed in."""
        return self.session.identity.player or ""

    @property
    def is_operator(self) -> bool:
        """By his token; who decides anything asks rooms again."""
        return "OPERATOR" in self.session.identity.roles

    @property
    def figures(self) -> Figures:
        if self._figures is None:
            self._figures = Figures(self.house.pool, self.viewer)
        return self._figures

    @property
    def language(self) -> str:
        return self.session.language

    async def see(self, service: str, stream: str) -> Seen | None:
        """The viewer's view of a stream; None when there is none or it is not for him. Raises Problem UNAVAILABLE.

        The same stream is asked for once, however many fields want it.
        """
        key = (service, stream)
        task = self._asked.get(key)
        if task is None:
            task = self._asked[key] = asyncio.get_running_loop().create_task(self._ask(service, stream))
        return await task

    async def _ask(self, service: str, stream: str) -> Seen | None:
        answer = await self.house.feeds.ask(service, stream, self.viewer)
        if isinstance(answer, Seen):
            return answer
        code = answer.code if isinstance(answer, Refused) else RefusalCode.UNAVAILABLE
        if code in NOT_SHOWN:
            return None
        raise self.problem(code)

    async def document(self, service: str, stream: str, name: str) -> str | None:
        """A text that the stream's owner makes of all of it; None when the viewer has none to get."""
        answer = await self.house.feeds.document(service, stream, self.viewer, name)
        if isinstance(answer, Document):
            return answer.text
        code = answer.code if isinstance(answer, Refused) else RefusalCode.UNAVAILABLE
        if code in NO_DOCUMENT:
            return None
        raise self.problem(code)

    async def read(self, reading: Awaitable[T]) -> T:
        """What is read from Postgres here. Raises Problem UNAVAILABLE while it is away: no fault of ours, ask again."""
        try:
            return await reading
        except DATABASE_AWAY as error:
            log.warning("a read met %s", type(error).__name__)
            raise self.problem(RefusalCode.UNAVAILABLE) from None

    def problem(self, code: RefusalCode) -> Problem:
        """A refusal where only a GraphQL error can say it, in the viewer's language."""
        return Problem(code.value, message(code, self.language))
