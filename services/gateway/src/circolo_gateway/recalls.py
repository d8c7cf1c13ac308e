"""Tokens that are recalled before they expire: of who was banned, lost a role, or asked to be forgotten.

Rooms says so to every gateway and its sockets are closed; who was told nothing reads it, at the first sight of a
player, when what it knows is old, after a reconnect, and now and then for everybody who has a socket here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

import asyncpg
import msgspec
from circolo_contracts.direction import SIGN_OUTS, SignedOut
from circolo_events.bus import BusSubscription, Message, NatsBus
from circolo_events.failures import DATABASE_AWAY
from msgspec import Struct

from .remembered import Read, Remembered
from .transport.errors import Problem
from .transport.session import Identity

log = logging.getLogger(__name__)

_EPOCHS = "SELECT player, epoch, erased FROM rooms.player_epoch WHERE player = ANY($1)"
_signed_out = msgspec.json.Decoder(SignedOut).decode

Close = Callable[[Callable[[Identity], bool]], None]
"""Closes the sockets of whom it says so."""
Present = Callable[[], Iterable[str]]
"""The players who have a socket here."""


class Recall(Struct, frozen=True):
    epoch: int
    """Tokens of an earlier one are good for nothing but a new token."""
    erased: bool
    """And then not even for that."""


def epochs(pool: asyncpg.Pool) -> Read[Recall]:
    async def read(players: Sequence[str]) -> Mapping[str, Recall]:
        rows = await pool.fetch(_EPOCHS, list(players), timeout=5)
        return {row["player"]: Recall(row["epoch"], row["erased"]) for row in rows}

    return read


class Recalls:
    def __init__(
        self, known: Remembered[Recall], bus: NatsBus, close: Close, present: Present, *, check_seconds: float
    ) -> None:
        self._known = known
        self._bus = bus
        self._close = close
        self._present = present
        self._check_seconds = check_seconds
        self._subscription: BusSubscription | None = None
        self._checker: asyncio.Task[None] | None = None
        self._check_now = asyncio.Event()

    async def start(self) -> None:
        self._subscription = await self._bus.subscribe(SIGN_OUTS, self._on_signed_out)
        self._bus.reconnected.append(self._check_now.set)
        self._checker = asyncio.get_running_loop().create_task(self._keep_checking())

    async def stop(self) -> None:
        if self._check_now.set in self._bus.reconnected:
            self._bus.reconnected.remove(self._check_now.set)
        if self._subscription is not None:
            await self._subscription.unsubscribe()
        if self._checker is not None:
            self._checker.cancel()

    def admission(self, identity: Identity, only_refreshes: Callable[[], bool]) -> Awaitable[None] | None:
        """None: the token is good, and what says so is not old. Else to be awaited: it raises Problem UNAUTHENTICATED
        (401) for a recalled token, and UNAVAILABLE (503) where nothing is known and nothing can be read.

        ``only_refreshes`` says whether nothing is wanted but a new token.
        """
        player = identity.player
        if player is None or (self._known.is_known(player) and self._known.latest(player) is None):
            return None
        return self._admit(player, identity, only_refreshes)

    async def _admit(self, player: str, identity: Identity, only_refreshes: Callable[[], bool]) -> None:
        try:
            recall = await self._known.get(player)
        except DATABASE_AWAY as error:
            log.warning("whether a token is recalled cannot be read: %s", type(error).__name__)
            raise Problem("UNAVAILABLE", "The house cannot be reached: try again.", status=503) from None
        if recall is None or not _is_recalled(identity, recall):
            return
        self._close_sockets(player, recall)
        if recall.erased or not only_refreshes():
            raise Problem("UNAUTHENTICATED", "The token was recalled.", status=401)

    def _close_sockets(self, player: str, recall: Recall) -> None:
        self._close(lambda identity: identity.player == player and _is_recalled(identity, recall))

    def _on_signed_out(self, received: Message) -> None:
        try:
            told = _signed_out(received.data)
        except msgspec.MsgspecError:
            log.warning("a recall of tokens cannot be read")
            self._check_now.set()
            return
        latest = self._known.latest(told.player)
        if latest is None or latest.epoch <= told.epoch:
            recall = Recall(told.epoch, told.erased)
            self._known.learn(told.player, recall)
            self._close_sockets(told.player, recall)

    async def _keep_checking(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._check_seconds):
                    await self._check_now.wait()
            except TimeoutError:
                pass
            self._check_now.clear()
            await self._check()

    async def _check(self) -> None:
        """Everybody who has a socket here, as it is now and not as it is remembered."""
        players = set(self._present())
        try:
            for player, recall in (await self._known.read_anew(players)).items():
                self._close_sockets(player, recall)
        except DATABASE_AWAY as error:
            log.warning("recalled tokens cannot be read: %s", type(error).__name__)


def _is_recalled(identity: Identity, recall: Recall) -> bool:
    return recall.erased or identity.epoch < recall.epoch
