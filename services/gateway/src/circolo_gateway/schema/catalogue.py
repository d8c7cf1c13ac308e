"""The games of the house with their seats, teams and settings: a frontend can build its forms from this."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts.games import CATALOGUE, GameDescriptor, Setting, SettingProblem, ranked_settings

from .context import Context
from .enums import GameKind, Language
from .settings import as_text, enum_name


@strawberry.type(description="The default of a setting beside one value of the setting that it depends on.")
class DependentDefault:
    when: str = strawberry.field(description="The value of the other setting.")
    default: str


@strawberry.type
class SettingInfo:
    name: str = strawberry.field(description="As in the game's settings input.")
    kind: str = strawberry.field(description="`int`, `enum` or `bool`.")
    type: str | None = strawberry.field(description="Of an `enum`: its name in this schema.")
    default: str
    depends_on: str | None = strawberry.field(description="An earlier setting that the default depends on.")
    default_for: list[DependentDefault] = strawberry.field(
        description="For these values of that setting; `default` for every other."
    )
    choices: list[str] = strawberry.field(description="All that may be chosen; empty for a range and for `bool`.")
    minimum: int | None = strawberry.field(description="For a range.")
    maximum: int | None
    ranked_value: str | None = strawberry.field(
        description="What a ranked table has; null: it may be chosen there, or the game has none."
    )
    setting: strawberry.Private[Setting]

    @strawberry.field(description="For people, in the language asked for, else in the client's.")
    def title(self, info: strawberry.Info[Context, None], language: Language | None = None) -> str:
        return self.setting.title_en if _wanted(info.context, language) == "EN" else self.setting.title_it


@strawberry.type
class GameInfo:
    kind: GameKind
    seats: list[int] = strawberry.field(description="The numbers of seats that it can be played with.")
    team_seats: list[int] = strawberry.field(description="Which of these are played in two teams, partners opposite.")
    cpu: bool = strawberry.field(description="Whether the house can sit in.")
    least_people: int = strawberry.field(
        description="A party game starts with so many and its other seats stay empty; 0: every seat must be taken."
    )
    ranked: bool = strawberry.field(description="Whether there are ranked tables of it.")
    settings: list[SettingInfo]
    game: strawberry.Private[GameDescriptor]

    @strawberry.field(description="For people, in the language asked for, else in the client's.")
    def title(self, info: strawberry.Info[Context, None], language: Language | None = None) -> str:
        return self.game.title_en if _wanted(info.context, language) == "EN" else self.game.title_it


def _wanted(context: Context, language: Language | None) -> str:
    return language.value if language is not None else context.language


def _ranked_value(game: GameDescriptor, setting: Setting) -> str | None:
    fixed = ranked_settings(game, {})
    if isinstance(fixed, SettingProblem) or setting.name == "players":
        return None
    return as_text(fixed[setting.name])


def _setting(setting: Setting, ranked_value: str | None) -> SettingInfo:
    in_range = setting.kind == "int" and not setting.choices
    return SettingInfo(
        name=setting.name,
        kind=setting.kind,
        type=enum_name(setting) if setting.kind == "enum" else None,
        default=as_text(setting.default),
        depends_on=setting.depends_on or None,
        default_for=[
            DependentDefault(when=as_text(when), default=as_text(default)) for when, default in setting.default_for
        ],
        choices=[as_text(choice) for choice in setting.choices],
        minimum=setting.minimum if in_range else None,
        maximum=setting.maximum if in_range else None,
        ranked_value=ranked_value,
        setting=setting,
    )


def catalogue() -> list[GameInfo]:
    return [
        GameInfo(
            kind=GameKind(kind),
            seats=list(game.seats),
            team_seats=list(game.team_seats),
            cpu=game.cpu,
            least_people=game.least_people,
            ranked=game.ranked,
            settings=[_setting(setting, _ranked_value(game, setting)) for setting in game.settings],
            game=game,
        )
        for kind, game in CATALOGUE.items()
    ]
