from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    FinishGame,
    GameFinished,
    LeaveRoom,
    MarkConnected,
    MarkDisconnected,
    PlayerConnected,
    RoomClosed,
    TakeSeat,
)
from circolo_events.decider import Deadline
from circolo_events.testing.scenario import NOON
from circolo_rooms.commands import ExpireRoom
from table_talk import ANNA, BRUNO, CODE, DAY, GAME_ID, ROOMS, begun, came, join, opened, room

EXPIRED = RoomClosed(at=NOON + DAY, code=CODE, reason="EXPIRED")


def test_a_room_expires_a_day_after_the_last_thing_that_was_done() -> None:
    table = room(opened(2))
    assert table.decider.deadlines(table.state) == {"expiry": Deadline(due_at=NOON + DAY, version=1)}
    later = table.when(TakeSeat(1), actor=ANNA, now=NOON + 5).go_on()
    assert later.decider.deadlines(later.state) == {"expiry": Deadline(due_at=NOON + 5 + DAY, version=2)}
    assert later.decider.view(later.state, None).expires_at == NOON + 5 + DAY


def test_coming_and_going_on_the_wire_is_no_action() -> None:
    table = room(opened(2), PlayerConnected(at=NOON + 9, player=ANNA))
    assert table.decider.deadlines(table.state) == {"expiry": Deadline(due_at=NOON + DAY, version=1)}


def test_the_deadline_closes_the_room_if_it_is_still_armed() -> None:
    table = room(opened(2)).when(ExpireRoom(version=1), actor=ROOMS, now=NOON + DAY).then(EXPIRED)
    assert table.decider.deadlines(table.state) == {}
    table.when(ExpireRoom(version=1), actor=ROOMS).then_nothing()


def test_a_deadline_that_was_moved_does_nothing() -> None:
    room(opened(2), came(BRUNO, 1)).when(ExpireRoom(version=1), actor=ROOMS, now=NOON + DAY).then_nothing()


def test_while_a_game_is_on_the_room_has_no_deadline_of_its_own() -> None:
    playing = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    assert playing.decider.deadlines(playing.state) == {}
    away = playing.when(LeaveRoom(), actor=BRUNO).go_on()
    assert away.decider.deadlines(away.state) == {}
    away.when(ExpireRoom(version=2), actor=ROOMS).then_nothing()


def test_after_the_game_the_day_starts_again() -> None:
    finished = GameFinished(at=NOON + 7, game_id=GAME_ID, outcome="WON")
    table = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO), finished)
    assert table.decider.deadlines(table.state) == {"expiry": Deadline(due_at=NOON + 7 + DAY, version=4)}


def test_a_closed_room_answers_that_it_is_closed() -> None:
    closed = room(opened(2), EXPIRED)
    for wish in (join(), join(watch=True), LeaveRoom(), TakeSeat(1)):
        closed.when(wish, actor=ANNA).then_refused(RefusalCode.ROOM_CLOSED)
    closed.when(MarkConnected(ANNA), actor=ROOMS).then_refused(RefusalCode.ROOM_CLOSED)
    closed.when(MarkDisconnected(ANNA), actor=ROOMS).then_nothing()
    closed.when(FinishGame(game_id=GAME_ID, idle=False, outcome="WON"), actor=ROOMS).then_nothing()


def test_nobody_expires_a_room_by_hand() -> None:
    room(opened(2)).when(ExpireRoom(version=1), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)
