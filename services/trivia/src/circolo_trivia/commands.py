"""Trivia's own commands: what its processes and reactions send to its deciders. Nobody else sends them."""

from __future__ import annotations

from circolo_contracts.games import SettingValue
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.trivia import Said
from msgspec import UNSET, Struct, UnsetType


class BankQuestion(Struct, frozen=True):
    """A question as the bank has it: its options in the bank's order."""

    answer: int
    difficulty: int
    id: str
    options: list[Said]
    prompt: Said
    source: str
    theme: str
    only: str | UnsetType = UNSET
    """EN or IT, when it was written in one language only."""


class StartTrivia(Struct, frozen=True):
    """``questions`` in the order of play; fewer than the settings ask for: there are no more, and no game."""

    game: str
    game_no: int
    host: str
    questions: list[BankQuestion]
    room: str
    seats: list[SeatOccupant]
    settings: dict[str, SettingValue]
    away: list[str] | UnsetType = UNSET
    totals: list[int] | UnsetType = UNSET


class MarkAway(Struct, frozen=True):
    """The room says that this player's last connection was lost, at ``at`` (ms since 1970)."""

    at: int
    player: str


class MarkBack(Struct, frozen=True):
    player: str


class MarkLeft(Struct, frozen=True):
    """He has left the room."""

    player: str


class MoveHost(Struct, frozen=True):
    player: str


class NoteEarlyPress(Struct, frozen=True):
    """A press that was refused as TOO_EARLY; the lock that follows it has to be remembered."""

    at: int
    player: str
    question_no: int


class RetireGame(Struct, frozen=True):
    """From trivia's reaction to ``GameRequested.previous``: it is superseded, its questions are the room's past."""

    by: str
    """The id of the new game."""


class ForgetQuestions(Struct, frozen=True):
    """To ``bank-<player id>``, from trivia's reaction to ``PlayerErased``: what he brought in goes with him."""


ServiceCommand = StartTrivia | MarkAway | MarkBack | MarkLeft | MoveHost | NoteEarlyPress
