from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import MarkConnected, MarkDisconnected, PlayerConnected, PlayerDisconnected
from circolo_events.testing.scenario import NOON
from table_talk import ANNA, BRUNO, ROOMS, at_seats, came, opened, room


def test_coming_and_going_is_marked_once() -> None:
    there = room(opened()).when(MarkConnected(ANNA), actor=ROOMS).then(PlayerConnected(at=NOON, player=ANNA))
    there.when(MarkConnected(ANNA), actor=ROOMS).then_nothing()
    gone = there.when(MarkDisconnected(ANNA), actor=ROOMS).then(PlayerDisconnected(at=NOON, player=ANNA))
    gone.when(MarkDisconnected(ANNA), actor=ROOMS).then_nothing()


def test_whose_line_drops_keeps_his_seat() -> None:
    table = room(opened(2), came(BRUNO, 1), PlayerConnected(at=NOON, player=BRUNO))
    assert at_seats(table.when(MarkDisconnected(BRUNO), actor=ROOMS).go_on()) == [ANNA, BRUNO]


def test_j11_the_view_says_who_is_there_now() -> None:
    table = room(opened(2), came(BRUNO, 1), PlayerConnected(at=NOON, player=BRUNO))
    assert [m.connected for m in table.decider.view(table.state, None).members] == [False, True]


def test_who_is_not_in_the_room_is_not_marked() -> None:
    room(opened()).when(MarkConnected(BRUNO), actor=ROOMS).then_nothing()
    room(opened()).when(MarkDisconnected(BRUNO), actor=ROOMS).then_nothing()


def test_nobody_marks_himself() -> None:
    room(opened()).when(MarkConnected(ANNA), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)
