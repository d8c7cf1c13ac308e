from __future__ import annotations

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    AssignTeam,
    ChangeSettings,
    CpuRemoved,
    CpuSeated,
    RemoveCpu,
    SeatTaken,
    TakeSeat,
)
from circolo_events.testing.scenario import NOON
from table_talk import ANNA, BRUNO, CARLA, DARIO, at_seats, begun, came, opened, room

CPU_AT_1 = CpuSeated(at=NOON, level="EASY", seat=1)


def test_a_member_moves_to_a_free_seat_and_leaves_his_own_free() -> None:
    table = room(opened(4)).when(TakeSeat(3), actor=ANNA).then(SeatTaken(at=NOON, player=ANNA, seat=3))
    assert at_seats(table) == [None, None, None, ANNA]


def test_nobody_sits_on_somebody_elses_lap() -> None:
    table = (opened(4), CPU_AT_1, came(BRUNO, 2))
    for seat in (1, 2):
        room(*table).when(TakeSeat(seat), actor=ANNA).then_refused(RefusalCode.SEAT_TAKEN, "seat")


def test_taking_ones_own_seat_is_nothing() -> None:
    room(opened(4)).when(TakeSeat(0), actor=ANNA).then_nothing()


@pytest.mark.parametrize("seat", [-1, 4, 2**53 - 1])
def test_there_is_no_seat_beyond_the_table(seat: int) -> None:
    for wish in (TakeSeat(seat), AddCpu("EASY", seat), RemoveCpu(seat)):
        room(opened(4)).when(wish, actor=ANNA).then_refused(RefusalCode.NO_SUCH_SEAT, "seat")


def test_a_spectator_may_sit_down_in_the_lobby() -> None:
    table = room(opened(4), came(BRUNO)).when(TakeSeat(3), actor=BRUNO).go_on()
    assert not table.state.member(BRUNO).spectator


def test_seats_and_teams_are_settled_before_the_game() -> None:
    playing = (opened(2), came(BRUNO, 1), begun(ANNA, BRUNO))
    for wish in (TakeSeat(0), AssignTeam(ANNA, 1), AddCpu("EASY", 1), RemoveCpu(1), ChangeSettings("BRISCOLA", {})):
        room(*playing).when(wish, actor=ANNA).then_refused(RefusalCode.GAME_STARTED)


def test_partners_sit_opposite_each_other() -> None:
    table = room(opened(4), came(BRUNO, 1), came(CARLA, 2), came(DARIO, 3))
    assert [s.team for s in table.decider.view(table.state, None).seats] == [0, 1, 0, 1]
    head_to_head = room(opened(2))
    assert [s.team for s in head_to_head.decider.view(head_to_head.state, None).seats] == [0, 1]


def test_a_player_chooses_his_team_and_gets_its_lowest_free_seat() -> None:
    table = room(opened(4), came(BRUNO, 1)).when(AssignTeam(BRUNO, 0), actor=BRUNO)
    assert at_seats(table.then(SeatTaken(at=NOON, player=BRUNO, seat=2))) == [ANNA, None, BRUNO, None]


def test_the_host_may_put_anybody_in_a_team_and_others_only_themselves() -> None:
    table = (opened(4), came(BRUNO, 1), came(CARLA))
    room(*table).when(AssignTeam(CARLA, 1), actor=ANNA).then(SeatTaken(at=NOON, player=CARLA, seat=3))
    room(*table).when(AssignTeam(CARLA, 1), actor=BRUNO).then_refused(RefusalCode.NOT_HOST)


def test_who_is_in_the_team_already_stays_where_he_is() -> None:
    room(opened(4)).when(AssignTeam(ANNA, 0), actor=ANNA).then_nothing()


def test_a_team_without_a_free_seat_takes_nobody() -> None:
    table = room(opened(4), came(BRUNO, 1), came(CARLA, 2)).when(AssignTeam(BRUNO, 0), actor=BRUNO)
    table.then_refused(RefusalCode.SEAT_TAKEN, "team")


@pytest.mark.parametrize("team", [-1, 2])
def test_there_are_two_teams(team: int) -> None:
    room(opened(4)).when(AssignTeam(ANNA, team), actor=ANNA).then_refused(RefusalCode.NO_SUCH_TEAM, "team")


def test_only_who_is_in_the_room_has_a_team() -> None:
    room(opened(4)).when(AssignTeam(BRUNO, 0), actor=ANNA).then_refused(RefusalCode.NOT_IN_ROOM, "player")


def test_the_host_seats_a_cpu_and_sends_it_away() -> None:
    seated = room(opened(2)).when(AddCpu("HARD", 1), actor=ANNA).then(CpuSeated(at=NOON, level="HARD", seat=1))
    assert at_seats(seated) == [ANNA, "HARD"]
    assert at_seats(seated.when(RemoveCpu(1), actor=ANNA).then(CpuRemoved(at=NOON, seat=1))) == [ANNA, None]


def test_another_level_replaces_the_cpu_and_the_same_is_nothing() -> None:
    table = room(opened(2), CPU_AT_1)
    table.when(AddCpu("EASY", 1), actor=ANNA).then_nothing()
    table.when(AddCpu("HARD", 1), actor=ANNA).then(CpuSeated(at=NOON, level="HARD", seat=1))


def test_a_cpu_takes_nobodys_seat() -> None:
    room(opened(2)).when(AddCpu("EASY", 0), actor=ANNA).then_refused(RefusalCode.SEAT_TAKEN, "seat")


def test_only_a_cpu_can_be_removed() -> None:
    for seat in (0, 1):
        room(opened(2)).when(RemoveCpu(seat), actor=ANNA).then_refused(RefusalCode.NOT_A_CPU, "seat")
