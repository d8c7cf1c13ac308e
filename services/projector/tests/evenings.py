"""Events as rooms commits them, drawn at random: everything that can happen in a room, in an order that can be."""

from __future__ import annotations

import random
import uuid

from circolo_contracts import rooms
from circolo_contracts.games import BRISCOLA, SettingValue
from circolo_contracts.rooms import RoomEvent, SeatOccupant, Visibility
from msgspec import UNSET, Struct

NOON = 1_800_000_000_000
ANNA, BRUNO, CARLA = (letter * 32 for letter in "abc")


def settings(**named: SettingValue) -> dict[str, SettingValue]:
    return BRISCOLA.defaults() | named


def opened(room: str, *, at: int = NOON, visibility: Visibility = "PUBLIC", players: int = 2) -> rooms.RoomCreated:
    return rooms.RoomCreated(
        at=at, code="ABC234", game="BRISCOLA", host=ANNA, room=room, settings=settings(players=players),
        visibility=visibility,
    )  # fmt: skip


def requested(no: int = 1) -> rooms.GameRequested:
    seats = [SeatOccupant(player=ANNA), SeatOccupant(player=BRUNO)]
    return rooms.GameRequested(
        at=NOON, game="BRISCOLA", game_id=f"{no:032x}", game_no=no, seats=seats, settings=settings()
    )


def evening(chance: random.Random, room: str, length: int) -> list[RoomEvent]:
    """One room's events. Closed at the end, or not."""
    players = 4
    events: list[RoomEvent] = [
        opened(room, at=NOON + chance.randrange(1000), visibility=chance.choice(["PUBLIC", "PRIVATE"]), players=4)
    ]
    for number in range(length):
        person = uuid.UUID(int=chance.getrandbits(128) % 6).hex
        seat = chance.randrange(players)
        event: Struct = chance.choice([
            rooms.PlayerJoined(at=NOON, player=person, seat=chance.choice([seat, UNSET])),
            rooms.PlayerLeft(at=NOON, keeps_seat=chance.random() < 0.5, player=person),
            rooms.SeatTaken(at=NOON, player=person, seat=seat),
            rooms.CpuSeated(at=NOON, level="EASY", seat=seat),
            rooms.CpuRemoved(at=NOON, seat=seat),
            rooms.HostChanged(at=NOON, player=person),
            rooms.SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(players=chance.choice([2, 4]))),
            rooms.PlayerConnected(at=NOON, player=person),
            rooms.PlayerDisconnected(at=NOON, player=person),
            requested(number + 1),
            rooms.GameStopRequested(at=NOON, game_id="0" * 32, player=person),
            rooms.GameFinished(at=NOON, game_id="0" * 32, outcome="TEAM_0"),
        ])  # fmt: skip
        if isinstance(event, rooms.SettingsChanged):
            players = int(event.settings["players"])
        events.append(event)  # type: ignore[arg-type]
    if chance.random() < 0.3:
        events.append(rooms.RoomClosed(at=NOON, code="ABC234", reason="EMPTY"))
    return events
