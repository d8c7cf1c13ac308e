"""The games' settings as types of their own, made from the catalogue at start: one ``@oneOf`` field and one member of
the union ``GameSettings`` for each game.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Union

import strawberry
from circolo_contracts.games import CATALOGUE, GameDescriptor, Setting, SettingValue

_enums: dict[str, type[Enum]] = {}


def _pascal(kind: str) -> str:
    return "".join(part.capitalize() for part in kind.split("_"))


def _camel(kind: str) -> str:
    pascal = _pascal(kind)
    return pascal[0].lower() + pascal[1:]


def _type_of(setting: Setting) -> Any:
    if setting.kind == "bool":
        return bool
    if setting.kind == "int":
        return int
    name = enum_name(setting)
    if name not in _enums:
        made: Any = Enum(name, {str(choice): str(choice) for choice in setting.choices})  # type: ignore[misc]
        _enums[name] = strawberry.enum(made, description=setting.title_en)
    if [member.value for member in _enums[name]] != list(setting.choices):
        raise TypeError(f"two settings are called {name} and have different choices: give one a graphql_type")
    return _enums[name]


def enum_name(setting: Setting) -> str:
    """What the schema calls the type of an ``enum``."""
    return setting.graphql_type or setting.name[0].upper() + setting.name[1:]


def setting_enum(name: str) -> type[Enum]:
    """The type of a setting, by its name in the schema."""
    return _enums[name]


def as_text(value: SettingValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _described(setting: Setting) -> str:
    allowed = ""
    if setting.kind == "int":
        allowed = ": " + (", ".join(map(str, setting.choices)) or f"{setting.minimum} to {setting.maximum}")
    defaults = [as_text(setting.default)]
    for when, default in setting.default_for:
        defaults.append(f"{as_text(default)} when `{setting.depends_on}` is {as_text(when)}")
    return f"{setting.title_en}{allowed}. Default {', '.join(defaults)}."


def _input(game: GameDescriptor) -> type:
    fields: dict[str, Any] = {"__annotations__": {s.name: _type_of(s) | None for s in game.settings}}
    for setting in game.settings:
        fields[setting.name] = strawberry.field(
            name=setting.name, description=_described(setting), default=strawberry.UNSET
        )
    name = f"{_pascal(game.kind)}SettingsInput"
    made: type = strawberry.input(
        type(name, (), fields), name=name, description=f"{game.title_en}. What is left out keeps its default."
    )
    return made


def _output(game: GameDescriptor) -> type:
    fields: dict[str, Any] = {"__annotations__": {s.name: _type_of(s) for s in game.settings}}
    for setting in game.settings:
        fields[setting.name] = strawberry.field(name=setting.name, description=_described(setting))
    name = f"{_pascal(game.kind)}Settings"
    made: type = strawberry.type(type(name, (), fields), name=name)
    return made


_INPUTS = {kind: _input(game) for kind, game in CATALOGUE.items()}
_OUTPUTS = {kind: _output(game) for kind, game in CATALOGUE.items()}


def _one_of() -> type:
    fields: dict[str, Any] = {"__annotations__": {_camel(kind): made | None for kind, made in _INPUTS.items()}}
    for kind in _INPUTS:
        fields[_camel(kind)] = strawberry.field(name=_camel(kind), default=strawberry.UNSET)
    made: type = strawberry.input(
        type("GameInput", (), fields),
        name="GameInput",
        one_of=True,
        description="The game to play, with its settings: exactly one.",
    )
    return made


if TYPE_CHECKING:

    class GameInput:
        """Has one attribute for each game."""

    GameSettings = Any
else:
    GameInput = _one_of()
    GameSettings = Annotated[
        Union[tuple(_OUTPUTS.values())],  # noqa: UP007 (a tuple of types made at start)
        strawberry.union("GameSettings", description="Each game has its own settings."),
    ]


def chosen(given: GameInput) -> tuple[str, dict[str, SettingValue]]:
    """The game and the settings that were given; null is the same as left out."""
    for kind in CATALOGUE:
        settings = getattr(given, _camel(kind), strawberry.UNSET)
        if settings is strawberry.UNSET or settings is None:
            continue
        values: dict[str, SettingValue] = {}
        for setting in CATALOGUE[kind].settings:
            value = getattr(settings, setting.name, strawberry.UNSET)
            if value is not strawberry.UNSET and value is not None:
                values[setting.name] = value.value if isinstance(value, Enum) else value
        return kind, values
    raise AssertionError("@oneOf lets exactly one through")


def shown_settings(kind: str, settings: Mapping[str, SettingValue]) -> object:
    """The member of ``GameSettings`` for this game; a setting that an old event lacks has its default."""
    complete: dict[str, SettingValue] = {}
    shown: dict[str, Any] = {}
    for setting in CATALOGUE[kind].settings:
        value = complete[setting.name] = settings.get(setting.name, setting.default_with(complete))
        shown[setting.name] = _enums[enum_name(setting)](value) if setting.kind == "enum" else value
    return _OUTPUTS[kind](**shown)
