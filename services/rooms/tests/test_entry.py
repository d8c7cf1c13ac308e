from __future__ import annotations

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    HostChanged,
    LeaveRoom,
    PlayerJoined,
    PlayerLeft,
    RoomClosed,
    RoomCreated,
    SeatTaken,
    SettingsChanged,
)
from circolo_contracts.wire import Actor
from circolo_events.testing.scenario import NOON
from circolo_rooms.commands import OpenRoom
from circolo_rooms.entry import MAX_PEOPLE
from table_talk import (
    ANNA,
    BRUNO,
    CARLA,
    CODE,
    DARIO,
    ROOM,
    ROOMS,
    at_seats,
    begun,
    came,
    join,
    opened,
    room,
    settings,
)


def open_room(game: str = "BRISCOLA", **chosen: object) -> OpenRoom:
    return OpenRoom(code=CODE, code_until=NOON + 1, game=game, settings=chosen, visibility="PRIVATE")  # type: ignore[arg-type]


# ---- opening


def test_who_opens_a_room_is_its_host_and_sits_at_seat_0() -> None:
    opened_now = room().when(open_room(players=4), actor=ANNA).then(
        RoomCreated(
            at=NOON, code=CODE, game="BRISCOLA", host=ANNA, room=ROOM, settings=settings(players=4),
            visibility="PRIVATE",
        )
    )  # fmt: skip
    assert at_seats(opened_now) == [ANNA, None, None, None]


def test_a_room_for_a_game_that_the_house_does_not_have_is_refused() -> None:
    room().when(open_room("POKER"), actor=ANNA).then_refused(RefusalCode.UNKNOWN_GAME, "game")


@pytest.mark.parametrize(("name", "value"), [("players", 3), ("players", "2"), ("bestOf", True), ("stakes", 1)])
def test_a_setting_that_is_not_allowed_is_refused_by_its_name(name: str, value: object) -> None:
    room().when(open_room(**{name: value}), actor=ANNA).then_refused(RefusalCode.INVALID_SETTING, name)


def test_a_code_that_was_reserved_too_long_ago_opens_no_room() -> None:
    room().when(open_room(), actor=ANNA, now=NOON + 2).then_refused(RefusalCode.UNAVAILABLE)


def test_a_room_is_opened_once() -> None:
    room(opened()).when(open_room(), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


def test_nothing_can_be_done_in_a_room_that_does_not_exist() -> None:
    room().when(join(), actor=ANNA).then_refused(RefusalCode.NOT_FOUND)


def test_only_a_person_opens_a_room() -> None:
    room().when(open_room(), actor=ROOMS).then_refused(RefusalCode.NOT_ALLOWED)


# ---- joining


def test_who_joins_takes_the_lowest_free_seat() -> None:
    table = room(opened(4)).when(join(), actor=BRUNO).then(came(BRUNO, 1))
    table.when(join(), actor=CARLA).then(came(CARLA, 2))


def test_who_joins_takes_a_seat_that_became_free_below() -> None:
    left = PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO)
    room(opened(4), came(BRUNO, 1), came(CARLA, 2), left).when(join(), actor=DARIO).then(came(DARIO, 1))


def test_j2_two_joins_at_once_to_a_room_of_two_with_a_free_seat_each_are_both_in() -> None:
    table = room(opened(4), came(CARLA, 1)).when(join(), actor=BRUNO).then(came(BRUNO, 2))
    assert at_seats(table.when(join(), actor=DARIO).then(came(DARIO, 3))) == [ANNA, CARLA, BRUNO, DARIO]


def test_j3_of_three_at_a_table_for_two_the_third_is_refused() -> None:
    table = room(opened(2)).when(join(), actor=BRUNO).then(came(BRUNO, 1))
    table.when(join(), actor=CARLA).then_refused(RefusalCode.ROOM_FULL)


def test_j8_joining_twice_is_nothing_new_and_changes_no_seat() -> None:
    table = room(opened(4)).when(join(), actor=BRUNO).go_on()
    before = table.state
    table.when(join(), actor=BRUNO).then_nothing()
    table.when(join(watch=True), actor=BRUNO).then_nothing()
    assert table.state == before


def test_a_full_room_can_be_watched() -> None:
    table = room(opened(2), came(BRUNO, 1)).when(join(watch=True), actor=CARLA).then(came(CARLA))
    assert table.state.members[-1].spectator


def test_a_spectator_who_joins_again_without_watching_sits_down() -> None:
    table = room(opened(4), came(BRUNO)).when(join(), actor=BRUNO)
    seated = table.then(SeatTaken(at=NOON, player=BRUNO, seat=1))
    assert not seated.state.members[-1].spectator


def test_a_spectator_of_a_full_room_gets_no_seat() -> None:
    room(opened(2), came(BRUNO, 1), came(CARLA)).when(join(), actor=CARLA).then_refused(RefusalCode.ROOM_FULL)


def test_once_a_game_is_on_nobody_new_sits_down() -> None:
    playing = (opened(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    room(*playing).when(join(), actor=CARLA).then_refused(RefusalCode.GAME_STARTED)
    watching = room(*playing).when(join(watch=True), actor=CARLA).then(came(CARLA))
    watching.when(join(), actor=CARLA).then_refused(RefusalCode.GAME_STARTED)


def test_a_member_without_a_seat_who_joins_again_during_a_game_is_answered_as_he_is() -> None:
    narrower = SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(players=2))
    table = room(opened(4), came(BRUNO, 1), came(CARLA, 2), narrower, begun(ANNA, BRUNO))
    table.when(join(), actor=CARLA).then_nothing()


def test_a_room_holds_a_bounded_number_of_people() -> None:
    crowd = [came(f"{n:032x}") for n in range(MAX_PEOPLE - 1)]
    room(opened(2), *crowd).when(join(watch=True), actor=BRUNO).then_refused(RefusalCode.ROOM_FULL)


def test_a_cpu_and_a_service_cannot_join() -> None:
    for nobody in (Actor("cpu", "1"), ROOMS):
        room(opened()).when(join(), actor=nobody).then_refused(RefusalCode.NOT_ALLOWED)


# ---- leaving


def test_who_leaves_the_lobby_frees_his_seat() -> None:
    table = room(opened(2), came(BRUNO, 1)).when(LeaveRoom(), actor=BRUNO)
    left = table.then(PlayerLeft(at=NOON, keeps_seat=False, player=BRUNO))
    assert at_seats(left) == [ANNA, None]
    left.when(LeaveRoom(), actor=BRUNO).then_refused(RefusalCode.NOT_IN_ROOM)


def test_when_the_last_person_leaves_the_lobby_the_room_closes() -> None:
    gone = PlayerLeft(at=NOON, keeps_seat=False, player=ANNA)
    room(opened()).when(LeaveRoom(), actor=ANNA).then(gone, RoomClosed(at=NOON, code=CODE, reason="EMPTY"))


def test_a_friendly_game_keeps_the_seat_of_who_leaves_and_he_may_come_back() -> None:
    playing = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    away = playing.when(LeaveRoom(), actor=BRUNO).then(PlayerLeft(at=NOON, keeps_seat=True, player=BRUNO))
    assert at_seats(away) == [ANNA, BRUNO]
    back = away.when(join(), actor=BRUNO).then(PlayerJoined(at=NOON, player=BRUNO, seat=1))
    assert [m.player for m in back.state.members] == [ANNA, BRUNO]


def test_who_comes_back_to_his_seat_sits_there_even_if_he_asked_only_to_watch() -> None:
    away = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=BRUNO).go_on()
    away.when(join(watch=True), actor=BRUNO).then(came(BRUNO, 1))


def test_a_spectator_leaves_a_game_without_a_trace() -> None:
    watched = room(opened(2), came(BRUNO, 1), came(CARLA), begun(ANNA, BRUNO))
    watched.when(LeaveRoom(), actor=CARLA).then(PlayerLeft(at=NOON, keeps_seat=False, player=CARLA))


def test_a_game_that_everybody_left_goes_on_waiting() -> None:
    playing = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=BRUNO).go_on()
    empty = playing.when(LeaveRoom(), actor=ANNA).then(PlayerLeft(at=NOON, keeps_seat=True, player=ANNA))
    assert empty.state.phase == "PLAYING"
    back = empty.when(join(), actor=BRUNO).then(came(BRUNO, 1), HostChanged(at=NOON, player=BRUNO))
    back.when(join(), actor=ANNA).then(came(ANNA, 0))
    assert back.state.host == BRUNO


def test_the_host_who_left_last_and_comes_back_first_is_still_the_host() -> None:
    empty = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=BRUNO).go_on()
    empty = empty.when(LeaveRoom(), actor=ANNA).go_on()
    empty.when(join(), actor=ANNA).then(came(ANNA, 0))
