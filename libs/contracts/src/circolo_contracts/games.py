"""Games as data: one descriptor a game. Rooms validates settings by it, the gateway builds its inputs from it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from .descriptors import GameDescriptor, Setting, SettingValue
from .party_games import TOMBOLA, TRIVIA

__all__ = ["TOMBOLA", "TRIVIA", "GameDescriptor", "Setting", "SettingValue"]

CLOCK_SECONDS = Setting(
    "clockSeconds",
    "int",
    0,
    "Secondi per giocare (0: senza orologio)",
    "Seconds to play a card (0: no clock)",
    minimum=0,
    maximum=300,
)
ON_TIMEOUT = Setting(
    "onTimeout",
    "enum",
    "AUTOPLAY",
    "Quando il tempo scade",
    "When the time is over",
    choices=("AUTOPLAY", "ABANDON"),
)
"""What the clock does in a friendly room: an automatic legal card, or the seat abandons."""

PLAYERS = Setting("players", "int", 2, "Giocatori", "Players", choices=(2, 4))
FINAL_SWEEP = Setting(
    "finalSweep",
    "enum",
    "NEVER",
    "Scopa all'ultima giocata",
    "Scopa with the last cards",
    choices=("NEVER", "COUNTS", "NOT_IN_LAST_HAND"),
)
"""Whether a scopa counts with the very last play of a deal, or in its whole last hand."""
FINAL_SWEEP_OF_ONE_HAND = replace(FINAL_SWEEP, choices=("NEVER", "COUNTS"), graphql_type="FinalSweepOfOneHand")
"""Where all cards are dealt at once the last hand is the whole deal: without it nobody could ever make a scopa."""


def _target(default: int, *choices: int) -> Setting:
    return Setting("target", "int", default, "Punti per vincere", "Points to win", choices=choices)


def _card_game(
    kind: str,
    title: str,
    settings: tuple[Setting, ...],
    *,
    seats: tuple[int, ...],
    team_seats: tuple[int, ...] = (4,),
    ranked_values: tuple[tuple[str, SettingValue], ...] = (),
) -> GameDescriptor:
    """A game for several seats, with a clock for who wants one, and for every ranked table."""
    return GameDescriptor(
        kind=kind,
        service="cardgames",
        stream_kind="match",
        graphql_type="CardGame",
        title_it=title,
        title_en=title,
        settings=(*settings, CLOCK_SECONDS, ON_TIMEOUT),
        seats=seats,
        team_seats=team_seats,
        ranked=True,
        ranked_values=(("clockSeconds", 30), ("onTimeout", "ABANDON"), *ranked_values),
    )


BRISCOLA = _card_game(
    "BRISCOLA",
    "Briscola",
    (PLAYERS, Setting("bestOf", "int", 1, "Al meglio di", "Best of", choices=(1, 3, 5))),
    seats=(2, 4),
)
SCOPA = _card_game("SCOPA", "Scopa", (PLAYERS, _target(11, 11, 16, 21), FINAL_SWEEP), seats=(2, 4))
SCOPA_DASSI = _card_game(
    "SCOPA_DASSI",
    "Scopa d'assi",
    (
        PLAYERS,
        Setting(
            "preset",
            "enum",
            "TRADITIONAL",
            "Regole dell'asso",
            "Rules of the ace",
            choices=("TRADITIONAL", "PORTAL"),
            graphql_type="ScopaDassiPreset",
        ),
        _target(11, 11, 16, 21, 31),
    ),
    seats=(2, 4),
)
SCOPONE_NOVE = _card_game(
    "SCOPONE_NOVE", "Scopone a nove carte", (_target(16, 11, 16, 21), FINAL_SWEEP_OF_ONE_HAND), seats=(4,)
)
SCOPONE_DIECI = _card_game(
    "SCOPONE_DIECI",
    "Scopone a dieci carte",
    (_target(21, 11, 16, 21), FINAL_SWEEP_OF_ONE_HAND),
    seats=(4,),
    ranked_values=(("target", 16),),
)
TRESSETTE = _card_game(
    "TRESSETTE",
    "Tressette",
    (
        Setting("players", "int", 4, "Giocatori", "Players", choices=(2, 4)),
        Setting(
            "declarations",
            "bool",
            True,
            "Con le accuse",
            "With declarations",
            depends_on="players",
            default_for=((2, False),),
        ),
        Setting(
            "target",
            "int",
            31,
            "Punti per vincere",
            "Points to win",
            choices=(11, 21, 31, 41, 51),
            depends_on="declarations",
            default_for=((False, 21),),
        ),
    ),
    seats=(2, 4),
)
VINCIPERDI = _card_game(
    "VINCIPERDI",
    "Vinciperdi",
    (
        Setting("players", "int", 4, "Giocatori", "Players", choices=(3, 4)),
        Setting("limit", "int", 21, "Limite di punti", "Limit of points", choices=(21, 31, 41, 51)),
    ),
    seats=(3, 4),
    team_seats=(),
)
SOLITARIO = GameDescriptor(
    kind="SOLITARIO",
    service="cardgames",
    stream_kind="solitaire",
    graphql_type="Solitaire",
    title_it="Solitario",
    title_en="Solitaire",
    settings=(
        Setting(
            "game",
            "enum",
            "PIRAMIDE",
            "Solitario",
            "Patience",
            choices=("PIRAMIDE", "ANONIMO"),
            graphql_type="Patience",
        ),
        Setting("redeals", "int", 2, "Giri del tallone", "Turns of the waste", maximum=3),
    ),
    seats=(1,),
    cpu=False,
    own_views=False,
)

CATALOGUE: dict[str, GameDescriptor] = {
    game.kind: game
    for game in (
        BRISCOLA,
        SCOPA,
        SCOPA_DASSI,
        SCOPONE_NOVE,
        SCOPONE_DIECI,
        TRESSETTE,
        VINCIPERDI,
        SOLITARIO,
        TOMBOLA,
        TRIVIA,
    )
}


class SettingProblem(Struct, frozen=True):
    name: str


def complete_settings(game: GameDescriptor, given: Mapping[str, object]) -> dict[str, SettingValue] | SettingProblem:
    """All settings of the game, with defaults for those that were not given, or the first one that is not allowed."""
    for name, value in given.items():
        setting = game.setting(name)
        if setting is None or not setting.accepts(value):
            return SettingProblem(name)
    settings: dict[str, SettingValue] = {}
    for setting in game.settings:
        value = given.get(setting.name, setting.default_with(settings))
        assert isinstance(value, (int, str, bool))
        settings[setting.name] = value
    return settings


def ranked_settings(game: GameDescriptor, given: Mapping[str, object]) -> dict[str, SettingValue] | SettingProblem:
    """All settings of a ranked table of this game: only the number of players may be chosen.

    The problem is the first setting that is given otherwise than it has to be, or ``ranked`` for a game that has no
    ranked tables.
    """
    if not game.ranked:
        return SettingProblem("ranked")
    chosen = {name: value for name, value in given.items() if name == "players"}
    settings = complete_settings(game, {**chosen, **dict(game.ranked_values)})
    if isinstance(settings, SettingProblem):
        return settings
    wrong = next((name for name, value in given.items() if not _same(settings.get(name), value)), None)
    return settings if wrong is None else SettingProblem(wrong)


def _same(forced: SettingValue | None, given: object) -> bool:
    """Of one type too: True is not 1."""
    return type(forced) is type(given) and forced == given
