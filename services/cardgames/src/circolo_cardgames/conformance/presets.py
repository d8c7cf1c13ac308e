"""The tables of a game that are tried: for each number of seats the defaults, and each other choice by itself."""

from __future__ import annotations

from collections.abc import Mapping

from circolo_contracts.games import CATALOGUE, GameDescriptor, Setting, SettingValue, complete_settings

NOT_PLAY = ("players", "clockSeconds", "onTimeout")
"""Settings that do not change how cards are played."""


def presets(kind: str) -> list[dict[str, SettingValue]]:
    """Complete settings, each once."""
    game = CATALOGUE[kind]
    found: list[dict[str, SettingValue]] = []
    for seats in game.seats:
        at = {"players": seats} if game.setting("players") is not None else {}
        for change in [{}, *_changes(game)]:
            settings = complete_settings(game, {**at, **change})
            assert isinstance(settings, dict), settings
            if settings not in found:
                found.append(settings)
    return found


def _changes(game: GameDescriptor) -> list[dict[str, SettingValue]]:
    return [
        {setting.name: value} for setting in game.settings if setting.name not in NOT_PLAY for value in _values(setting)
    ]


def _values(setting: Setting) -> tuple[SettingValue, ...]:
    if setting.kind == "bool":
        return (False, True)
    return setting.choices or (setting.minimum, setting.maximum)


def label(kind: str, settings: Mapping[str, SettingValue]) -> str:
    """For the names of tests: what is not a default."""
    defaults = CATALOGUE[kind].defaults()
    other = [f"{name}={value}" for name, value in settings.items() if defaults[name] != value]
    return "-".join([kind.lower(), *other])
