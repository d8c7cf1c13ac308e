from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    ChangeSettings,
    CpuSeated,
    EndGame,
    HandOverHost,
    HostChanged,
    LeaveRoom,
    PlayerLeft,
    RemoveCpu,
    SettingsChanged,
    StartGame,
)
from circolo_events.testing.scenario import NOON
from table_talk import ANNA, BRUNO, CARLA, DARIO, begun, came, opened, room, settings


def test_only_the_host_runs_the_table() -> None:
    table = (opened(2), came(BRUNO, 1))
    of_the_table = [AddCpu("EASY", 1), RemoveCpu(1), ChangeSettings("BRISCOLA", {})]
    wishes = [*of_the_table, HandOverHost(BRUNO), StartGame(), EndGame()]
    for wish in wishes:
        room(*table).when(wish, actor=BRUNO).then_refused(RefusalCode.NOT_HOST)
        room(*table).when(wish, actor=CARLA).then_refused(RefusalCode.NOT_IN_ROOM)


def test_the_host_hands_over_to_a_person_in_the_room() -> None:
    table = room(opened(2), came(BRUNO, 1)).when(HandOverHost(BRUNO), actor=ANNA)
    handed = table.then(HostChanged(at=NOON, player=BRUNO))
    handed.when(HandOverHost(ANNA), actor=ANNA).then_refused(RefusalCode.NOT_HOST)


def test_handing_over_to_oneself_is_nothing() -> None:
    room(opened(2)).when(HandOverHost(ANNA), actor=ANNA).then_nothing()


def test_nobody_outside_can_be_made_host() -> None:
    room(opened(2)).when(HandOverHost(BRUNO), actor=ANNA).then_refused(RefusalCode.NOT_IN_ROOM, "player")


def test_when_the_host_leaves_the_seated_person_who_came_first_is_host() -> None:
    cpu = CpuSeated(at=NOON, level="EASY", seat=1)
    table = room(opened(4), cpu, came(DARIO), came(CARLA, 3), came(BRUNO, 2)).when(LeaveRoom(), actor=ANNA)
    table.then(PlayerLeft(at=NOON, keeps_seat=False, player=ANNA), HostChanged(at=NOON, player=CARLA))


def test_a_member_without_a_seat_comes_before_a_spectator_as_host() -> None:
    narrower = SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(players=2))
    cpu = CpuSeated(at=NOON, level="EASY", seat=1)
    table = room(opened(4), cpu, came(DARIO), came(CARLA, 2), narrower).when(LeaveRoom(), actor=ANNA)
    table.then(PlayerLeft(at=NOON, keeps_seat=False, player=ANNA), HostChanged(at=NOON, player=CARLA))


def test_a_host_who_leaves_during_a_game_hands_over_too() -> None:
    playing = room(opened(2), came(BRUNO, 1), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=ANNA)
    playing.then(PlayerLeft(at=NOON, keeps_seat=True, player=ANNA), HostChanged(at=NOON, player=BRUNO))


def test_when_somebody_else_leaves_the_host_stays() -> None:
    table = room(opened(2), came(BRUNO, 1)).when(LeaveRoom(), actor=BRUNO).go_on()
    assert table.state.host == ANNA
