"""The three modes: each a machine of its own, by the tables of what it accepts in which phase."""

from __future__ import annotations

from circolo_contracts.trivia import TriviaMode

from . import finale, quiz, showdown
from .mode import Mode

MODES: dict[TriviaMode, Mode] = {
    "QUIZ": quiz.MODE,
    "SHOWDOWN": showdown.MODE,
    "TUTTO_O_NIENTE": finale.MODE,
}
