"""Load for Circolo: pairs who play one briscola after another in their room, each card as soon as it is their turn.

``python -m bench.peers.circolo_client --port=8000 --rooms=20 --warmup=2000 --window=8000 --think=0`` (ms)
``--house=20``: beside them, and not measured, tables of one person against a CPU that searches.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sys

import uvloop

from . import documents
from .documents import Data, Game, Play
from .meter import Meter
from .people import Person, signed_in
from .websocket import Refused

HOST = "127.0.0.1"
STALL_SECONDS = 15.0
SHOWN_ERRORS = 5


class Seat:
    """A player's side of the running game: what he sees, and the move that he waits for."""

    def __init__(self, table: Table, person: Person) -> None:
        self.person = person
        self.version = 0
        self.hand: list[str] = []
        self.frame = b""
        self.ended = False
        self._table = table
        self._subscription: str | None = None
        self._sent_at = 0.0
        self._sent_version = -1
        """Of the state that the unconfirmed move was made on; -1 when there is none."""

    def watch(self, game: str) -> None:
        if self._subscription is not None:
            self.person.unfollow(self._subscription)
        self.version, self.hand, self.frame, self.ended, self._sent_version = 0, [], b"", False, -1
        self._subscription = self.person.follow(documents.GAME, self._updated, game=game)

    def _updated(self, data: Data, raw: bytes) -> None:
        update, table = data.game, self._table
        assert update is not None
        meter, game = table.meter, update.game
        if self._sent_version >= 0 and update.version > self._sent_version:
            meter.move(self._sent_at)
            self._sent_version = -1
        elif meter.inside():
            meter.peer_updates += 1
        self.version, self.hand, self.frame = update.version, game.hand or [], raw
        table.seen(self, game)
        if game.status == "RUNNING":
            if game.turn == game.seat and game.legal_moves and self._sent_version < 0 and not meter.over:
                self._play_soon(game.legal_moves[0].card)
        elif game.status == "ENDED" and not self.ended:
            self.ended = True
            table.seat_ended()

    def _play_soon(self, card: str) -> None:
        self._sent_version = self.version
        think = self._table.think
        if think:
            self._sent_at = float("inf")
            asyncio.get_running_loop().call_later(think * (0.5 + random.random()), self._play, card)
        else:
            self._play(card)

    def _play(self, card: str) -> None:
        message = self._table.play.message(next(self.person.numbers), card, self._sent_version)
        self._sent_at = self._table.meter.clock()
        self.person.send(message)


class Table:
    """A room of two for as long as the window is open. Without a guest the house sits there, at HARD."""

    def __init__(self, meter: Meter, think: float, host: Person, guest: Person | None) -> None:
        self.meter = meter
        self.think = think
        self.play = Play("")
        self._guest = guest
        self._seats = [Seat(self, person) for person in (host, guest) if person is not None]
        self._room = ""
        self._game: str | None = None
        self._began = 0.0
        self._ready = False
        self._phase = ""
        self._starting: asyncio.Task[None] | None = None
        self._last_seen = 0.0

    async def evening(self) -> None:
        """Open the room, then play until the window closes. A stall is an error and ends the evening."""
        host, guest = self._seats[0].person, self._guest
        self._began = self._last_seen = self.meter.clock()
        created = (await host.ask(documents.CREATE, key=documents.key_of(next(host.numbers)))).create_room
        assert created is not None and created.room is not None
        self._room = created.room["id"]
        if guest is None:
            await host.ask(documents.ADD_CPU, room=self._room, key=documents.key_of(next(host.numbers)))
        else:
            await guest.ask(documents.JOIN, code=created.room["code"], key=documents.key_of(next(guest.numbers)))
        for seat in self._seats:
            seat.person.follow(documents.ROOM, self._room_updated, room=self._room)
        while not self.meter.over:
            await asyncio.sleep(0.25)
            if self.meter.clock() - self._last_seen > STALL_SECONDS:
                self.meter.error("stall")
                return

    def _room_updated(self, data: Data, _: bytes) -> None:
        update = data.room
        assert update is not None
        room = update.room
        if room.phase == "PLAYING" and room.game_id is not None and room.game_id != self._game:
            self._game, self._ready, self.play = room.game_id, False, Play(room.game_id)
            for seat in self._seats:
                seat.watch(room.game_id)
        self._phase = room.phase
        self._start_if_free()

    def seat_ended(self) -> None:
        if all(seat.ended for seat in self._seats):
            self.meter.games += 1
            self._began = self.meter.clock()
            self._start_if_free()

    def _start_if_free(self) -> None:
        """When the room is in its lobby and both have seen the end."""
        free = self._phase == "LOBBY" and (self._game is None or all(seat.ended for seat in self._seats))
        if free and self._starting is None and not self.meter.over:
            self._starting = asyncio.get_running_loop().create_task(self._start())

    async def _start(self) -> None:
        host = self._seats[0].person
        try:
            await host.ask(documents.START, room=self._room, key=documents.key_of(next(host.numbers)))
        except (Refused, TimeoutError) as refusal:
            self.meter.error(f"startGame {refusal}")
        finally:
            self._starting = None

    def seen(self, seat: Seat, game: Game) -> None:
        """Whether the two views of one version keep each other's cards to themselves (the exposed trump is public)."""
        self._last_seen = self.meter.clock()
        if len(self._seats) == 1:
            return
        other = self._seats[1] if seat is self._seats[0] else self._seats[0]
        if not self._ready and game.status == "RUNNING" and seat.hand and other.hand:
            self._ready = True
            self.meter.setups.append(self.meter.clock() - self._began)
        if other.version == seat.version:
            for mine, theirs in ((seat, other), (other, seat)):
                for card in theirs.hand:
                    if card != game.trump_card and b'"%b"' % card.encode() in mine.frame:
                        self.meter.leaks += 1


async def pair(meter: Meter, think: float, host: Person, guest: Person | None) -> None:
    if think:
        await asyncio.sleep(random.random() * think)
    while not meter.over:
        try:
            await Table(meter, think, host, guest).evening()
        except (Refused, TimeoutError) as refusal:
            meter.error(str(refusal) or "no answer")
            await asyncio.sleep(0.1)


async def load(port: int, rooms: int, warmup: float, window: float, think: float, house: int = 0) -> Meter:
    """Times in seconds. What is wrong at the house's tables counts as an error too."""
    early: list[str] = []
    meter: Meter | None = None

    def complain(reason: str) -> None:
        if meter is None:
            early.append(reason)
        else:
            meter.error(reason)

    people = await signed_in(HOST, port, [f"Player {n}" for n in range(rooms * 2 + house)], complain)
    gc.collect()
    gc.freeze()
    meter, aside = Meter(warmup, window), Meter(warmup, window)
    for reason in early:
        meter.error(reason)
    tables = [asyncio.create_task(pair(meter, think, *people[n : n + 2])) for n in range(0, rooms * 2, 2)]
    tables += [asyncio.create_task(pair(aside, think, person, None)) for person in people[rooms * 2 :]]
    await meter.announce()
    await asyncio.wait(tables, timeout=2.5)
    for person in people:
        person.close()
    for reason, times in aside.reasons.items():
        for _ in range(times):
            meter.error(f"at a table of the house: {reason}")
    meter.house_moves = len(aside.round_trips)
    return meter


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    for name, default in (("rooms", 1), ("warmup", 2000), ("window", 8000), ("think", 0), ("house", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    o = parser.parse_args(argv)
    meter = uvloop.run(load(o.port, o.rooms, o.warmup / 1000, o.window / 1000, o.think / 1000, o.house))
    for reason, times in list(meter.reasons.items())[:SHOWN_ERRORS]:
        print(f"{times} x {reason}", file=sys.stderr)
    print(meter.report(), flush=True)


if __name__ == "__main__":
    main()
