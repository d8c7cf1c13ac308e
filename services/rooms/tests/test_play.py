from __future__ import annotations

from circolo_contracts.ids import is_hex_id
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import (
    AddCpu,
    ChangeSettings,
    CpuSeated,
    EndGame,
    FinishGame,
    GameFinished,
    GameRequested,
    GameStopRequested,
    LeaveRoom,
    RoomClosed,
    SeatOccupant,
    SeatTaken,
    SettingsChanged,
    StartGame,
    TakeSeat,
)
from circolo_events.testing.scenario import NOON, Scenario
from circolo_rooms.play import game_id_from
from msgspec.structs import replace
from table_talk import ANNA, BRUNO, CARLA, CODE, GAME_ID, ROOMS, at_seats, begun, came, opened, room, settings

TWO = (opened(2), came(BRUNO, 1))
PLAYING = (*TWO, begun(ANNA, BRUNO))
WON = FinishGame(game_id=GAME_ID, idle=False, outcome="WON", next_dealer=2)
BACK = GameFinished(at=NOON, game_id=GAME_ID, outcome="WON", next_dealer=0)


def started(table: Scenario) -> GameRequested:
    decided = table.when(StartGame(), actor=ANNA).decided
    assert isinstance(decided, list), decided
    (requested,) = decided
    assert isinstance(requested, GameRequested)
    table.go_on()
    return requested


def test_the_host_starts_when_every_seat_is_taken() -> None:
    room(opened(2)).when(StartGame(), actor=ANNA).then_refused(RefusalCode.SEATS_EMPTY)
    table = room(opened(2), CpuSeated(at=NOON, level="HARD", seat=1))
    requested = started(table)
    assert requested.seats == [SeatOccupant(player=ANNA), SeatOccupant(cpu="HARD")]
    assert (requested.game, requested.game_no, requested.settings) == ("BRISCOLA", 1, settings(players=2))
    assert table.decider.view(table.state, None).game_id == requested.game_id


def test_a_game_id_is_a_uuid_of_fresh_bytes() -> None:
    assert game_id_from(bytes(32)) == "00000000000040008000000000000000"
    assert game_id_from(b"\xff" * 32) == "ffffffffffff4fffbfffffffffffffff"
    assert is_hex_id(game_id_from(bytes(range(32))))


def test_a_started_game_is_not_started_again() -> None:
    room(*PLAYING).when(StartGame(), actor=ANNA).then_refused(RefusalCode.GAME_STARTED)


def test_the_host_ends_the_game_once() -> None:
    table = room(*PLAYING).when(EndGame(), actor=ANNA)
    stopping = table.then(GameStopRequested(at=NOON, game="BRISCOLA", game_id=GAME_ID, player=ANNA))
    stopping.when(EndGame(), actor=ANNA).then_nothing()


def test_a_game_for_one_starts_with_its_only_seat_and_is_stopped_by_its_name() -> None:
    alone = SettingsChanged(at=NOON, game="SOLITARIO", settings={"game": "PIRAMIDE", "redeals": 2})
    table = room(*TWO, alone)
    assert at_seats(table) == [ANNA]
    requested = started(table)
    assert (requested.game, requested.seats) == ("SOLITARIO", [SeatOccupant(player=ANNA)])
    (stop,) = table.when(EndGame(), actor=ANNA).decided
    assert (stop.game, stop.game_id) == ("SOLITARIO", requested.game_id)


def test_after_a_game_for_one_the_next_dealer_is_its_only_seat() -> None:
    alone = SettingsChanged(at=NOON, game="SOLITARIO", settings={"game": "ANONIMO", "redeals": 2})
    playing = room(opened(2), alone, replace(begun(ANNA), game="SOLITARIO", settings=alone.settings))
    table = playing.when(replace(WON, next_dealer=1), actor=ROOMS).go_on()
    assert table.state.next_dealer == 0
    assert started(table).dealer == 0
    wide = table.when(FinishGame(game_id=table.state.game_id, idle=False, outcome="BLOCKED"), actor=ROOMS).go_on()
    several = wide.when(ChangeSettings("BRISCOLA", {}), actor=ANNA).go_on()
    assert (several.state.next_dealer, at_seats(several)) == (None, [ANNA, None])


def test_no_cpu_plays_a_game_for_one() -> None:
    alone = ChangeSettings("SOLITARIO", {})
    table = room(opened(2), CpuSeated(at=NOON, level="HARD", seat=1)).when(alone, actor=ANNA).go_on()
    assert at_seats(table) == [ANNA]
    stands = room(opened(2), SeatTaken(at=NOON, player=ANNA, seat=1), CpuSeated(at=NOON, level="HARD", seat=0))
    empty = stands.when(alone, actor=ANNA).go_on()
    assert at_seats(empty) == [None]
    empty.when(StartGame(), actor=ANNA).then_refused(RefusalCode.SEATS_EMPTY)
    empty.when(AddCpu("EASY", 0), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)
    assert at_seats(empty.when(TakeSeat(0), actor=ANNA).go_on()) == [ANNA]


def test_without_a_game_there_is_nothing_to_end() -> None:
    room(*TWO).when(EndGame(), actor=ANNA).then_refused(RefusalCode.NO_GAME)


def test_a_finished_game_brings_everybody_back_to_the_lobby() -> None:
    table = room(*PLAYING).when(WON, actor=ROOMS).then(BACK)
    assert (table.state.phase, table.state.game_id, at_seats(table)) == ("LOBBY", GAME_ID, [ANNA, BRUNO])


def test_only_the_running_game_is_finished_and_only_once() -> None:
    room(*TWO).when(WON, actor=ROOMS).then_nothing()
    other = FinishGame(game_id="9" * 32, idle=False, outcome="WON")
    table = room(*PLAYING).when(other, actor=ROOMS).then_nothing()
    table.when(WON, actor=ROOMS).go_on().when(WON, actor=ROOMS).then_nothing()


def test_a_player_cannot_finish_a_game_by_saying_so() -> None:
    room(*PLAYING).when(WON, actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)


def test_the_next_game_has_the_next_number_and_the_next_dealer() -> None:
    table = room(*PLAYING, GameFinished(at=NOON, game_id=GAME_ID, outcome="WON", next_dealer=1))
    requested = started(table)
    assert (requested.game_no, requested.dealer) == (2, 1)


def test_another_number_of_seats_forgets_the_dealer() -> None:
    wider = SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(players=4))
    back = SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(players=2))
    table = room(*PLAYING, BACK, wider, back)
    assert table.state.next_dealer is None


def test_other_settings_keep_the_dealer() -> None:
    table = room(*PLAYING, BACK, SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(bestOf=3)))
    assert table.state.next_dealer == 0


def test_a_game_that_never_started_keeps_the_dealer() -> None:
    cancelled = FinishGame(game_id=GAME_ID, idle=False, outcome="CANCELLED")
    table = room(*PLAYING, BACK, begun(ANNA, BRUNO, game_no=2)).when(cancelled, actor=ROOMS).go_on()
    assert table.state.next_dealer == 0


def test_a_game_that_nobody_played_for_a_day_closes_its_room() -> None:
    idle = FinishGame(game_id=GAME_ID, idle=True, outcome="IDLE")
    finished = GameFinished(at=NOON, game_id=GAME_ID, outcome="IDLE")
    closed = room(*PLAYING).when(idle, actor=ROOMS).then(finished, RoomClosed(at=NOON, code=CODE, reason="IDLE_GAME"))
    closed.when(idle, actor=ROOMS).then_nothing()


def test_the_seat_of_who_left_is_free_after_the_game() -> None:
    away = room(*PLAYING).when(LeaveRoom(), actor=BRUNO).go_on()
    assert at_seats(away.when(WON, actor=ROOMS).go_on()) == [ANNA, None]


def test_a_room_that_everybody_left_closes_with_its_game() -> None:
    empty = room(*PLAYING).when(LeaveRoom(), actor=BRUNO).go_on().when(LeaveRoom(), actor=ANNA).go_on()
    empty.when(WON, actor=ROOMS).then(BACK, RoomClosed(at=NOON, code=CODE, reason="EMPTY"))


def test_who_only_watched_may_sit_down_after_the_game() -> None:
    watched = room(*TWO, came(CARLA), begun(ANNA, BRUNO)).when(LeaveRoom(), actor=BRUNO).go_on()
    after = watched.when(WON, actor=ROOMS).go_on()
    assert after.state.free_seats().__next__() == 1
