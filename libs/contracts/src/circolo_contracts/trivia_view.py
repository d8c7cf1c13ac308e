"""A trivia night as one audience may see it, and what it is told of what happened."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .cardgames import MatchResult
from .games import SettingValue
from .trivia import Captain, CloseReason, FinalResult, RevealedAnswer, Said, TriviaMode, TriviaPhase

Doing = Literal["ANSWER", "BUZZ", "PICK", "STAKE"]


class TriviaSeat(Struct, frozen=True):
    """What everybody sees of a seat that somebody has. ``answered``: something of his is locked for this question."""

    answered: bool
    connected: bool
    player: str
    points: int
    """Of this game so far."""
    seat: int
    team: int


class TriviaTeam(Struct, frozen=True):
    """``rank`` by ``total`` among the teams that play: equal totals share one, 1-1-3."""

    rank: int
    team: int
    total: int
    """The evening's, this game included."""


class Tile(Struct, frozen=True):
    """One place of the board. ``category``: the theme, with a number behind it from a theme's second column on."""

    category: str
    state: Literal["FREE", "ON", "PLAYED"]
    theme: str
    value: int


class QuestionView(Struct, frozen=True):
    """The question on the table. Without ``prompt`` and with no ``options`` until it is opened."""

    difficulty: int
    no: int
    options: list[Said]
    theme: str
    only: Literal["EN", "IT"] | UnsetType = UNSET
    """The one language that it was written in."""
    prompt: Said | UnsetType = UNSET
    value: int | UnsetType = UNSET
    """Of its tile, in a showdown."""


class Reveal(Struct, frozen=True):
    """After the close, and not before: what was right, where it is written, and what everybody did."""

    answer: int
    answers: list[RevealedAnswer]
    reason: CloseReason
    results: list[FinalResult]
    """Tutto o niente; else empty."""
    source: str


class Holder(Struct, frozen=True):
    """Who pressed first."""

    seat: int
    team: int


class OwnTrivia(Struct, frozen=True):
    """What a seat sees beside what everybody sees: the last fields of its ``TriviaView``."""

    can: list[Doing]
    """What this seat may do now."""
    seat: int
    team: int
    locked_until: int | UnsetType = UNSET
    """Presses do not count before this (ms since 1970): the last one came too early."""
    option: int | UnsetType = UNSET
    """What this seat answered to the question on the table."""
    stake: int | UnsetType = UNSET
    """What this seat staked."""


class TriviaView(Struct, frozen=True):
    """``deadline`` and ``open_at``: ms since 1970 by the server's clock. The last six fields are a seat's own."""

    answered_count: int
    """How many have locked an answer or stake for the question on the table."""
    board: list[Tile]
    """Column by column, each from the lowest value; empty outside a showdown."""
    captains: list[Captain]
    """Of this phase; empty outside tutto o niente."""
    commitment: str
    game: str
    game_id: str
    host: str
    locked_out: list[int]
    """Teams that have had their try at the question on the table."""
    mode: TriviaMode
    phase: TriviaPhase
    question_count: int
    """How many questions this game has."""
    room: str
    seats: list[TriviaSeat]
    settings: dict[str, SettingValue]
    started_at: int
    status: Literal["RUNNING", "ENDED"]
    teams: list[TriviaTeam]
    """Those that somebody plays for."""
    version: int
    buzz: Holder | UnsetType = UNSET
    """Who answers now, in a showdown."""
    control: int | UnsetType = UNSET
    """The team that picks, in a showdown."""
    deadline: int | UnsetType = UNSET
    open_at: int | UnsetType = UNSET
    """From when answers or presses count."""
    question: QuestionView | UnsetType = UNSET
    result: MatchResult | UnsetType = UNSET
    reveal: Reveal | UnsetType = UNSET
    seed: str | UnsetType = UNSET
    """After the end."""
    superseded: bool = False
    """The room plays another game: this one is over for good."""
    can: list[Doing] | UnsetType = UNSET
    locked_until: int | UnsetType = UNSET
    option: int | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    stake: int | UnsetType = UNSET
    team: int | UnsetType = UNSET


class TriviaHappening(Struct, frozen=True):
    """One thing that happened: ``kind`` is the event type. What is secret before the reveal is in none of them."""

    at_version: int
    kind: str
    no: int | UnsetType = UNSET
    """The question's number."""
    points: int | UnsetType = UNSET
    reason: CloseReason | UnsetType = UNSET
    right: bool | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    team: int | UnsetType = UNSET
    tile: int | UnsetType = UNSET
