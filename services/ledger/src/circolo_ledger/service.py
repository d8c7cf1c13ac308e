"""The ledger composed: the only module that knows which adapters there are."""

from __future__ import annotations

from circolo_events.aggregate import StreamKind
from circolo_events.appender import Appender
from circolo_events.checkpoints import Consumer
from circolo_events.client import CommandClient
from circolo_events.local import LocalClient
from circolo_events.reaction import Reaction
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_events.subscription import UNHURRIED
from circolo_service.platform import Platform
from circolo_service.settings import SettingsProblem

from .matches import RESULTS, Matches
from .payouts import COMMANDS, Payouts
from .prizes import Prizes
from .registry import REGISTRY
from .results import SERVICE
from .schedules import WrongSchedule, load
from .trial import TrialBalance

SOURCE = "cardgames"
RESULTS_CONSUMER = Consumer("ledger.results", 1, SOURCE)
"""Who reads cardgames' log here, as the checkpoint knows it."""


class Ledger:
    """Started in the order of what stands on what, stopped the other way round."""

    def __init__(self, platform: Platform, prizes: Prizes) -> None:
        pool, bus = platform.pool, platform.bus
        self.store = Store(pool)
        self.appender = Appender(platform.connect)
        kinds = [StreamKind("payout", Payouts(prizes), COMMANDS)]
        self.runtime = Runtime(SERVICE, self.store, self.appender, REGISTRY, kinds, bus, platform.clock)
        log = Store(pool, schema=SOURCE)
        matches = Matches(log, prizes)
        self.results = Reaction(
            RESULTS_CONSUMER.name, SOURCE, service=SERVICE, pool=pool, store=log, registry=RESULTS, react=matches.react,
            client=LocalClient(self.runtime, CommandClient(bus)), bus=bus, limits=UNHURRIED,
        )  # fmt: skip
        self.results.recall = matches.recall
        self.trial = TrialBalance(SERVICE, pool, self.store)
        self.relay = Relay.log(SERVICE, self.store, bus, pool)
        self.runtime.on_commit.append(self.relay.wake)
        self._ready = False

    async def start(self) -> None:
        self.appender.start()
        await self.runtime.start()
        await self.results.start()
        await self.trial.start()
        await self.relay.start()
        self._ready = True

    async def stop(self) -> None:
        self._ready = False
        await self.results.stop()
        await self.trial.stop()
        await self.runtime.stop()
        await self.relay.stop()
        await self.appender.stop()

    def ready(self) -> bool:
        return self._ready


async def compose(platform: Platform) -> Ledger:
    """Raises SettingsProblem when the prize schedules cannot be used."""
    try:
        prizes = load()
    except WrongSchedule as error:
        raise SettingsProblem(f"the prize schedules: {error}") from None
    return Ledger(platform, prizes)
