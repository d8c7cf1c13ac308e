"""Every game of the house, at every number of seats and with every choice of its settings."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from circolo_cardgames import conformance
from circolo_cardgames.games import GAMES
from circolo_cardgames.golden import case_files
from circolo_contracts.games import CATALOGUE, SettingValue

DEALS = 200
"""At random, for each game and preset."""
MANY_DEALS = 4_000
Settings = Mapping[str, SettingValue]
TABLES = [
    pytest.param(kind, settings, id=conformance.label(kind, settings))
    for kind in GAMES
    for settings in conformance.presets(kind)
]
every_table = pytest.mark.parametrize(("kind", "settings"), TABLES)


def test_every_game_of_the_catalogue_that_is_played_in_matches_has_its_rules() -> None:
    assert set(GAMES) == {game.kind for game in CATALOGUE.values() if game.stream_kind == "match"}


@every_table
def test_random_legal_deals_end_with_forty_cards_at_every_moment(kind: str, settings: Settings) -> None:
    conformance.check_deals(kind, settings, deals=DEALS)


@every_table
def test_what_is_not_legal_is_refused_and_what_is_legal_is_not(kind: str, settings: Settings) -> None:
    conformance.check_refusals(kind, settings, deals=2)


@every_table
def test_random_matches_end_and_can_be_proved(kind: str, settings: Settings) -> None:
    conformance.check_matches(kind, settings, matches=2)


@every_table
def test_what_was_stored_replays_to_the_byte(kind: str, settings: Settings) -> None:
    conformance.check_replay(kind, settings, matches=2)


@every_table
def test_a_decision_foresees_what_its_events_fold_to(kind: str, settings: Settings) -> None:
    conformance.check_foresight(kind, settings, matches=1)


@every_table
def test_a_command_is_a_legal_act_of_the_seat_on_turn_or_leaves_no_event(kind: str, settings: Settings) -> None:
    conformance.check_strangers(kind, settings, matches=1)


@every_table
def test_backend_S3_two_worlds_look_the_same_to_every_viewer_at_every_phase(kind: str, settings: Settings) -> None:
    different = conformance.check_worlds(kind, settings, matches=1)
    assert different > 20, "the other worlds must be other worlds"


@pytest.mark.soak
@every_table
def test_thousands_of_deals_and_a_hundred_matches(kind: str, settings: Settings) -> None:
    conformance.check_deals(kind, settings, deals=MANY_DEALS, seed=2)
    conformance.check_refusals(kind, settings, deals=50, seed=2)
    conformance.check_matches(kind, settings, matches=100, seed=2)
    conformance.check_replay(kind, settings, matches=50, seed=2)
    conformance.check_foresight(kind, settings, matches=20, seed=2)
    conformance.check_strangers(kind, settings, matches=20, seed=2)
    conformance.check_worlds(kind, settings, matches=10, seed=2, plays=200)


@pytest.mark.parametrize("kind", GAMES)
def test_every_number_of_seats_has_a_golden_hand(kind: str) -> None:
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in case_files()]
    assert {case["players"] for case in cases if case["game"] == kind} == set(CATALOGUE[kind].seats)
