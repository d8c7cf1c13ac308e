"""Tombola composed: the only module that knows which adapters there are."""

from __future__ import annotations

from circolo_contracts.tombola import SetMark
from circolo_events.aggregate import StreamKind
from circolo_events.appender import Appender
from circolo_events.client import CommandClient
from circolo_events.deadlines import DeadlineWorker
from circolo_events.local import LocalClient
from circolo_events.reaction import Reaction
from circolo_events.reading import StreamReader
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_events.subscription import UNHURRIED
from circolo_service.platform import Platform

from .alarms import Alarms
from .album import Album
from .desk import Desk
from .game import COMMANDS
from .marks import MarksDecider
from .reactions import GAME, MARKS, ROOM_ORDERS, SERVICE, on_room_order
from .registry import REGISTRY
from .shown import TombolaWithMarks
from .tickets.counting import strips

ROOMS = "rooms"
CACHED_STREAMS = 30_000
"""A full table is one game and 24 seats' marks."""


class TombolaService:
    """Started in the order of what stands on what, stopped the other way round."""

    def __init__(self, platform: Platform) -> None:
        pool, bus, clock = platform.pool, platform.bus, platform.clock
        self.store = Store(pool)
        self.appender = Appender(platform.connect)
        album = Album(StreamReader(self.store), REGISTRY)
        shown = TombolaWithMarks(album.at_hand)
        kinds = [StreamKind(GAME, shown, COMMANDS), StreamKind.of(MARKS, MarksDecider(), SetMark)]
        self.runtime = Runtime(
            SERVICE, self.store, self.appender, REGISTRY, kinds, bus, clock, cached_streams=CACHED_STREAMS
        )
        self.desk = Desk(self.runtime, album, shown, bus, clock)
        self.runtime.handlers |= self.desk.handlers()
        self.runtime.ask_handlers[GAME] = self.desk.ask
        alarms = Alarms(self.desk.move)
        self.deadlines = DeadlineWorker(pool, clock, alarms.handlers(), self.runtime.deadlines)
        self.orders = Reaction(
            "tombola.orders", ROOMS, service=SERVICE, pool=pool, store=Store(pool, schema=ROOMS),
            registry=ROOM_ORDERS, react=on_room_order, client=LocalClient(self.runtime, CommandClient(bus)), bus=bus,
            limits=UNHURRIED,  # most that rooms order is not for us; a first order is heard at once
        )  # fmt: skip
        self.relay = Relay.log(SERVICE, self.store, bus, pool)
        self.runtime.on_commit.append(self.relay.wake)
        self.runtime.on_armed.append(self.deadlines.armed)
        self._ready = False

    async def start(self) -> None:
        strips()  # counted now, a fifth of a second, and not when the first table waits for its tickets
        self.appender.start()
        await self.runtime.start()
        await self.deadlines.start()
        await self.orders.start()
        await self.relay.start()
        self._ready = True

    async def stop(self) -> None:
        self._ready = False
        await self.deadlines.stop()
        await self.orders.stop()
        await self.runtime.stop()
        await self.relay.stop()
        await self.appender.stop()

    def ready(self) -> bool:
        return self._ready


async def compose(platform: Platform) -> TombolaService:
    return TombolaService(platform)
