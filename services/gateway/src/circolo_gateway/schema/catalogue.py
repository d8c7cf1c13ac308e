"""The games of the house with their seats, teams and settings: a frontend can build its forms from this."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

import strawberry
from circolo_contracts.games import CATALOGUE, GameDescriptor, Setting

from .context import Context
from .enums import GameKind, Language


@strawberry.type
class SettingInfo:
    name: str = strawberry.field(description="As in the game's settings input.")
    kind: str = strawberry.field(description="`int`, `enum` or `bool`.")
    default: str
    choices: list[str] = strawberry.field(description="All that may be chosen; empty for a range and for `bool`.")
    minimum: int | None = strawberry.field(description="For a range.")
    maximum: int | None
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
    settings: list[SettingInfo]
    game: strawberry.Private[GameDescriptor]

    @strawberry.field(description="For people, in the language asked for, else in the client's.")
    def title(self, info: strawberry.Info[Context, None], language: Language | None = None) -> str:
        return self.game.title_en if _wanted(info.context, language) == "EN" else self.game.title_it


def _wanted(context: Context, language: Language | None) -> str:
    return language.value if language is not None else context.language


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _setting(setting: Setting) -> SettingInfo:
    in_range = setting.kind == "int" and not setting.choices
    return SettingInfo(
        name=setting.name,
        kind=setting.kind,
        default=_text(setting.default),
        choices=[_text(choice) for choice in setting.choices],
        minimum=setting.minimum if in_range else None,
        maximum=setting.maximum if in_range else None,
        setting=setting,
    )


def catalogue() -> list[GameInfo]:
    return [
        GameInfo(
            kind=GameKind(kind),
            seats=list(game.seats),
            team_seats=list(game.team_seats),
            cpu=game.cpu,
            settings=[_setting(setting) for setting in game.settings],
            game=game,
        )
        for kind, game in CATALOGUE.items()
    ]
