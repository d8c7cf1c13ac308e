"""Rooms composed: the only module that knows which adapters there are."""

from __future__ import annotations

from circolo_contracts.codes import ClaimCode, ReleaseCode, ReserveCode
from circolo_contracts.direction import GrantRole, RevokeRole
from circolo_events.aggregate import StreamKind
from circolo_events.appender import Appender
from circolo_events.client import CommandClient
from circolo_events.deadlines import DeadlineWorker
from circolo_events.local import LocalClient
from circolo_events.reaction import React, Reaction
from circolo_events.registry import EventRegistry
from circolo_events.relay import Relay
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from circolo_service.platform import Platform
from circolo_service.settings import SettingsProblem

from .code import CodeDecider
from .commands import ChangeName, Identify, OpenRoom, RegisterPlayer
from .direction.admission import Admission
from .direction.commands import Ban, CloseReport, Erase, FileReport, Mute, Warn
from .direction.consequences import DECISIONS, on_decision
from .direction.erasure import Erasure
from .direction.frozen import Frozen
from .direction.putting_out import PuttingOut
from .direction.register import Register
from .direction.report import ReportDecider
from .direction.reporting import Reporting
from .direction.sanctions import Sanctions
from .doors import Doors
from .guests import Guests
from .player import PlayerDecider
from .presence import SWEEP_SECONDS, Presence
from .profiles import Profiles
from .reactions import OWN, RESULTS, on_result, on_room
from .registry import REGISTRY
from .room import RULES, RoomDecider
from .rounds import Round
from .talk.commands import FreeTalk, HushTalk, PostMessage
from .talk.hearing import Hearing
from .talk.silence import HEARD, on_match
from .talk.speaking import Speaking, Talk
from .talk.texts import Texts
from .tokens import TokenIssuer, UnusableKey

NAME = "rooms"
MATCHES = "cardgames"
"""Whose matches have tricks, in the first of which a table may be silent."""
GAME_SERVICES = (MATCHES, "tombola", "trivia")
"""Whose results end a room's game."""
DRAFTS_SECONDS = 60.0


def kinds(mouth: Speaking) -> tuple[StreamKind, ...]:
    return (
        StreamKind.of(
            "player",
            PlayerDecider(),
            RegisterPlayer,
            ChangeName,
            Identify,
            GrantRole,
            RevokeRole,
            Warn,
            Mute,
            Ban,
            Erase,
        ),
        StreamKind.of("code", CodeDecider(), ReserveCode, ClaimCode, ReleaseCode),
        StreamKind.of("room", RoomDecider(), OpenRoom, *RULES),
        StreamKind.of("chat", mouth, PostMessage, HushTalk, FreeTalk),
        StreamKind.of("report", ReportDecider(), FileReport, CloseReport),
    )


class Rooms:
    """Started in the order of what stands on what, stopped the other way round."""

    def __init__(self, platform: Platform, tokens: TokenIssuer) -> None:
        pool, bus, clock = platform.pool, platform.bus, platform.clock
        mouth = Speaking()
        self._platform = platform
        self.client = CommandClient(bus)
        self.store = Store(pool)
        self.appender = Appender(platform.connect)
        self.runtime = Runtime(NAME, self.store, self.appender, REGISTRY, kinds(mouth), bus, clock)
        self.profiles = Profiles(pool, self.store)
        self.texts = Texts(pool, self.store)
        self.frozen = Frozen(pool, self.store)
        self.presence = Presence(self.runtime, pool, clock)
        self.register = Register(pool, self.store, bus)
        self.doors = Doors(self.runtime, self.store, clock, self.presence, Admission(self.runtime, clock))
        self.erasure = Erasure(self.runtime, pool)
        self.talk = Talk(self.runtime, self.store, REGISTRY, self.texts, mouth, clock)
        self._serve(tokens)
        self.deadlines = DeadlineWorker(
            pool, clock, {"unclaimed": self.doors.unclaimed, "expiry": self.doors.expired}, self.runtime.deadlines
        )
        self.reactions = [
            self._reaction("rooms.codes", NAME, OWN, on_room),
            *(self._reaction(f"rooms.results.{source}", source, RESULTS, on_result) for source in GAME_SERVICES),
            self._reaction("rooms.direction", NAME, DECISIONS, on_decision),
            self._reaction("rooms.silence", MATCHES, HEARD, on_match, poked=False),
        ]
        self.relay = Relay.log(NAME, self.store, bus, pool)
        self.rounds = [
            Round("presence", SWEEP_SECONDS, self.presence.sweep),
            Round("drafts of names", DRAFTS_SECONDS, self.profiles.sweep),
            Round("drafts of messages", DRAFTS_SECONDS, self.texts.sweep),
            Round("reports", DRAFTS_SECONDS, lambda: self.frozen.sweep(clock.now())),
            Round("erased players", DRAFTS_SECONDS, self.erasure.sweep),
        ]
        self.runtime.on_commit.append(self.relay.wake)
        self.runtime.on_armed.append(self.deadlines.armed)
        self._bus = bus
        self._ready = False

    def _serve(self, tokens: TokenIssuer) -> None:
        """Who answers which command and question."""
        runtime, clock = self.runtime, self._platform.clock
        sanctions = Sanctions(runtime, self.frozen, clock)
        parts = (
            Guests(runtime, self.profiles, tokens), self.doors, self.doors.admission, self.presence, self.talk,
            Hearing(runtime, Store(self._platform.pool, schema=MATCHES)), sanctions, self.erasure,
            Reporting(runtime, self.talk, self.frozen, self.client, clock), PuttingOut(runtime, self.register),
        )  # fmt: skip
        for part in parts:
            runtime.handlers |= part.handlers()
        runtime.ask_handlers |= {"code": self.doors.look, "chat": self.talk.look, "report": sanctions.look}

    def _reaction(
        self, name: str, source: str, registry: EventRegistry, react: React, *, poked: bool = True
    ) -> Reaction:
        """``poked`` false: only by the poll, five times a second. Tricks end by the hundred, and few matter."""
        pool, bus = self._platform.pool, self._platform.bus if poked else None
        store = self.store if source == NAME else Store(pool, schema=source)
        return Reaction(
            name, source, service=NAME, pool=pool, store=store, registry=registry, react=react,
            client=LocalClient(self.runtime, self.client), bus=bus,
        )  # fmt: skip

    async def start(self) -> None:
        self._bus.reconnected.append(self.presence.distrust)
        self.appender.start()
        await self.runtime.start()
        await self.deadlines.start()
        await self.register.subscription.start()
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
        await self.register.subscription.stop()
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
