"""Games as data: one descriptor a game. Rooms validates settings by it, the gateway builds its inputs from it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

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

    def setting(self, name: str) -> Setting | None:
        return next((s for s in self.settings if s.name == name), None)

    def seat_count(self, settings: Mapping[str, SettingValue]) -> int:
        return int(settings.get("players", self.seats[0]))

    def team_of(self, seat: int, settings: Mapping[str, SettingValue]) -> int:
        """The team of a seat: seat parity where partners sit opposite, else each seat is a team."""
        return seat % 2 if self.seat_count(settings) in self.team_seats else seat

    def team_count(self, settings: Mapping[str, SettingValue]) -> int:
        seats = self.seat_count(settings)
        return 2 if seats in self.team_seats else seats

    def defaults(self) -> dict[str, SettingValue]:
        return {s.name: s.default for s in self.settings}


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

BRISCOLA = GameDescriptor(
    kind="BRISCOLA",
    service="cardgames",
    stream_kind="match",
    graphql_type="CardGame",
    title_it="Briscola",
    title_en="Briscola",
    settings=(
        Setting("players", "int", 2, "Giocatori", "Players", choices=(2, 4)),
        Setting("bestOf", "int", 1, "Al meglio di", "Best of", choices=(1, 3, 5)),
        CLOCK_SECONDS,
        ON_TIMEOUT,
    ),
    seats=(2, 4),
    team_seats=(4,),
)

CATALOGUE: dict[str, GameDescriptor] = {game.kind: game for game in (BRISCOLA,)}


class SettingProblem(Struct, frozen=True):
    name: str


def complete_settings(game: GameDescriptor, given: Mapping[str, object]) -> dict[str, SettingValue] | SettingProblem:
    """All settings of the game, with defaults for those that were not given, or the first one that is not allowed."""
    settings = game.defaults()
    for name, value in given.items():
        setting = game.setting(name)
        if setting is None or not setting.accepts(value):
            return SettingProblem(name)
        assert isinstance(value, (int, str, bool))
        settings[name] = value
    return settings
