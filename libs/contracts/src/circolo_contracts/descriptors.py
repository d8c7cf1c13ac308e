"""What a game says of itself as data: seats, teams, and the settings that its table may choose."""

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
