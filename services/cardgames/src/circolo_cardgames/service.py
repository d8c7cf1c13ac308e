"""Cardgames composed: the only module that knows which adapters there are."""

from __future__ import annotations

from circolo_events.aggregate import StreamKind
from circolo_events.appender import Appender
from circolo_events.client import CommandClient
from circolo_events.deadlines import DeadlineWorker
from circolo_events.local import LocalClient
from circolo_events.reaction import Reaction
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_service.platform import Platform

from .alarms import Alarms
from .cpu import Thinker
from .documents import DOCUMENTS
from .match import COMMANDS, Match
from .reactions import MATCH, ROOM_ORDERS, SERVICE, SOLITAIRE, on_room_order
from .registry import REGISTRY
from .solitaire.decider import COMMANDS as SOLITAIRE_COMMANDS
from .solitaire.decider import Solitaire

ROOMS = "rooms"


class CardGames:
    """Started in the order of what stands on what, stopped the other way round."""

    def __init__(self, platform: Platform) -> None:
        pool, bus, clock = platform.pool, platform.bus, platform.clock
        match = Match()
        self.store = Store(pool)
        self.appender = Appender(platform.connect)
        kinds = [
            StreamKind(MATCH, match, COMMANDS, DOCUMENTS),
            StreamKind(SOLITAIRE, Solitaire(), SOLITAIRE_COMMANDS, DOCUMENTS),
        ]
        self.runtime = Runtime(SERVICE, self.store, self.appender, REGISTRY, kinds, bus, clock)
        self.thinker = Thinker()
        alarms = Alarms(self.runtime, match, self.thinker)
        self.deadlines = DeadlineWorker(pool, clock, alarms.handlers(), self.runtime.deadlines)
        self.orders = Reaction(
            "cardgames.orders", ROOMS, service=SERVICE, pool=pool, store=Store(pool, schema=ROOMS),
            registry=ROOM_ORDERS, react=on_room_order, client=LocalClient(self.runtime, CommandClient(bus)), bus=bus,
        )  # fmt: skip
        self.relay = Relay.log(SERVICE, self.store, bus, pool)
        self.runtime.on_commit.append(self.relay.wake)
        self.runtime.on_armed.append(self.deadlines.armed)
        self._ready = False

    async def start(self) -> None:
        self.appender.start()
        await self.runtime.start()
        await self.deadlines.start()
        await self.orders.start()
        await self.relay.start()
        self._ready = True

    async def stop(self) -> None:
        self._ready = False
        await self.deadlines.stop()
        await self.thinker.stop()
        await self.orders.stop()
        await self.runtime.stop()
        await self.relay.stop()
        await self.appender.stop()

    def ready(self) -> bool:
        return self._ready


async def compose(platform: Platform) -> CardGames:
    return CardGames(platform)
