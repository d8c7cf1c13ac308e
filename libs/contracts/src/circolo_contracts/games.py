"""Games as data: one descriptor a game. Rooms validates settings by it, the gateway builds its inputs from it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

SettingValue = int | str | bool


class Setting(Struct, frozen=True):
    """One choice of the table. ``kind`` decides which of the other fields count."""

    name: str
    kind: str
    """``bool``, ``enum`` (one of ``choices``) or ``int`` (of ``choices``, or from ``minimum`` to ``maximum``)."""
    default: SettingValue
    title_it: str
    title_en: str
    choices: tuple[SettingValue, ...] = ()
    minimum: int = 0
    maximum: int = 0
    depends_on: str = ""
    """An earlier setting of the game that the default depends on; empty when it does not."""
    default_for: tuple[tuple[SettingValue, SettingValue], ...] = ()
    """Pairs of that setting's value and the default that goes with it; ``default`` for every other value."""
    graphql_type: str = ""
    """What the API calls the type of an ``enum``; empty: the name with a capital letter."""

    def default_with(self, settings: Mapping[str, SettingValue]) -> SettingValue:
        """The default beside these earlier settings."""
        if not self.depends_on:
            return self.default
        beside = settings[self.depends_on]
        return next((default for value, default in self.default_for if value == beside), self.default)

    def accepts(self, value: object) -> bool:
        if self.kind == "bool":
            return isinstance(value, bool)
        if self.kind == "int":
            if not isinstance(value, int) or isinstance(value, bool):
                return False
            return value in self.choices if self.choices else self.minimum <= value <= self.maximum
        return isinstance(value, str) and value in self.choices


class GameDescriptor(Struct, frozen=True):
    kind: str
    """The game's name in the API's ``GameKind`` and in every stored event, upper case."""
    service: str
    stream_kind: str
    graphql_type: str
    title_it: str
    title_en: str
    settings: tuple[Setting, ...]
    seats: tuple[int, ...]
    """The numbers of seats that can be played; a game with more than one has a setting ``players``."""
    team_seats: tuple[int, ...] = ()
    """Which of these are played in two teams, partners opposite: {0, 2} against {1, 3}."""
    cpu: bool = True
    own_views: bool = True
    """Whether a seat sees more than who watches; else there is one audience, ``public``."""
    least_people: int = 0
    """A party game starts with this many, its other seats stay empty; 0: every seat must be taken."""
    ranked: bool = False
    """Whether it is a competition, so that there are ranked tables of it."""
    ranked_values: tuple[tuple[str, SettingValue], ...] = ()
    """Settings that a ranked table has other than by default."""

    @property
    def is_party(self) -> bool:
        """The host runs it: its service is told who is host, and who comes and goes while it is on."""
        return self.least_people > 0

    @property
    def adds_up(self) -> bool:
        """Its teams play on from what the evening's games before came to."""
        return self.setting("teams") is not None

    def setting(self, name: str) -> Setting | None:
        return next((s for s in self.settings if s.name == name), None)

    def seat_count(self, settings: Mapping[str, SettingValue]) -> int:
        return int(settings.get("players", self.seats[0]))

    def team_of(self, seat: int, settings: Mapping[str, SettingValue]) -> int:
        """The team of a seat: round the table, so that two teams of two sit opposite; or each seat is a team."""
        return seat % self.team_count(settings)

    def team_count(self, settings: Mapping[str, SettingValue]) -> int:
        """As the setting ``teams`` says in games that have one."""
        seats = self.seat_count(settings)
        if self.setting("teams") is not None:
            return int(settings["teams"])
        return 2 if seats in self.team_seats else seats

    def defaults(self) -> dict[str, SettingValue]:
        settings: dict[str, SettingValue] = {}
        for setting in self.settings:
            settings[setting.name] = setting.default_with(settings)
        return settings


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

TOMBOLA = GameDescriptor(
    kind="TOMBOLA",
    service="tombola",
    stream_kind="tombola",
    graphql_type="Tombola",
    title_it="Tombola",
    title_en="Tombola",
    settings=(
        Setting(
            "claimRule",
            "enum",
            "SHARED_DRAW",
            "A chi va un premio",
            "Who gets a prize",
            choices=("SHARED_DRAW", "FIRST_CLAIM"),
        ),
        Setting(
            "calling",
            "enum",
            "MANUAL",
            "Come si chiamano i numeri",
            "How numbers are called",
            choices=("MANUAL", "AUTOMATIC"),
        ),
        Setting(
            "everySeconds",
            "int",
            8,
            "Secondi fra due chiamate automatiche",
            "Seconds between automatic calls",
            minimum=3,
            maximum=30,
        ),
    ),
    seats=(24,),
    cpu=False,
    least_people=1,
)
"""For 1 to 24 people, the host included: four strips of six. In the catalogue as soon as the API has its type."""


def _theme(key: str, title_it: str, title_en: str) -> Setting:
    return Setting(f"theme{key.capitalize()}", "bool", True, title_it, title_en)


TRIVIA = GameDescriptor(
    kind="TRIVIA",
    service="trivia",
    stream_kind="trivia",
    graphql_type="Trivia",
    title_it="Serata quiz",
    title_en="Trivia night",
    settings=(
        Setting(
            "mode",
            "enum",
            "QUIZ",
            "Gioco",
            "Game",
            choices=("QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"),
            graphql_type="TriviaMode",
        ),
        Setting(
            "teams",
            "int",
            2,
            "Squadre (24: ognuno per sé)",
            "Teams (24: each for himself)",
            choices=(2, 3, 4, 6, 8, 24),
        ),
        Setting("questions", "int", 10, "Domande del quiz", "Questions of the quiz", minimum=5, maximum=30),
        Setting("categories", "int", 5, "Categorie del tabellone", "Categories of the board", minimum=3, maximum=6),
        Setting(
            "seconds", "int", 20, "Secondi per rispondere al quiz", "Seconds for a quiz answer", minimum=5, maximum=60
        ),
        Setting("speedPoints", "bool", True, "Punti per la velocità", "Speed points"),
        Setting("rebounds", "bool", True, "Rimbalzo dopo un errore", "Rebound after a miss"),
        Setting(
            "startingScore",
            "int",
            1000,
            "Punti per Tutto o Niente se tutti sono a zero",
            "Points for Tutto o Niente when everybody has none",
            minimum=100,
            maximum=10_000,
        ),
        _theme("geografia", "Geografia e paesaggi", "Geography"),
        _theme("storia", "Storia e Repubblica", "History"),
        _theme("arte", "Arte e architettura", "Art and architecture"),
        _theme("spettacolo", "Musica, opera e cinema", "Music, opera, cinema"),
        _theme("lingua", "Lingua e letteratura", "Language and literature"),
        _theme("cucina", "Cucina e vino", "Food and wine"),
        _theme("scienza", "Scienza e invenzioni", "Science and inventions"),
        _theme("tradizioni", "Feste, giochi e sport", "Feasts, games, sport"),
        _theme("diaspora", "Italiani nel mondo", "Italians around the world"),
    ),
    seats=(24,),
    cpu=False,
    least_people=2,
)
"""For 2 to 24 people, the host included. Teams sit round the table: seat n is of team n modulo their number."""

CATALOGUE: dict[str, GameDescriptor] = {
    game.kind: game
    for game in (BRISCOLA, SCOPA, SCOPA_DASSI, SCOPONE_NOVE, SCOPONE_DIECI, TRESSETTE, VINCIPERDI, SOLITARIO)
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
