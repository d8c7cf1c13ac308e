"""Trivia composed: the only module that knows which adapters there are."""

from __future__ import annotations

import logging

from circolo_contracts.games import TRIVIA
from circolo_events.aggregate import StreamKind
from circolo_events.appender import Appender
from circolo_events.client import CommandClient
from circolo_events.deadlines import DeadlineWorker
from circolo_events.local import LocalClient
from circolo_events.reaction import Reaction
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_events.subscription import UNHURRIED
from circolo_service.platform import Platform

from .alarms import Alarms
from .bank.store import Bank
from .buzzing import Buzzers
from .desk import Desk
from .errands import SERVICE
from .evenings import Evenings
from .game import COMMANDS, Trivia
from .reactions import ROOM_ORDERS, on_room_order
from .registry import REGISTRY

log = logging.getLogger(__name__)

ROOMS = "rooms"


class TriviaNights:
    """Started in the order of what stands on what, stopped the other way round."""

    def __init__(self, platform: Platform) -> None:
        pool, bus, clock = platform.pool, platform.bus, platform.clock
        self.store = Store(pool)
        self.bank = Bank(pool)
        self.appender = Appender(platform.connect)
        kind = StreamKind(TRIVIA.stream_kind, Trivia(), COMMANDS)
        self.runtime = Runtime(SERVICE, self.store, self.appender, REGISTRY, [kind], bus, clock)
        evenings = Evenings(self.runtime, self.bank, kind)
        buzzers = Buzzers(self.runtime, clock)
        self.runtime.handlers |= evenings.handlers() | buzzers.handlers() | Desk(self.bank).handlers()
        self.deadlines = DeadlineWorker(pool, clock, Alarms(self.runtime).handlers(), self.runtime.deadlines)
        self.orders = Reaction(
            "trivia.orders", ROOMS, service=SERVICE, pool=pool, store=Store(pool, schema=ROOMS),
            registry=ROOM_ORDERS, react=on_room_order, client=LocalClient(self.runtime, CommandClient(bus)), bus=bus,
            limits=UNHURRIED,  # most that rooms order is not for us; a first order is heard at once
        )  # fmt: skip
        self.relay = Relay.log(SERVICE, self.store, bus, pool)
        self.runtime.on_commit.append(self.relay.wake)
        self.runtime.on_armed.append(self.deadlines.armed)
        self._ready = False

    async def start(self) -> None:
        changed = await self.bank.load_starter()
        if changed:
            log.info("%d questions of the starter bank are new or changed", changed)
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


async def compose(platform: Platform) -> TriviaNights:
    return TriviaNights(platform)
