"""What every client was told while things broke: the record that the checker holds against the store."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from circolo_contracts.ids import id_of, parse_global_id
from circolo_events.canonical import client_command_id

Json = dict[str, Any]
UNDECIDED = ("UNAVAILABLE", "RATE_LIMITED")
"""Refusals that say "again, with the same key": they tell nothing of what was done."""


def stream_in(global_id: str) -> str:
    """``match-...`` or ``room-...`` of a frontend's id."""
    parsed = parse_global_id(global_id)
    assert parsed is not None, global_id
    return parsed[1]


def player_in(global_id: str) -> str:
    return id_of(stream_in(global_id))


def command_of(player: str, key: str) -> str:
    """The command that this player's key stands for; ``player`` is his global id."""
    return client_command_id(player_in(player), uuid.UUID(key).hex)


@dataclass(frozen=True)
class Accepted:
    """An answer that said: done."""

    service: str
    stream: str
    command: str
    what: str
    version: int
    replayed: bool
    position: int | None = None
    """Only commands that were sent past the gateway are told of it."""


@dataclass(frozen=True)
class Refusal:
    """An answer that said: no."""

    service: str
    stream: str
    command: str
    what: str
    code: str


@dataclass(frozen=True)
class Shown:
    """One update of a subscription. ``happened``: (kind, version), in order; ``connection`` counts the sockets."""

    version: int
    reset: bool
    happened: tuple[tuple[str, int], ...]
    view: Json
    connection: int = 0


@dataclass
class Watching:
    """A subscriber over all his reconnects. ``final`` is a fresh query's view, asked for when he had come to rest."""

    stream: str
    viewer: str
    """Player id in hex; empty for somebody who is not signed in."""
    since: int | None = None
    """The first ``after``; None: he began with a snapshot."""
    shown: list[Shown] = field(default_factory=list)
    final: Json | None = None
    converged: bool = False

    @property
    def service(self) -> str:
        return "cardgames" if self.stream.startswith("match-") else "rooms"

    @property
    def last(self) -> int:
        return self.shown[-1].version if self.shown else -1


class History:
    """Shared by all clients of a storm."""

    def __init__(self) -> None:
        self.accepted: list[Accepted] = []
        self.refused: list[Refusal] = []
        self.watching: list[Watching] = []
        self.odd: list[str] = []
        """What a client was told that no frontend should have to expect, such as an internal error."""
        self.undecided = 0
        """Answers that said neither yes nor no."""
        self.reconnects = 0
        self.matches = 0
        self._moved = asyncio.Event()

    def accept(self, accepted: Accepted) -> None:
        self.accepted.append(accepted)
        self._moved.set()

    async def wait_for(self, accepted: int, seconds: float) -> bool:
        """Until so many commands were accepted in all, or the time is over (False)."""
        try:
            async with asyncio.timeout(seconds):
                while len(self.accepted) < accepted:
                    self._moved.clear()
                    await self._moved.wait()
        except TimeoutError:
            return False
        return True

    def streams(self) -> Iterable[str]:
        return {told.stream for told in self.accepted}
