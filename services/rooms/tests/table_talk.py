"""Words for the rule book: a few people, a room, and what is done there."""

from __future__ import annotations

from circolo_contracts.games import BRISCOLA, SettingValue, ranked_settings
from circolo_contracts.rooms import GameRequested, PlayerJoined, RoomCreated, RoomEvent, SeatOccupant, Visibility
from circolo_contracts.wire import Actor
from circolo_events.testing.scenario import NOON, Scenario, given
from circolo_rooms.commands import EnterRoom
from circolo_rooms.room import RoomDecider
from msgspec.structs import replace

ANNA, BRUNO, CARLA, DARIO, ELENA = (letter * 32 for letter in "abcde")
ROOM = "1" * 32
STREAM = f"room-{ROOM}"
CODE = "ABC234"
GAME_ID = "2" * 32
ROOMS = Actor("service", "rooms")
DAY = 24 * 3_600_000


def settings(**named: SettingValue) -> dict[str, SettingValue]:
    return BRISCOLA.defaults() | named


def opened(players: int = 2, visibility: Visibility = "PUBLIC") -> RoomCreated:
    return RoomCreated(
        at=NOON, code=CODE, game="BRISCOLA", host=ANNA, room=ROOM, settings=settings(players=players),
        visibility=visibility,
    )  # fmt: skip


def ranked(players: int = 4) -> RoomCreated:
    chosen = ranked_settings(BRISCOLA, {"players": players})
    assert isinstance(chosen, dict)
    return replace(opened(players), settings=chosen, ranked=True)


def came(player: str, seat: int | None = None) -> PlayerJoined:
    return PlayerJoined(at=NOON, player=player) if seat is None else PlayerJoined(at=NOON, player=player, seat=seat)


def begun(*players: str, game_no: int = 1) -> GameRequested:
    seats = [SeatOccupant(player=p) for p in players]
    return GameRequested(
        at=NOON, game="BRISCOLA", game_id=GAME_ID, game_no=game_no, seats=seats, settings=settings(players=len(seats))
    )


def room(*events: RoomEvent) -> Scenario:
    return given(RoomDecider(), *events, stream=STREAM)


def join(watch: bool = False) -> EnterRoom:
    return EnterRoom(watch=watch)


def at_seats(scenario: Scenario) -> list[str | None]:
    """Who sits where: a player id, a CPU's level or nobody."""
    view = scenario.decider.view(scenario.state, None)
    return [s.player or s.cpu or None for s in view.seats]
