"""The list of public rooms: the projector's read model, and a live tail of its changes.

One NATS subscription and one read for each burst of changes, whatever the number of subscribers. Changes of one room
that a slow subscriber has not taken yet are one change; when too many rooms wait, he is told to read the list anew.
"""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import asyncpg
import msgspec
from circolo_events.bus import BusSubscription, Message, NatsBus
from circolo_events.failures import DATABASE_AWAY

log = logging.getLogger(__name__)

SUBJECT = "view.lobby.public"
MOST_IN_A_READ = 500
GATHER_SECONDS = 0.05
"""Changes within this time are read together."""

_COLUMNS = "room, code, game, host, seats, taken, phase, settings_json, created_at, version"
_PAGE = f"""
SELECT {_COLUMNS} FROM projector.lobby
WHERE ($1::text IS NULL OR game = $1) AND ($2::text IS NULL OR phase = $2) AND (NOT $3 OR taken < seats)
  AND ($4::int8 IS NULL OR created_at < $4 OR (created_at = $4 AND room > $5))
ORDER BY created_at DESC, room LIMIT $6
"""
_ROOMS = f"SELECT {_COLUMNS} FROM projector.lobby WHERE room = ANY($1)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A public room in the list. ``seats``: how many; ``taken``: how many of them; times in ms."""

    room: str
    code: str
    game: str
    host: str
    seats: int
    taken: int
    phase: str
    settings_json: str
    created_at: int
    version: int


@dataclass(frozen=True, slots=True)
class Filter:
    game: str | None = None
    phase: str | None = None
    free_seats: bool = False

    def lets(self, entry: Entry) -> bool:
        return (
            (self.game is None or entry.game == self.game)
            and (self.phase is None or entry.phase == self.phase)
            and (not self.free_seats or entry.taken < entry.seats)
        )


@dataclass(frozen=True, slots=True)
class Page:
    entries: list[Entry]
    more: bool


@dataclass(slots=True, eq=False)
class _Place:
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: dict[str, Entry | None] = field(default_factory=dict)
    """By room; None: it left the list."""
    lost: bool = False


class _Change(msgspec.Struct):
    room: str
    kind: str


RESET = object()
"""What a subscriber gets when changes were lost for him."""


class Lobby:
    def __init__(self, pool: asyncpg.Pool, bus: NatsBus, *, pending: int = 500) -> None:
        self._pool = pool
        self._bus = bus
        self._pending = pending
        self._places: set[_Place] = set()
        self._changed: set[str] = set()
        self._reading: asyncio.Task[None] | None = None
        self._subscription: BusSubscription | None = None
        self._decode = msgspec.json.Decoder(_Change).decode

    async def start(self) -> None:
        self._subscription = await self._bus.subscribe(SUBJECT, self._on_change)
        self._bus.reconnected.append(self._reset_all)

    async def stop(self) -> None:
        if self._reset_all in self._bus.reconnected:
            self._bus.reconnected.remove(self._reset_all)
        if self._reading is not None:
            self._reading.cancel()

    async def page(self, wanted: Filter, first: int, after: tuple[int, str] | None) -> Page:
        """The newest rooms first. ``after``: creation time and id of the last one seen."""
        at, room = after or (None, None)
        rows = await self._pool.fetch(
            _PAGE, wanted.game, wanted.phase, wanted.free_seats, at, room, first + 1, timeout=5
        )
        return Page([Entry(*row) for row in rows[:first]], len(rows) > first)

    async def changes(self, wanted: Filter) -> AsyncGenerator[tuple[str, Entry | None] | object, None]:
        """(room, its entry or None when it is not in the filtered list), or RESET."""
        place = _Place()
        self._places.add(place)
        try:
            while True:
                await place.wake.wait()
                place.wake.clear()
                if place.lost:
                    place.lost = False
                    place.waiting.clear()
                    yield RESET
                while place.waiting and not place.lost:
                    room = next(iter(place.waiting))
                    entry = place.waiting.pop(room)
                    yield room, entry if entry is not None and wanted.lets(entry) else None
        finally:
            self._places.discard(place)

    def _on_change(self, received: Message) -> None:
        if not self._places:
            return
        try:
            change = self._decode(received.data)
        except msgspec.MsgspecError:
            log.warning("a lobby change cannot be read")
            self._reset_all()
            return
        self._changed.add(change.room)
        if self._reading is None:
            self._reading = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        try:
            await asyncio.sleep(GATHER_SECONDS)
            while self._changed:
                changed = [self._changed.pop() for _ in range(min(len(self._changed), MOST_IN_A_READ))]
                rows = await self._pool.fetch(_ROOMS, changed, timeout=5)
                found = {row["room"]: Entry(*row) for row in rows}
                for room in changed:
                    self._offer(room, found.get(room))
        except DATABASE_AWAY as error:
            log.warning("the lobby cannot be read: %s", type(error).__name__)
            self._changed.clear()
            self._reset_all()
        finally:
            self._reading = None

    def _offer(self, room: str, entry: Entry | None) -> None:
        for place in self._places:
            if len(place.waiting) >= self._pending and room not in place.waiting:
                place.lost = True
            else:
                place.waiting[room] = entry
            place.wake.set()

    def _reset_all(self) -> None:
        for place in self._places:
            place.lost = True
            place.wake.set()


def cursor_of(entry: Entry) -> str:
    return base64.urlsafe_b64encode(f"{entry.created_at}:{entry.room}".encode()).decode().rstrip("=")


def read_cursor(text: str) -> tuple[int, str] | None:
    """None when it is no cursor of ours."""
    if len(text) > 200:
        return None
    try:
        at, _, room = (
            base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            .decode("ascii")
            .partition(":")
        )
        return (int(at), room) if room and 0 <= int(at) < 2**53 else None
    except ValueError:
        return None
