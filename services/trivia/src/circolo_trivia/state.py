"""A trivia night with everything that is hidden: what its events fold into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from circolo_contracts.cardgames import MatchResult
from circolo_contracts.games import TRIVIA, SettingValue
from circolo_contracts.trivia import AllRevealed, QuestionRevealed, TriviaMode, TriviaPhase, TriviaQuestion
from msgspec import Struct, field

CLOSING_GRACE_MS = 150
"""After the due time, before a phase is closed: what was stamped in time may still be on its way."""
AWAY_MS = 10_000
"""How long a seat without a connection is still waited for."""
IDLE_MS = 24 * 60 * 60 * 1000
IDLE_GRAIN_MS = 60_000
"""The idle deadline moves at most once a minute, so that an answer costs no deadline row of its own; it is armed this
much later, so that it never fires before 24 hours without an action."""
NOBODY = -1


class Seat(Struct, frozen=True):
    """``player`` is empty where nobody sits."""

    player: str
    gone_at: int | None = None
    """When the last connection was lost, ms since 1970; None while there is one."""
    left: bool = False
    """Out of the room: nobody waits for him, but the seat stays his."""
    points: int = 0
    """Of this game so far."""

    @property
    def is_there(self) -> bool:
        return bool(self.player) and self.gone_at is None and not self.left


class Answered(Struct, frozen=True):
    """Quiz: a seat's first answer, which is its last."""

    option: int
    elapsed: int


class Try(Struct, frozen=True):
    """Showdown: what became of one press."""

    seat: int
    team: int
    points: int
    option: int | None
    """None: the time ran out."""


class Spoken(Struct, frozen=True):
    """Tutto o niente: what a captain locked, and from which seat. ``value``: a stake or an option."""

    seat: int
    value: int


class TriviaState(Struct, frozen=True):
    """``version`` 0: there is no such night (yet)."""

    version: int = 0
    commitment: str = ""
    game: str = ""
    game_id: str = ""
    game_no: int = 0
    host: str = ""
    idle_at: int = 0
    """From when 24 hours are counted; the event of ``idle_version`` set it."""
    idle_version: int = 0
    questions: tuple[TriviaQuestion, ...] = ()
    result: MatchResult | None = None
    revealed: bool = False
    """The seed is: the whole stream may be read."""
    room: str = ""
    seats: tuple[Seat, ...] = ()
    seed: str = ""
    settings: dict[str, SettingValue] = field(default_factory=dict)
    started_at: int = 0
    superseded: bool = False
    totals: tuple[int, ...] = ()
    """By team, of the whole evening."""
    # --- the phase
    phase: TriviaPhase = "ENDED"
    phase_at: int = 0
    """When it opened; no stamp within it counts as earlier."""
    phase_version: int = 0
    due_at: int = 0
    """Until when what is sent counts, ms since 1970; 0: no time runs."""
    open_at: int = 0
    """From when it counts."""
    no: int = 0
    """The question on the table counts from 1; 0: none yet."""
    current: int = NOBODY
    """Its place in ``questions``."""
    asked: tuple[int, ...] = ()
    """Places of the questions that have been shown to the players."""
    quorum_version: int = 0
    """The latest event that changed who is waited for."""
    reveal: QuestionRevealed | AllRevealed | None = None
    """Of the question on the table, once it is closed."""
    # --- the quiz
    answers: Mapping[int, Answered] = field(default_factory=dict)
    """By seat."""
    # --- the showdown
    buzz: int = NOBODY
    """The seat that pressed first."""
    control: int = NOBODY
    early: Mapping[int, int] = field(default_factory=dict)
    """By seat: until when presses do not count."""
    locked_out: tuple[int, ...] = ()
    played: tuple[int, ...] = ()
    """Tiles."""
    tries: tuple[Try, ...] = ()
    # --- tutto o niente
    captains: Mapping[int, int] = field(default_factory=dict)
    """By team: the seat that speaks for it in this phase."""
    finals: Mapping[int, Spoken] = field(default_factory=dict)
    stakes: Mapping[int, Spoken] = field(default_factory=dict)

    @property
    def is_running(self) -> bool:
        return self.version > 0 and self.result is None

    @property
    def mode(self) -> TriviaMode:
        mode: TriviaMode = self.settings["mode"]  # type: ignore[assignment]  # by the descriptor's choices
        return mode

    def setting(self, name: str) -> int:
        return int(self.settings[name])

    @property
    def question(self) -> TriviaQuestion:
        """The one on the table; only where there is one."""
        return self.questions[self.current]

    def seat_of(self, player: str) -> int:
        """NOBODY for who does not sit here."""
        return next((n for n, seat in enumerate(self.seats) if player and seat.player == player), NOBODY)

    def team_of(self, seat: int) -> int:
        return TRIVIA.team_of(seat, self.settings)

    def taken(self) -> Iterator[int]:
        """Seats with a player, in order."""
        return (n for n, seat in enumerate(self.seats) if seat.player)

    def members(self, team: int) -> Iterator[int]:
        """Seats of a team, in team order."""
        return (n for n in self.taken() if self.team_of(n) == team)

    def teams(self) -> list[int]:
        """Those that somebody plays for, in order."""
        return sorted({self.team_of(n) for n in self.taken()})

    def is_team_there(self, team: int) -> bool:
        return any(self.seats[n].is_there for n in self.members(team))
