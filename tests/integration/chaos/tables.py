"""One table's evening: a room, people and CPUs, match after match until the storm is over."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from circolo_events.client import CommandClient
from evening import ADD_CPU, CREATE, JOIN, LEAVE, START, mutation, over

from .history import History, Json, command_of, stream_in
from .people import Person, Watcher, fresh_key, people

END_GAME = mutation("endGame", roomId="ID!")
MATCH_SECONDS = 120.0


@dataclass(frozen=True)
class Seating:
    """Who plays here. ``clock``: seconds to play a card, 0 for none."""

    players: int = 2
    persons: int = 2
    spectators: int = 0
    clock: int = 0
    best_of: int = 1
    inside: bool = False
    """Its people's cards go past the gateway."""


SEATINGS = (
    Seating(spectators=1),
    Seating(players=4, persons=2),
    Seating(persons=1),
    Seating(inside=True),
    Seating(players=4, persons=3, spectators=1),
    Seating(players=4, persons=1, clock=2),
    Seating(best_of=3),
)


@dataclass
class Around:
    """What all tables share."""

    urls: Sequence[str]
    history: History
    inside: CommandClient | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the storm is over: no new match is begun."""


class Table:
    def __init__(self, around: Around, seating: Seating, seed: int) -> None:
        self.around = around
        self.seating = seating
        self.rng = random.Random(seed)
        self.room: Json = {}
        self.cards: list[tuple[Person, str, str, int, str]] = []
        """What was played in this match: who, game, card, version, key."""

    async def evening(self) -> None:
        """Until the storm is over, at least one match. Everybody leaves at the end and the room closes."""
        inside = self.around.inside if self.seating.inside else None
        names = [f"Guest {number}" for number in range(self.seating.persons + self.seating.spectators)]
        async with people(self.around.urls, self.around.history, self.rng, names, inside=inside) as guests:
            players, spectators = guests[: self.seating.persons], guests[self.seating.persons :]
            while True:
                await self._open(players)
                async with AsyncExitStack() as stack:
                    rooms = [
                        await stack.enter_async_context(Watcher(guest, "room", self.room["id"], restless=restless))
                        for guest, restless in zip(guests, (False, True, False, True, False), strict=False)
                    ]
                    for _ in range(2):
                        await self._match(players, spectators, rooms[0])
                        if self.around.over.is_set():
                            break
                    await asyncio.gather(*(watcher.settle() for watcher in rooms))
                await self._leave(players)
                if self.around.over.is_set():
                    return

    # ------------------------------------------------------------ the room

    async def _open(self, players: list[Person]) -> None:
        host, seating = players[0], self.seating
        settings = {"players": seating.players, "clockSeconds": seating.clock, "bestOf": seating.best_of}
        key = fresh_key(self.rng)
        stream = f"room-{command_of(host.player, key)}"
        created = await host.insist(
            CREATE, stream, key, "createRoom", game={"briscola": settings}, visibility="PUBLIC", key=key
        )
        self.room = created["room"]
        for person in players[1:]:
            await self._wish(person, JOIN, "joinRoom", code=self.room["code"], watch=False)
        for seat in range(len(players), seating.players):
            level = self.rng.choice(("EASY", "MEDIUM", "HARD"))
            await self._wish(host, ADD_CPU, "addCpu", roomId=self.room["id"], seat=seat, level=level)

    async def _wish(self, person: Person, document: str, what: str, **variables: object) -> Json:
        """A mutation on our room; twice at once now and then, as nervous fingers do."""
        key = fresh_key(self.rng)
        attempts = [
            person.insist(document, stream_in(self.room["id"]), key, what, idempotencyKey=key, **variables)
            for _ in range(1 + (self.rng.random() < 0.1))
        ]
        got, *_ = await asyncio.gather(*attempts)
        if got["__typename"] == "Refused":
            self.around.history.odd.append(f"{what} was refused: {got['code']}")
        return got

    async def _leave(self, players: list[Person]) -> None:
        for person in players:
            await self._wish(person, LEAVE, "leaveRoom", roomId=self.room["id"])

    # ------------------------------------------------------------ a match

    async def _match(self, players: list[Person], spectators: list[Person], room: Watcher) -> None:
        started = await self._wish(players[0], START, "startGame", roomId=self.room["id"])
        game = started["room"]["gameId"]
        self.cards = []
        stops = self.rng.randint(3, 12) if self.rng.random() < 0.1 else 0
        async with asyncio.timeout(MATCH_SECONDS), AsyncExitStack() as stack:
            watchers = [
                await stack.enter_async_context(Watcher(guest, "game", game, restless=guest in spectators))
                for guest in (*players, *spectators)
            ]
            await asyncio.gather(
                *(self._play(watcher, game) for watcher in watchers[: len(players)]), self._stop(watchers[0], stops)
            )
            await asyncio.gather(
                *(watcher.until(lambda update: over(update["game"]) and update["game"]["seed"]) for watcher in watchers)
            )
            await self._old_keys()
            await asyncio.gather(*(watcher.settle() for watcher in watchers))
            await room.until(lambda update: update["room"]["phase"] == "LOBBY")
        self.around.history.matches += 1

    async def _play(self, watcher: Watcher, game: str) -> None:
        acted = -1
        while True:
            update = watcher.latest
            view = update["game"]
            if over(view):
                return
            ours = view["turn"] is not None and view["turn"] == view["seat"] and view["legalMoves"]
            if ours and update["version"] > acted:
                acted = update["version"]
                await self._card(watcher.person, game, view, acted)
            last = update["version"]
            await watcher.until(lambda newer, last=last: newer["version"] > last)

    async def _card(self, person: Person, game: str, view: Json, version: int) -> None:
        card = self.rng.choice(view["legalMoves"])["card"]
        key = fresh_key(self.rng)
        self.cards.append((person, game, card, version, key))
        if self.seating.clock and self.rng.random() < 0.2:
            return  # asleep: the clock will play
        await person.play(game, card, version, key, twice=self.rng.random() < 0.1)

    async def _stop(self, watcher: Watcher, after: int) -> None:
        """Sometimes the host ends it for everybody."""
        if after:
            await watcher.until(lambda update: update["version"] > after or over(update["game"]))
            if not over(watcher.latest["game"]):
                person, key = watcher.person, fresh_key(self.rng)
                stream = stream_in(self.room["id"])
                await person.insist(END_GAME, stream, key, "endGame", roomId=self.room["id"], idempotencyKey=key)

    async def _old_keys(self) -> None:
        """Long after, a retry of an earlier card: its first answer again, or the refusal of a match that is over."""
        for person, game, card, version, key in self.rng.sample(self.cards, min(2, len(self.cards))):
            await person.play(game, card, version, key)
