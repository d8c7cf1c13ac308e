"""Who is in which room by this gateway: a lease held at rooms for every (room, player) with a live subscription.

The first subscription of a member takes it, every third of the lease all are renewed together, and the last one gives
it back after a short grace, so that a refreshed page does not flicker. A stopping gateway lets its leases run out
instead: its players are on their way to another one.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol

from circolo_contracts.ids import RoomId, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import PRESENCE_LEASE_MS, RENEWED_AT_ONCE, DropPresence, HoldPresence, RenewPresence
from circolo_contracts.wire import Answer, Refused
from circolo_events.bus import NatsBus

log = logging.getLogger(__name__)


class Say(Protocol):
    async def __call__(self, stream: str, command: HoldPresence | RenewPresence | DropPresence) -> Answer:
        """Send it to rooms. The refusal of a lease is nothing to us, the next renewal repeats it."""
        ...


class Presence:
    def __init__(self, bus: NatsBus, say: Say, *, grace: float, lease_ms: int = PRESENCE_LEASE_MS) -> None:
        self.gateway = uuid.uuid4().hex
        self._bus = bus
        self._say = say
        self._grace = grace
        self._renew = lease_ms / 3000
        self._places: dict[tuple[str, str], int] = {}
        self._held: set[tuple[str, str]] = set()
        self._tasks: set[asyncio.Task[object]] = set()
        self._renewer: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._bus.reconnected.append(self._renew_all)
        self._renewer = asyncio.get_running_loop().create_task(self._keep())

    async def stop(self) -> None:
        if self._renew_all in self._bus.reconnected:
            self._bus.reconnected.remove(self._renew_all)
        if self._renewer is not None:
            self._renewer.cancel()
        for task in list(self._tasks):
            task.cancel()

    def held(self, room: str, player: str) -> bool:
        return (room, player) in self._held

    def enter(self, room: str, player: str) -> None:
        """One more live subscription of a member."""
        place = (room, player)
        self._places[place] = self._places.get(place, 0) + 1
        if place not in self._held:
            self._held.add(place)
            self._tell(place, hold=True)

    def leave(self, room: str, player: str) -> None:
        """One less; the last one counts after the grace."""
        place = (room, player)
        count = self._places.get(place, 0) - 1
        if count > 0:
            self._places[place] = count
            return
        self._places.pop(place, None)
        asyncio.get_running_loop().call_later(self._grace, self._let_go, place)

    def _let_go(self, place: tuple[str, str]) -> None:
        if place in self._held and place not in self._places:
            self._held.discard(place)
            self._tell(place, hold=False)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._renew)
            self._renew_all()

    def _renew_all(self) -> None:
        places = sorted(self._held)
        for first in range(0, len(places), RENEWED_AT_ONCE):
            self._start(self._renew_some(places[first : first + RENEWED_AT_ONCE]))

    async def _renew_some(self, places: Sequence[tuple[str, str]]) -> None:
        players: dict[str, list[str]] = {}
        for room, player in places:
            players.setdefault(room, []).append(player)
        answer = await self._say(f"presence-{self.gateway}", RenewPresence(self.gateway, players))
        if isinstance(answer, Refused) and answer.code is not RefusalCode.UNAVAILABLE:
            # By a process of before, during an upgrade: it knows leases one by one.
            for place in places:
                if place in self._held:
                    self._tell(place, hold=True)

    def _tell(self, place: tuple[str, str], *, hold: bool) -> None:
        room, player = place
        command = HoldPresence(self.gateway, player) if hold else DropPresence(self.gateway, player)
        self._start(self._say(room_stream(RoomId(room)), command))

    def _start(self, saying: Coroutine[Any, Any, object]) -> None:
        task = asyncio.get_running_loop().create_task(saying)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("presence was not said", exc_info=task.exception())
