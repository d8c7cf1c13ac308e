"""What the list says of a room after each thing that happens there."""

from __future__ import annotations

import random

import pytest
from circolo_contracts import rooms
from circolo_contracts.rooms import RoomEvent
from circolo_projector.rooms.room import OutOfOrder, Room, follow
from circolo_projector.rooms.tables import arguments, room_of
from evenings import ANNA, BRUNO, CARLA, NOON, evening, opened, requested, settings
from msgspec.structs import replace

ROOM = "1" * 32


def after(*events: RoomEvent) -> Room:
    row = Room(ROOM)
    for version, event in enumerate(events, 1):
        row = follow(row, version, event)
    return row


def came(player: str, seat: int | None = None) -> rooms.PlayerJoined:
    return rooms.PlayerJoined(at=NOON, player=player) if seat is None else rooms.PlayerJoined(NOON, player, seat)


def test_a_public_room_is_in_the_lobby_with_its_host_at_the_table() -> None:
    row = after(opened(ROOM))
    assert row.in_lobby
    assert (row.host, row.taken, len(row.seats), row.phase) == (ANNA, 1, 2, "LOBBY")


def test_a_ranked_room_says_so_for_good() -> None:
    ranked = after(replace(opened(ROOM), ranked=True), came(BRUNO, 1), requested())
    assert ranked.ranked
    assert not after(opened(ROOM)).ranked


def test_a_private_room_is_not_in_the_lobby() -> None:
    assert not after(opened(ROOM, visibility="PRIVATE")).in_lobby


def test_a_closed_room_leaves_the_lobby() -> None:
    assert not after(opened(ROOM), rooms.RoomClosed(NOON, "ABC234", "EMPTY")).in_lobby


def test_who_joins_takes_a_seat_and_a_spectator_none() -> None:
    row = after(opened(ROOM), came(BRUNO, 1), came(CARLA))
    assert row.taken == 2
    assert [(m.player, m.spectator) for m in row.members] == [(ANNA, False), (BRUNO, False), (CARLA, True)]


def test_who_moves_leaves_his_old_seat_free() -> None:
    row = after(opened(ROOM, players=4), rooms.SeatTaken(NOON, ANNA, 2))
    assert [s is not None for s in row.seats] == [False, False, True, False]


def test_a_spectator_who_sits_down_watches_no_more() -> None:
    row = after(opened(ROOM), came(CARLA), rooms.SeatTaken(NOON, CARLA, 1))
    assert not row.members[1].spectator


def test_a_cpu_counts_as_a_taken_seat() -> None:
    seated = after(opened(ROOM), rooms.CpuSeated(NOON, "HARD", 1))
    assert seated.taken == 2
    assert follow(seated, 3, rooms.CpuRemoved(NOON, 1)).taken == 1


def test_a_room_that_plays_stays_in_the_lobby_and_a_kept_seat_is_free_after_the_game() -> None:
    left = rooms.PlayerLeft(at=NOON, keeps_seat=True, player=BRUNO)
    row = after(opened(ROOM), came(BRUNO, 1), requested(), left)
    assert row.in_lobby
    assert (row.phase, row.taken, len(row.members), row.game_no) == ("PLAYING", 2, 1, 1)
    done = follow(row, 5, rooms.GameFinished(NOON, "0" * 32, "SEAT_0"))
    assert (done.phase, done.taken) == ("LOBBY", 1)


def test_fewer_seats_leave_those_beyond_the_last_one_standing() -> None:
    smaller = rooms.SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(players=2))
    row = after(opened(ROOM, players=4), came(BRUNO, 3), smaller)
    assert (len(row.seats), row.taken, len(row.members)) == (2, 1, 2)


def test_coming_and_going_on_the_wire_moves_only_the_version() -> None:
    row = after(opened(ROOM))
    moved = follow(row, 2, rooms.PlayerConnected(NOON, ANNA))
    assert (moved.version, moved.members, moved.seats) == (2, row.members, row.seats)


def test_an_event_that_is_there_already_changes_nothing_and_a_missing_one_stops() -> None:
    row = after(opened(ROOM), came(BRUNO, 1))
    assert follow(row, 2, came(CARLA)) is row
    with pytest.raises(OutOfOrder, match="version 4"):
        follow(row, 4, came(CARLA))


def test_a_row_read_back_from_its_columns_is_the_same() -> None:
    columns = "room version code created_at visibility phase game settings_json host seats taken members spectators"
    names = [*columns.split(), "game_no", "game_id", "people", "ranked"]
    for seed in range(50):
        row = after(*evening(random.Random(seed), ROOM, 20))
        record = dict(zip(names, (column[0] for column in arguments([row])), strict=True))
        assert room_of(record) == row
