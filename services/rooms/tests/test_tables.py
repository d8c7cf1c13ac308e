from __future__ import annotations

import pytest
from circolo_contracts import games
from circolo_contracts.games import GameDescriptor
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import AddCpu, ChangeSettings, CpuSeated, SettingsChanged, TakeSeat
from circolo_events.testing.scenario import NOON
from msgspec.structs import replace
from table_talk import ANNA, BRUNO, CARLA, DARIO, at_seats, came, opened, room, settings


def changed(**named: int | str) -> SettingsChanged:
    return SettingsChanged(at=NOON, game="BRISCOLA", settings=settings(**named))


@pytest.fixture
def tombolina(monkeypatch: pytest.MonkeyPatch) -> GameDescriptor:
    """A game without CPUs and without a setting for the number of seats."""
    one_setting = (games.CLOCK_SECONDS,)
    game = replace(games.BRISCOLA, kind="TOMBOLINA", settings=one_setting, seats=(4,), team_seats=(), cpu=False)
    monkeypatch.setitem(games.CATALOGUE, "TOMBOLINA", game)
    return game


def test_settings_that_are_not_named_keep_their_value_while_the_game_stays() -> None:
    table = room(opened(2), changed(bestOf=5)).when(ChangeSettings("BRISCOLA", {"clockSeconds": 30}), actor=ANNA)
    table.then(changed(bestOf=5, clockSeconds=30))


def test_another_game_starts_from_its_defaults(tombolina: GameDescriptor) -> None:
    table = room(opened(2), changed(clockSeconds=30)).when(ChangeSettings("TOMBOLINA", {}), actor=ANNA)
    table.then(SettingsChanged(at=NOON, game="TOMBOLINA", settings={"clockSeconds": 0}))


def test_a_change_that_changes_nothing_is_nothing() -> None:
    room(opened(2)).when(ChangeSettings("BRISCOLA", {"players": 2}), actor=ANNA).then_nothing()


def test_what_is_not_allowed_is_refused_by_name() -> None:
    table = room(opened(2))
    twice = ChangeSettings("BRISCOLA", {"bestOf": 2})
    table.when(twice, actor=ANNA).then_refused(RefusalCode.INVALID_SETTING, "bestOf")
    table.when(ChangeSettings("SCOPONE_SCIENTIFICO", {}), actor=ANNA).then_refused(RefusalCode.UNKNOWN_GAME, "game")


def test_who_sat_beyond_the_new_last_seat_stands_and_is_no_spectator() -> None:
    cpu = CpuSeated(at=NOON, level="EASY", seat=2)
    wide = room(opened(4), came(BRUNO, 1), came(CARLA), cpu, came(DARIO, 3))
    narrow = wide.when(ChangeSettings("BRISCOLA", {"players": 2}), actor=ANNA).go_on()
    assert at_seats(narrow) == [ANNA, BRUNO]
    assert not narrow.state.member(DARIO).spectator
    wide_again = narrow.when(ChangeSettings("BRISCOLA", {"players": 4}), actor=ANNA).go_on()
    assert at_seats(wide_again) == [ANNA, BRUNO, None, None]
    assert at_seats(wide_again.when(TakeSeat(2), actor=DARIO).go_on()) == [ANNA, BRUNO, DARIO, None]


def test_a_game_without_cpus_seats_none(tombolina: GameDescriptor) -> None:
    table = room(opened(2), CpuSeated(at=NOON, level="EASY", seat=1))
    table = table.when(ChangeSettings("TOMBOLINA", {}), actor=ANNA).go_on()
    assert at_seats(table) == [ANNA, None, None, None]
    table.when(AddCpu("EASY", 1), actor=ANNA).then_refused(RefusalCode.NOT_ALLOWED)
