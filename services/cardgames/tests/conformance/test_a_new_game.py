"""The game of docs/add-a-game.md, taken from the page as it stands: a new game passes the suite by its folder alone."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from circolo_cardgames import conformance
from circolo_cardgames.cpu import choose
from circolo_cardgames.games import GAMES
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts import games as contracts
from circolo_contracts.games import CATALOGUE, SettingValue
from circolo_contracts.rooms import SeatOccupant

KIND = "CARTA_ALTA"
PAGE = Path(__file__).parents[4] / "docs" / "add-a-game.md"
BLOCKS = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))


@pytest.fixture(autouse=True)
def carta_alta(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's descriptor in the catalogue, its folder among the games."""
    names = dict(vars(contracts))
    exec(compile(BLOCKS["descriptor"], "descriptor", "exec"), names)
    monkeypatch.setitem(CATALOGUE, KIND, names[KIND])
    folder = tmp_path / "carta_alta"
    folder.mkdir()
    (folder / "__init__.py").write_text(BLOCKS["games/carta_alta/__init__.py"], encoding="utf-8")
    name = "circolo_cardgames.games.carta_alta"
    spec = importlib.util.spec_from_file_location(name, folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(GAMES, KIND, module.GAME)


def tables() -> list[dict[str, SettingValue]]:
    return conformance.presets(KIND)


def test_every_choice_of_its_settings_is_tried() -> None:
    assert [(each["players"], each["bestOf"]) for each in tables()] == [(2, 1), (2, 3), (4, 1), (4, 3)]


def test_the_game_of_the_page_passes_the_suite() -> None:
    for settings in tables():
        conformance.check_deals(KIND, settings, deals=50)
        conformance.check_refusals(KIND, settings, deals=2)
        conformance.check_matches(KIND, settings, matches=3)
        conformance.check_replay(KIND, settings, matches=2)
        conformance.check_foresight(KIND, settings, matches=1)
        conformance.check_strangers(KIND, settings, matches=1)
        assert conformance.check_worlds(KIND, settings, matches=1) > 20


@pytest.mark.parametrize("level", ["EASY", "MEDIUM", "HARD"])
def test_cpus_of_every_level_play_it(level: str) -> None:
    table = Rehearsal(KIND, [SeatOccupant(cpu=level)] * 2, {}, seed=b"s" * 32)  # type: ignore[arg-type]
    while table.state.is_running:
        command = choose(table.sight(table.state.turn), level, f"{table.state.version}")  # type: ignore[arg-type]
        assert command is not None
        table.play(command.card)


class _Broken:
    """Rules that are right but for one thing."""

    def __init__(self, rules: object, **wrong: object) -> None:
        self._rules, self._wrong = rules, wrong

    def __getattr__(self, name: str) -> object:
        return self._wrong[name] if name in self._wrong else getattr(self._rules, name)


def breaking(monkeypatch: pytest.MonkeyPatch, **wrong: object) -> Mapping[str, SettingValue]:
    game, settings = GAMES[KIND], tables()[0]
    monkeypatch.setitem(
        GAMES, KIND, type(game)(KIND, lambda given: _Broken(game.rules(given), **wrong), game.rule_of_thumb)
    )  # type: ignore[arg-type]
    return settings


def test_the_suite_finds_rules_that_let_any_card_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = breaking(monkeypatch, refusal=lambda deal, move: None)
    with pytest.raises(AssertionError, match=r"not in the hand|takes"):
        conformance.check_refusals(KIND, settings, deals=1)


def test_the_suite_finds_a_deal_that_loses_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = GAMES[KIND].rules(tables()[0])
    settings = breaking(monkeypatch, deal=lambda deck, leader, seats: rules.deal(deck[1:], leader, seats))
    with pytest.raises(AssertionError, match="38 cards"):
        conformance.check_deals(KIND, settings, deals=1)


def test_the_suite_finds_a_clock_that_plays_what_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = GAMES[KIND].rules(tables()[0])
    settings = breaking(monkeypatch, automatic=lambda deal: rules.automatic(deal).__class__("0X", deal.turn))
    with pytest.raises(AssertionError, match="the clock would play"):
        conformance.check_refusals(KIND, settings, deals=1)
