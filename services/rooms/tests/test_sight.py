from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    GameFinished,
    LeaveRoom,
    MemberView,
    RoomHappening,
    RoomView,
    SeatView,
    SettingsChanged,
    TakeSeat,
)
from circolo_events.decider import PUBLIC, Rejection
from circolo_events.testing.scenario import NOON
from msgspec import UNSET
from table_talk import ANNA, BRUNO, CARLA, CODE, DAY, GAME_ID, ROOM, begun, came, opened, room, settings


def test_a_public_room_may_be_seen_by_everybody() -> None:
    table = room(opened(2))
    assert all(table.decider.viewer(table.state, who) == PUBLIC for who in (ANNA, CARLA, ""))


def test_s5_a_private_room_is_for_who_entered_by_the_code() -> None:
    table = room(opened(2, "PRIVATE"), came(BRUNO))
    assert table.decider.viewer(table.state, ANNA) == table.decider.viewer(table.state, BRUNO) == PUBLIC
    for stranger in (CARLA, "", "0" * 32):
        assert table.decider.viewer(table.state, stranger) == Rejection(RefusalCode.NOT_ALLOWED)


def test_an_empty_seat_of_a_private_room_lets_nobody_look_in() -> None:
    table = room(opened(4, "PRIVATE"))
    assert isinstance(table.decider.viewer(table.state, ""), Rejection)


def test_who_left_a_private_room_sees_it_only_while_his_seat_waits() -> None:
    lobby = room(opened(2, "PRIVATE"), came(BRUNO, 1)).when(LeaveRoom(), actor=BRUNO).go_on()
    assert isinstance(lobby.decider.viewer(lobby.state, BRUNO), Rejection)
    game = room(opened(2, "PRIVATE"), came(BRUNO, 1), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=BRUNO).go_on()
    assert game.decider.viewer(game.state, BRUNO) == PUBLIC


def test_the_view_names_what_it_shows() -> None:
    table = room(opened(2), came(BRUNO, 1), came(CARLA), begun(ANNA, BRUNO))
    assert table.decider.view(table.state, PUBLIC) == RoomView(
        code=CODE, created_at=NOON, game="BRISCOLA", game_no=1, host=ANNA, phase="PLAYING", room=ROOM, version=4,
        members=[MemberView(False, ANNA, False), MemberView(False, BRUNO, False), MemberView(False, CARLA, True)],
        seats=[SeatView(seat=0, team=0, player=ANNA), SeatView(seat=1, team=1, player=BRUNO)],
        settings=settings(), visibility="PUBLIC", game_id=GAME_ID, latest_game="BRISCOLA",
    )  # fmt: skip
    lobby = room(opened(2))
    assert lobby.decider.view(lobby.state, PUBLIC).expires_at == NOON + DAY
    assert lobby.decider.audiences(lobby.state) == (PUBLIC,)


def test_the_last_game_keeps_its_kind_when_the_table_turns_to_another() -> None:
    over = GameFinished(at=NOON, game_id=GAME_ID, outcome="WON")
    other = SettingsChanged(at=NOON, game="SCOPA", settings={"players": 2, "target": 11})
    table = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO), over, other)
    view = table.decider.view(table.state, PUBLIC)
    assert (view.game, view.game_id, view.latest_game) == ("SCOPA", GAME_ID, "BRISCOLA")
    fresh = room(opened(2))
    assert fresh.decider.view(fresh.state, PUBLIC).latest_game is UNSET


def test_what_happened_is_told_with_whom_and_where() -> None:
    table = room(opened(4), came(BRUNO, 1))
    before = table.state
    (event,) = table.when(TakeSeat(3), actor=BRUNO).decided or ()
    table.go_on()
    told = table.decider.tell(event, before, table.state, PUBLIC)
    assert told == (RoomHappening(at_version=3, kind="SeatTaken", player=BRUNO, seat=3),)
