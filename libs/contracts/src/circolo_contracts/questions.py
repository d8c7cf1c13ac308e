"""The language of the question bank: files of questions, looked at and brought in."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .trivia import Said

FileFormat = Literal["JSON", "CSV", "OPEN_TRIVIA", "GIFT", "AIKEN", "KAHOOT"]
RowProblem = Literal[
    "UNREADABLE", "UNSUPPORTED", "EMPTY", "TOO_LONG", "MARKUP", "NOT_FOUR_OPTIONS", "EQUAL_OPTIONS", "NO_RIGHT_OPTION",
    "SEVERAL_RIGHT_OPTIONS", "UNKNOWN_THEME", "BAD_DIFFICULTY", "BAD_SOURCE", "DUPLICATE_IN_FILE", "DUPLICATE",
    "BANK_FULL",
]  # fmt: skip
"""Why a row is not taken. DUPLICATE: the bank has it; UNSUPPORTED: another kind of question than four options."""


class PreviewQuestions(Struct, frozen=True):
    """To ``bank-<player id>``: what ``ImportQuestions`` with the same fields would do; nothing is stored.

    The answer's ``extra`` is an ``ImportReport``.
    """

    data: str
    """The file, base64."""
    format: FileFormat
    language: Literal["EN", "IT"] = "IT"
    """Of formats that have one language."""
    theme: str = ""
    """For rows that name none."""


class ImportQuestions(Struct, frozen=True):
    """To ``bank-<player id>``: all rows that can be taken are stored at once, for the nights of this player."""

    data: str
    format: FileFormat
    language: Literal["EN", "IT"] = "IT"
    theme: str = ""


class RefusedRow(Struct, frozen=True):
    """``row``: the line of a text file, the item of a JSON file (from 1), the row of a sheet."""

    problem: RowProblem
    row: int
    field: str | UnsetType = UNSET


class TakenRow(Struct, frozen=True):
    difficulty: int
    prompt: Said
    row: int
    theme: str


class ImportReport(Struct, frozen=True):
    """``rows``: the first hundred that were taken, of ``taken`` in all; every refused row."""

    refused: list[RefusedRow]
    rows: list[TakenRow]
    stored: bool
    taken: int
