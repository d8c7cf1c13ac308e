from __future__ import annotations

from typing import Any

import pytest
from circolo_contracts.cards import DECK, RANK_OF, SUIT_OF, is_card
from circolo_contracts.games import (
    BRISCOLA,
    CATALOGUE,
    TOMBOLA,
    TRESSETTE,
    GameDescriptor,
    Setting,
    SettingProblem,
    complete_settings,
    ranked_settings,
)


def test_the_deck_has_forty_cards_in_the_order_that_shuffles_start_from() -> None:
    assert len(set(DECK)) == 40
    assert (DECK[0], DECK[9], DECK[10], DECK[39]) == ("1D", "10D", "1C", "10B")
    assert (RANK_OF[DECK[9]], SUIT_OF[DECK[39]]) == (10, "B")
    assert is_card("7D")
    assert not any(is_card(text) for text in ("0D", "11D", "7d", "D7", "", "7D "))


def test_settings_that_are_not_given_have_their_defaults() -> None:
    assert complete_settings(BRISCOLA, {}) == {
        "players": 2, "bestOf": 1, "clockSeconds": 0, "onTimeout": "AUTOPLAY",
    }  # fmt: skip
    given = complete_settings(BRISCOLA, {"players": 4, "clockSeconds": 30})
    assert isinstance(given, dict)
    assert (given["players"], given["clockSeconds"], given["bestOf"]) == (4, 30, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", 3),
        ("players", "2"),
        ("players", True),
        ("players", 2.0),
        ("bestOf", 2),
        ("clockSeconds", -1),
        ("clockSeconds", 301),
        ("onTimeout", "EXPLODE"),
        ("onTimeout", 1),
        ("jokers", 2),
        ("players", None),
        ("players", [2]),
    ],
)
def test_a_setting_that_is_not_allowed_is_named(name: str, value: Any) -> None:
    assert complete_settings(BRISCOLA, {name: value}) == SettingProblem(name)


def test_a_default_may_depend_on_the_other_settings() -> None:
    two, four = {"players": 2}, {"players": 4, "declarations": False}
    assert complete_settings(TRESSETTE, {}) == TRESSETTE.defaults()
    assert TRESSETTE.defaults() | {"players": 4, "declarations": True, "target": 31} == TRESSETTE.defaults()
    assert TRESSETTE.defaults() | two | {"declarations": False, "target": 21} == complete_settings(TRESSETTE, two)
    assert TRESSETTE.defaults() | four | {"target": 21} == complete_settings(TRESSETTE, four)


def test_a_yes_or_no_is_neither_a_number_nor_a_word() -> None:
    setting = Setting("tv", "bool", False, "TV", "TV")
    assert setting.accepts(True)
    assert not setting.accepts(1)
    assert not setting.accepts("true")


def test_partners_sit_opposite_in_a_game_of_two_teams() -> None:
    four, two = {"players": 4}, {"players": 2}
    assert [BRISCOLA.team_of(seat, four) for seat in range(4)] == [0, 1, 0, 1]
    assert [BRISCOLA.team_of(seat, two) for seat in range(2)] == [0, 1]
    assert (BRISCOLA.team_count(four), BRISCOLA.team_count(two)) == (2, 2)


@pytest.mark.parametrize("game", CATALOGUE.values(), ids=lambda game: game.kind)
def test_every_game_of_the_catalogue_can_be_played_as_it_comes(game: GameDescriptor) -> None:
    defaults = complete_settings(game, {})
    assert isinstance(defaults, dict)
    assert game.seat_count(defaults) in game.seats
    assert set(game.team_seats) <= set(game.seats)
    assert len(game.seats) == 1 or game.setting("players") is not None
    names = [setting.name for setting in game.settings]
    assert len(names) == len(set(names))
    for setting in game.settings:
        assert setting.accepts(setting.default), setting.name
        assert setting.title_it, setting.name
        assert setting.title_en, setting.name


RANKED = [game for game in CATALOGUE.values() if game.ranked]


@pytest.mark.parametrize("game", RANKED, ids=lambda game: game.kind)
def test_a_ranked_table_has_the_houses_settings_and_half_a_minute_a_card(game: GameDescriptor) -> None:
    for players in game.seats:
        chosen = {} if game.setting("players") is None else {"players": players}
        settings = ranked_settings(game, chosen)
        assert isinstance(settings, dict)
        assert game.seat_count(settings) == players
        assert (settings["clockSeconds"], settings["onTimeout"]) == (30, "ABANDON")
        assert complete_settings(game, settings) == settings
        assert ranked_settings(game, settings) == settings, "what it has anyway may be asked for"
        forced = {name for name, _ in game.ranked_values}
        friendly = complete_settings(game, chosen)
        assert isinstance(friendly, dict)
        assert {name for name, value in settings.items() if friendly[name] != value} <= forced


def test_only_scopone_with_ten_cards_is_ranked_to_another_target_than_its_own() -> None:
    targets = {game.kind: dict(game.ranked_values).get("target") for game in RANKED}
    assert {kind: target for kind, target in targets.items() if target is not None} == {"SCOPONE_DIECI": 16}


@pytest.mark.parametrize(
    ("name", "value"),
    [("bestOf", 3), ("bestOf", True), ("clockSeconds", 31), ("players", 3), ("players", "2"), ("x", 1)],
)
def test_what_a_ranked_table_does_not_leave_to_choose_is_named(name: str, value: Any) -> None:
    assert ranked_settings(BRISCOLA, {name: value}) == SettingProblem(name)


def test_a_game_that_is_no_competition_has_no_ranked_table() -> None:
    for game in (*(game for game in CATALOGUE.values() if not game.ranked), TOMBOLA):
        assert ranked_settings(game, {}) == SettingProblem("ranked")
