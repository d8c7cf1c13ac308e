"""Rooms composed: the only module that knows which adapters there are."""

from __future__ import annotations

from circolo_contracts.rooms import ClaimCode, ReleaseCode, ReserveCode
from circolo_events.aggregate import StreamKind
from circolo_events.appender import Appender
from circolo_events.client import CommandClient
from circolo_events.deadlines import DeadlineWorker
from circolo_events.reaction import Reaction
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_service.platform import Platform
from circolo_service.settings import SettingsProblem

from .code import CodeDecider
from .commands import ChangeName, Identify, OpenRoom, RegisterPlayer
from .doors import Doors
from .guests import Guests
from .player import PlayerDecider
from .presence import SWEEP_SECONDS, Presence
from .profiles import Profiles
from .reactions import OWN, RESULTS, on_result, on_room
from .registry import REGISTRY
from .room import RULES, RoomDecider
from .rounds import Round
from .tokens import TokenIssuer, UnusableKey

NAME = "rooms"
GAME_SERVICES = ("cardgames",)
"""Whose results end a room's game."""
DRAFTS_SECONDS = 60.0

KINDS = (
    StreamKind.of("player", PlayerDecider(), RegisterPlayer, ChangeName, Identify),
    StreamKind.of("code", CodeDecider(), ReserveCode, ClaimCode, ReleaseCode),
    StreamKind.of("room", RoomDecider(), OpenRoom, *RULES),
)


class Rooms:
    """Started in the order of what stands on what, stopped the other way round."""

    def __init__(self, platform: Platform, tokens: TokenIssuer) -> None:
        pool, bus, clock = platform.pool, platform.bus, platform.clock
        self.store = Store(pool)
        self.appender = Appender(platform.connect)
        self.runtime = Runtime(NAME, self.store, self.appender, REGISTRY, KINDS, bus, clock)
        self.profiles = Profiles(pool, self.store)
        self.presence = Presence(self.runtime, pool, clock)
        guests = Guests(self.runtime, self.profiles, tokens)
        doors = Doors(self.runtime, self.store, clock, self.presence)
        self.runtime.handlers |= guests.handlers() | doors.handlers() | self.presence.handlers()
        self.runtime.ask_handlers["code"] = doors.look
        self.deadlines = DeadlineWorker(
            pool, clock, {"unclaimed": doors.unclaimed, "expiry": doors.expired}, self.runtime.deadlines
        )
        client = CommandClient(bus)
        own = Reaction(
            "rooms.codes", NAME, service=NAME, pool=pool, store=self.store, registry=OWN, react=on_room, client=client,
            bus=bus,
        )  # fmt: skip
        results = [
            Reaction(
                f"rooms.results.{source}", source, service=NAME, pool=pool, store=Store(pool, schema=source),
                registry=RESULTS, react=on_result, client=client, bus=bus,
            )
            for source in GAME_SERVICES
        ]  # fmt: skip
        self.reactions = [own, *results]
        self.relay = Relay.log(NAME, self.store, bus, pool)
        self.rounds = [
            Round("presence", SWEEP_SECONDS, self.presence.sweep),
            Round("drafts of names", DRAFTS_SECONDS, self.profiles.sweep),
        ]
        self.runtime.on_commit.append(self.relay.wake)
        self.runtime.on_armed.append(self.deadlines.armed)
        self._bus = bus
        self._ready = False

    async def start(self) -> None:
        self._bus.reconnected.append(self.presence.distrust)
        self.appender.start()
        await self.runtime.start()
        await self.deadlines.start()
        for reaction in self.reactions:
            await reaction.start()
        await self.relay.start()
        for work in self.rounds:
            work.start()
        self._ready = True

    async def stop(self) -> None:
        self._ready = False
        self._bus.reconnected.remove(self.presence.distrust)
        for work in self.rounds:
            await work.stop()
        await self.deadlines.stop()
        for reaction in self.reactions:
            await reaction.stop()
        await self.runtime.stop()
        await self.relay.stop()
        await self.appender.stop()

    def ready(self) -> bool:
        return self._ready


async def compose(platform: Platform) -> Rooms:
    """Raises SettingsProblem without a usable key for tokens."""
    path = platform.settings.token_private_key_file
    if path is None:
        raise SettingsProblem("CIRCOLO_TOKEN_PRIVATE_KEY_FILE is not set")
    try:
        return Rooms(platform, TokenIssuer.from_file(path, platform.clock))
    except UnusableKey as error:
        raise SettingsProblem(f"CIRCOLO_TOKEN_PRIVATE_KEY_FILE: {error}") from None
