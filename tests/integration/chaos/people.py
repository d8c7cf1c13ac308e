"""Clients that do not give up: the same key until they are answered, another gateway when one is gone."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import websockets
from circolo_contracts.cardgames import PlayCard
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Command, Done, Refused
from circolo_devstack.api import Api, ApiError, Closed, Follower
from circolo_events import canonical
from circolo_events.client import CommandClient
from evening import GAME_QUERY, GAME_SUBSCRIPTION, PLAY, ROOM_QUERY, ROOM_SUBSCRIPTION, answer

from .history import UNDECIDED, Accepted, History, Json, Refusal, Shown, Watching, command_of, player_in, stream_in

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PATIENCE_SECONDS = 60.0
"""A fault lasts seconds; who is not answered by then never will be."""
LATER = (*UNDECIDED, "SERVER_RESTARTING", "TOO_MANY_REQUESTS")
GONE = (OSError, websockets.InvalidHandshake, websockets.ConnectionClosed, Closed, TimeoutError)


class Person(Api):
    """One guest with several gateways to choose from."""

    def __init__(
        self, urls: Sequence[str], history: History, seed: int, *, inside: CommandClient | None = None
    ) -> None:
        super().__init__(urls[0], patience=0.0)
        self.urls = [url.rstrip("/") + "/graphql" for url in urls]
        self.history = history
        self.rng = random.Random(seed)
        self.inside = inside
        """With it, cards go past the gateway, whose answers tell no position."""
        self.url = self.rng.choice(self.urls)

    def move(self) -> None:
        """To the next gateway, if there is another one."""
        self.url = self.urls[(self.urls.index(self.url) + 1) % len(self.urls)]

    async def call(self, document: str, **variables: Any) -> Json:
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return await super().call(document, **variables)
            except (httpx.TransportError, ValueError):
                if time.monotonic() > until:
                    raise
            except ApiError as error:
                if not all(code in LATER for code in error.codes):
                    self.history.odd.append(f"{document.partition('(')[0].strip()}: {error} {error.codes}")
                if time.monotonic() > until:
                    raise
            self.move()
            await asyncio.sleep(0.1)

    async def arrive(self, name: str) -> None:
        """Sign in. There is no key for it: after no answer a new guest is made."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not self.token:
            try:
                await self.sign_in(name)
            except ApiError as error:
                if time.monotonic() > until or error.codes[0] not in UNDECIDED:
                    raise
                await asyncio.sleep(0.1)

    async def insist(self, document: str, stream: str, idempotency_key: str, what: str, **variables: Any) -> Json:
        """The decisive answer; every answer is written down."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            got = await answer(self, document, **variables)
            if self._note(got, stream, idempotency_key, what):
                return got
            if time.monotonic() > until:
                raise TimeoutError(f"{what} on {stream} was never decided")
            await asyncio.sleep(0.05)

    def _note(self, got: Json, stream: str, idempotency_key: str, what: str) -> bool:
        command = command_of(self.player, idempotency_key)
        service = "cardgames" if stream.startswith("match-") else "rooms"
        if got["__typename"] == "Refused":
            if got["code"] in UNDECIDED:
                self.history.undecided += 1
                return False
            self.history.refused.append(Refusal(service, stream, command, what, got["code"]))
            return True
        self.history.accept(Accepted(service, stream, command, what, got["version"], got["replayed"]))
        return True

    # ------------------------------------------------------------ cards

    async def play(self, game_id: str, card: str, version: int, idempotency_key: str, *, twice: bool = False) -> None:
        """A card under its key; ``twice``: a nervous finger, both at once."""
        if self.inside is not None:
            await self._play_inside(self.inside, game_id, card, version, idempotency_key)
            return
        stream = stream_in(game_id)
        variables = {"game": game_id, "card": card, "key": idempotency_key, "version": version}
        attempts = [self.insist(PLAY, stream, idempotency_key, "playCard", **variables) for _ in range(1 + twice)]
        await asyncio.gather(*attempts)

    async def _play_inside(
        self, client: CommandClient, game_id: str, card: str, version: int, idempotency_key: str
    ) -> None:
        stream, player = stream_in(game_id), player_in(self.player)
        command = Command(
            Actor("player", player), msgspec.Raw(canonical.encode(PlayCard(card))),
            command_of(self.player, idempotency_key), "PlayCard", expected=version,
        )  # fmt: skip
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            got = await client.send("cardgames", stream, command)
            if isinstance(got, Done):
                told = Accepted("cardgames", stream, command.id, "playCard", got.version, got.replayed, got.position)
                self.history.accept(told)
                return
            assert isinstance(got, Refused)
            if got.code not in (RefusalCode.UNAVAILABLE, RefusalCode.RATE_LIMITED):
                self.history.refused.append(Refusal("cardgames", stream, command.id, "playCard", got.code.value))
                return
            self.history.undecided += 1
        raise TimeoutError(f"a card on {stream} was never decided")


class Watcher(Follower):
    """A subscription that is written down. ``restless``: it closes after some updates and opens anew, elsewhere."""

    def __init__(self, person: Person, field: str, identity: str, *, restless: bool = False) -> None:
        document, name = (GAME_SUBSCRIPTION, "game") if field == "game" else (ROOM_SUBSCRIPTION, "room")
        super().__init__(person, field, document, **{name: identity})
        self.person = person
        self.identity = identity
        self.record = Watching(stream_in(identity), player_in(person.player) if person.player else "")
        person.history.watching.append(self.record)
        self._restless = restless

    async def until(self, wanted: Any, timeout: float = PATIENCE_SECONDS) -> Json:
        return await super().until(wanted, timeout)

    async def _follow(self) -> None:
        pause = 0.05
        while True:
            after = self.versions[-1] if self.versions else self._after
            try:
                if await self._look(after):
                    return
                pause = 0.05
            except ApiError as error:
                if not all(code in LATER for code in error.codes):
                    self.person.history.odd.append(f"subscription {self.field}: {error} {error.codes}")
                    self._end(error)
                    return
            except GONE as error:
                if isinstance(error, Closed) and 4400 <= error.code < 4500:
                    self.person.history.odd.append(f"subscription {self.field}: closed with {error.code}")
                    self._end(error)
                    return
            self.reconnects += 1
            self.person.history.reconnects += 1
            self.person.move()
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.5)

    async def _look(self, after: int | None) -> bool:
        """One socket. True when the server says that there is no more."""
        stay = self.person.rng.randint(2, 12) if self._restless else 1_000_000
        async with self.api.subscribe(self.document, **self.variables, after=after) as updates:
            async for data in updates:
                self._take(data[self.field])
                stay -= 1
                if not stay:
                    return False
        return True

    def _take(self, update: Json) -> None:
        happened = tuple((each["kind"], each["atVersion"]) for each in update["happened"])
        view = update[self.field]
        self.record.shown.append(Shown(update["version"], update["reset"], happened, view, self.reconnects))
        super()._take(update)

    async def settle(self, seconds: float = 30.0) -> None:
        """Wait until what is shown is what a fresh query shows, and write that down."""
        document, name = (GAME_QUERY, "game") if self.field == "game" else (ROOM_QUERY, "id")
        try:
            async with asyncio.timeout(seconds):
                while True:
                    fresh = await answer(self.person, document, **{name: self.identity})
                    await self.until(lambda update, v=fresh["version"]: update["version"] >= v)
                    self.record.final = fresh
                    if self.latest["version"] == fresh["version"]:
                        self.record.converged = True
                        return
        except TimeoutError:
            return


@asynccontextmanager
async def watching(person: Person, field: str, identity: str, *, restless: bool = False) -> AsyncIterator[Watcher]:
    async with Watcher(person, field, identity, restless=restless) as watcher:
        yield watcher


@asynccontextmanager
async def people(
    urls: Sequence[str], history: History, rng: random.Random, names: Sequence[str], *, inside: CommandClient | None
) -> AsyncIterator[list[Person]]:
    async with AsyncExitStack() as stack:
        guests = [
            await stack.enter_async_context(Person(urls, history, rng.getrandbits(32), inside=inside)) for _ in names
        ]
        await asyncio.gather(*(guest.arrive(name) for guest, name in zip(guests, names, strict=True)))
        yield guests


def fresh_key(rng: random.Random) -> str:
    """From the storm's seed; a player's keys are his own, so two houses may see the same one."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
