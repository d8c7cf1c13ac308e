"""Party games, which a host runs and which need not be full: who may start them, and what their service is told."""

from __future__ import annotations

from circolo_contracts.games import TOMBOLA
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    GameFinished,
    GameRequested,
    HandOverHost,
    HostChanged,
    LeaveRoom,
    MarkConnected,
    MarkDisconnected,
    PlayerConnected,
    PlayerDisconnected,
    PlayerJoined,
    PlayerLeft,
    RoomCreated,
    SeatOccupant,
    StartGame,
    TakeSeat,
)
from circolo_events.testing.scenario import NOON, Scenario
from msgspec import UNSET
from table_talk import ANNA, BRUNO, CARLA, CODE, GAME_ID, ROOM, ROOMS, at_seats, begun, came, join, opened, room

STREAM = f"tombola-{GAME_ID}"
OPENED = RoomCreated(
    at=NOON, code=CODE, game="TOMBOLA", host=ANNA, room=ROOM, settings=TOMBOLA.defaults(), visibility="PUBLIC"
)
PEOPLE = [f"{number:032x}" for number in range(1, 25)]


def on(*seats: str) -> GameRequested:
    return GameRequested(
        at=NOON, game="TOMBOLA", game_id=GAME_ID, game_no=1, seats=[SeatOccupant(player=who) for who in seats],
        settings=TOMBOLA.defaults(), host=ANNA,
    )  # fmt: skip


def requested(table: Scenario) -> GameRequested:
    decided = table.when(StartGame(), actor=ANNA).decided
    assert isinstance(decided, list), decided
    return decided[0]


def test_a_person_alone_may_start_a_tombola() -> None:
    start = requested(room(OPENED))
    assert start.seats == [SeatOccupant(player=ANNA)]
    assert (start.host, start.previous) == (ANNA, UNSET)


def test_an_empty_seat_between_two_people_keeps_its_number() -> None:
    table = room(OPENED, came(BRUNO, 1)).when(TakeSeat(3), actor=BRUNO).go_on()
    assert requested(table).seats == [
        SeatOccupant(player=ANNA), SeatOccupant(), SeatOccupant(), SeatOccupant(player=BRUNO),
    ]  # fmt: skip


def test_nobody_at_the_table_is_too_few() -> None:
    seated_host = room(OPENED, PlayerJoined(at=NOON, player=BRUNO))
    without = seated_host.when(HandOverHost(BRUNO), actor=ANNA).go_on().when(LeaveRoom(), actor=ANNA).go_on()
    assert [who for who in at_seats(without) if who] == []
    without.when(StartGame(), actor=BRUNO).then_refused(RefusalCode.SEATS_EMPTY)


def test_party_T25_the_25th_person_finds_the_room_full() -> None:
    table = room(OPENED)
    for who in PEOPLE[:23]:
        table = table.when(join(), actor=who).go_on()
    assert None not in at_seats(table)
    table.when(join(), actor=PEOPLE[23]).then_refused(RefusalCode.ROOM_FULL)
    table.when(join(watch=True), actor=PEOPLE[23]).then(PlayerJoined(at=NOON, player=PEOPLE[23]))


def test_who_comes_after_the_start_may_only_watch() -> None:
    table = room(OPENED, on(ANNA))
    table.when(join(), actor=BRUNO).then_refused(RefusalCode.GAME_STARTED)
    table.when(join(watch=True), actor=BRUNO).then(PlayerJoined(at=NOON, player=BRUNO))


def test_there_are_no_cpus_at_a_tombola() -> None:
    room(OPENED).when(AddCpu("EASY", 1), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


def test_while_it_is_on_its_service_is_told_who_comes_and_goes() -> None:
    table = room(OPENED, came(BRUNO, 1), on(ANNA, BRUNO))
    there = table.when(MarkConnected(BRUNO), actor=ROOMS).then(PlayerConnected(at=NOON, player=BRUNO, during=STREAM))
    gone = there.when(MarkDisconnected(BRUNO), actor=ROOMS)
    gone.then(PlayerDisconnected(at=NOON, player=BRUNO, during=STREAM))


def test_before_and_after_it_nobody_is_told() -> None:
    table = room(OPENED, on(ANNA), GameFinished(at=NOON, game_id=GAME_ID, outcome="WON"))
    for lobby in (room(OPENED), table):
        lobby.when(MarkConnected(ANNA), actor=ROOMS).then(PlayerConnected(at=NOON, player=ANNA))


def test_a_card_game_is_told_nothing_of_it() -> None:
    table = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    table.when(MarkConnected(ANNA), actor=ROOMS).then(PlayerConnected(at=NOON, player=ANNA))
    table.when(HandOverHost(BRUNO), actor=ANNA).then(HostChanged(at=NOON, player=BRUNO))


def test_a_new_host_is_named_with_whether_he_is_there() -> None:
    table = room(OPENED, came(BRUNO, 1), on(ANNA, BRUNO))
    handed = table.when(HandOverHost(BRUNO), actor=ANNA)
    handed.then(HostChanged(at=NOON, player=BRUNO, away=True, during=STREAM))
    there = room(OPENED, came(BRUNO, 1), on(ANNA, BRUNO), PlayerConnected(at=NOON, player=BRUNO))
    there.when(HandOverHost(BRUNO), actor=ANNA).then(HostChanged(at=NOON, player=BRUNO, during=STREAM))


def test_a_host_who_leaves_is_told_of_before_his_successor() -> None:
    left = room(OPENED, came(BRUNO, 1), on(ANNA, BRUNO)).when(LeaveRoom(), actor=ANNA)
    left.then(
        PlayerLeft(at=NOON, keeps_seat=True, player=ANNA, during=STREAM),
        HostChanged(at=NOON, player=BRUNO, away=True, during=STREAM),
    )


def test_the_next_game_names_the_one_before_whatever_it_is() -> None:
    over = (OPENED, came(BRUNO, 1), on(ANNA, BRUNO), GameFinished(at=NOON, game_id=GAME_ID, outcome="WON"))
    again = requested(room(*over))
    assert (again.game_no, again.previous, again.host) == (2, STREAM, ANNA)
    assert [seat.player for seat in again.seats] == [ANNA, BRUNO], "the same people"
    cards = requested(room(opened(2), came(CARLA, 1)))
    assert (cards.previous, cards.host) == (UNSET, UNSET)
