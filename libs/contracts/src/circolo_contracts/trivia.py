"""The language of a trivia night: three modes of one game, each a stream ``trivia-<game id>`` of its own.

QUIZ (Family Party Quiz): everybody answers. SHOWDOWN (Team Showdown): a board of tiles and a buzzer. TUTTO_O_NIENTE: a
stake and one last question. A game ends as a match does, by ``MatchEnded`` (whose ``totals`` the evening carries to its
next game) and ``SeedRevealed``, or it never starts: ``GameCancelled``.

Until a question is revealed, nobody is shown which option is right, its source, or another person's answer or stake;
not the host either. What is secret in an event is marked in the service's registry.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .cardgames import GameCancelled, MatchEnded, SeedRevealed
from .evening import GameSuperseded
from .games import SettingValue
from .rooms import SeatOccupant

TriviaMode = Literal["QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"]
TriviaPhase = Literal["READY", "OPEN", "PICK", "BUZZ", "ANSWER", "STAKE", "REVEAL", "ENDED"]
"""READY, OPEN: the quiz. PICK, BUZZ: the showdown. STAKE: tutto o niente. ANSWER: who pressed, or the captains."""
CloseReason = Literal["ALL_ANSWERED", "RIGHT", "MISSED", "NOBODY", "TIME", "CLOSED", "SKIPPED"]
"""Why a question was revealed. RIGHT, MISSED, NOBODY (pressed): the showdown; CLOSED: by the host; SKIPPED: void."""

# ---------------------------------------------------------------- parts of events and views


class Said(Struct, frozen=True):
    """A text in both languages; the same twice when there is only one."""

    en: str
    it: str


class TriviaQuestion(Struct, frozen=True):
    """A question as this game plays it: its options in the order that everybody sees."""

    answer: int
    """Which of ``options`` is right, from 0."""
    difficulty: int
    """1 (easy) to 5."""
    id: str
    options: list[Said]
    order: list[int]
    """The place in the bank of each option shown, by the seed: purpose ``options``, n = the question's place from 1."""
    prompt: Said
    source: str
    """An https address, or empty."""
    theme: str
    only: Literal["EN", "IT"] | UnsetType = UNSET
    """The one language that it was written in; absent when it has both."""


class Captain(Struct, frozen=True):
    """Who speaks for a team in this phase."""

    seat: int
    team: int


class RevealedAnswer(Struct, frozen=True):
    """What a seat did about a question. Absent ``option``: no answer (its time ran out)."""

    points: int
    seat: int
    elapsed: int | UnsetType = UNSET
    """ms after the question opened, in the quiz."""
    option: int | UnsetType = UNSET


class FinalResult(Struct, frozen=True):
    """One team's tutto o niente."""

    after: int
    before: int
    right: bool
    stake: int
    team: int
    option: int | UnsetType = UNSET
    """Absent: no answer, which counts as a wrong one."""


# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class TriviaStarted(Struct, frozen=True):
    """First event. ``seed`` and ``questions`` are secret until ``SeedRevealed``."""

    at: int
    commitment: str
    """SHA-256 of ``circolo-1|<game id>|<seed hex>``, hex."""
    game: str
    game_id: str
    game_no: int
    host: str
    questions: list[TriviaQuestion]
    """In the order of play; in a showdown column by column of the board, each from the lowest value."""
    room: str
    seats: list[SeatOccupant]
    """Index = seat; an empty seat has nobody."""
    seed: str
    settings: dict[str, SettingValue]
    totals: list[int]
    """By team, before the first question."""
    away: list[int] | UnsetType = UNSET
    """Seats whose person has no live connection."""
    control: int | UnsetType = UNSET
    """The showdown's first team, drawn by the seed (purpose ``control``)."""


class QuestionReady(Struct, frozen=True):
    """Quiz: number and theme are shown; the question follows at ``deadline``."""

    at: int
    deadline: int
    no: int


class QuestionOpened(Struct, frozen=True):
    """Quiz: text and options are shown now; answers count from ``open_at`` to ``deadline``, both included."""

    at: int
    deadline: int
    no: int
    open_at: int


class AnswerLocked(Struct, frozen=True):
    """Quiz. ``option`` is secret until the reveal; ``elapsed``: ms after the opening, 0 to the question's time."""

    at: int
    elapsed: int
    no: int
    option: int
    seat: int


class QuestionRevealed(Struct, frozen=True):
    """Quiz: everybody's answer, by seat. Showdown: every try, in order. ``totals`` by team, afterwards."""

    answers: list[RevealedAnswer]
    at: int
    no: int
    reason: CloseReason
    totals: list[int]


class PickOpened(Struct, frozen=True):
    """Showdown: the team in control picks a tile until ``deadline``; then the server picks the lowest free one."""

    at: int
    deadline: int
    team: int


class TilePicked(Struct, frozen=True):
    """``tile``: its place on the board, column by column from 0. Absent ``seat``: the clock picked."""

    at: int
    no: int
    """The question's number from now on."""
    team: int
    tile: int
    seat: int | UnsetType = UNSET


class BuzzersOpened(Struct, frozen=True):
    """The question is shown; presses count from ``open_at`` to ``deadline``. Another one at each rebound."""

    at: int
    deadline: int
    locked_out: list[int]
    """Teams that have had their try."""
    no: int
    open_at: int


class BuzzedTooEarly(Struct, frozen=True):
    """This seat's presses do not count before ``until`` (ms since 1970)."""

    at: int
    no: int
    seat: int
    until: int


class BuzzAccepted(Struct, frozen=True):
    """The first press that counts; its player answers until ``deadline``."""

    at: int
    deadline: int
    no: int
    seat: int
    team: int


class AnswerJudged(Struct, frozen=True):
    """Showdown. ``option`` is secret until the reveal; absent: the time ran out, a miss."""

    at: int
    no: int
    points: int
    right: bool
    seat: int
    team: int
    option: int | UnsetType = UNSET


class ControlPassed(Struct, frozen=True):
    at: int
    team: int


class StakesOpened(Struct, frozen=True):
    """Tutto o niente: theme and difficulty are shown; captains stake until ``deadline``."""

    at: int
    captains: list[Captain]
    deadline: int
    no: int


class StakeLocked(Struct, frozen=True):
    """``amount`` is secret until the reveal."""

    amount: int
    at: int
    seat: int
    team: int


class FinalOpened(Struct, frozen=True):
    """Tutto o niente: the question is shown; captains answer from ``open_at`` to ``deadline``."""

    at: int
    captains: list[Captain]
    deadline: int
    no: int
    open_at: int


class FinalLocked(Struct, frozen=True):
    """``option`` is secret until the reveal."""

    at: int
    option: int
    seat: int
    team: int


class CaptainNamed(Struct, frozen=True):
    """By the host: the team's captain is gone, this seat speaks for it till the end of the phase."""

    at: int
    seat: int
    team: int


class AllRevealed(Struct, frozen=True):
    """Tutto o niente: everything in one event. SKIPPED: void, no stake is shown and nothing changes."""

    at: int
    no: int
    reason: CloseReason
    results: list[FinalResult]
    """By team; empty when it is void."""
    totals: list[int]


class SeatAway(Struct, frozen=True):
    """The person's last live connection is gone; seat, team and points stay."""

    at: int
    seat: int


class SeatBack(Struct, frozen=True):
    at: int
    seat: int


class SeatLeft(Struct, frozen=True):
    """The person has left the room: nobody waits for this seat. He may come back (``SeatBack``)."""

    at: int
    seat: int


class HostMoved(Struct, frozen=True):
    """The room has another host."""

    at: int
    player: str


TriviaEvent = (
    TriviaStarted | QuestionReady | QuestionOpened | AnswerLocked | QuestionRevealed | PickOpened | TilePicked
    | BuzzersOpened | BuzzedTooEarly | BuzzAccepted | AnswerJudged | ControlPassed | StakesOpened | StakeLocked
    | FinalOpened | FinalLocked | CaptainNamed | AllRevealed | SeatAway | SeatBack | SeatLeft | HostMoved
    | MatchEnded | SeedRevealed | GameCancelled | GameSuperseded
)  # fmt: skip

# ---------------------------------------------------------------- commands


class OrderTrivia(Struct, frozen=True):
    """From trivia's own reaction to ``GameRequested``: questions are picked, then the game starts."""

    game: str
    game_no: int
    host: str
    room: str
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]
    away: list[str] | UnsetType = UNSET
    totals: list[int] | UnsetType = UNSET


class AnswerQuestion(Struct, frozen=True):
    """``option`` from 0, as shown. Quiz: everybody; showdown: who holds the buzzer; tutto o niente: captains."""

    option: int
    question_no: int


class PickTile(Struct, frozen=True):
    """Any member of the team in control. ``category`` as the board names it."""

    category: str
    value: int


class Buzz(Struct, frozen=True):
    question_no: int


class Stake(Struct, frozen=True):
    """The captain's: 0 to what the team has."""

    amount: int


class NextQuestion(Struct, frozen=True):
    """The host's: from READY to the question, from the reveal onwards, after the last one to the end."""


class SkipQuestion(Struct, frozen=True):
    """The host's, before the reveal: the question is void."""


class CloseQuestion(Struct, frozen=True):
    """The host's, in the quiz: reveal now, whoever has not answered."""


class ActAsCaptain(Struct, frozen=True):
    """The host's, when a team's captain is gone in the middle of a phase."""

    seat: int
    team: int


class PassControl(Struct, frozen=True):
    """The host's, when nobody of the team in control is there."""

    team: int


class PhaseTimeout(Struct, frozen=True):
    """The ``phase`` deadline came due."""

    version: int


class AwayTimeout(Struct, frozen=True):
    """The ``away`` deadline came due: whoever has not answered has been gone for ten seconds."""

    version: int


TriviaPlay = (
    AnswerQuestion | PickTile | Buzz | Stake | NextQuestion | SkipQuestion | CloseQuestion | ActAsCaptain | PassControl
)
"""What people do."""
