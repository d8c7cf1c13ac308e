"""What a question must be: four different options, one of them right, plain text that fits a phone, a known theme.

A row of a file is *rough*; what passes is a *draft*, else the row is refused by name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import urlsplit

from circolo_contracts.questions import RefusedRow, RowProblem
from circolo_contracts.trivia import Said
from msgspec import UNSET, Struct, UnsetType

from .themes import THEMES, theme_named

MAX_PROMPT = 160
"""Characters."""
MAX_OPTION = 60
MAX_SOURCE = 300
OPTIONS = 4
DIFFICULTIES = range(1, 6)
USUAL_DIFFICULTY = 3
"""For rows that say none."""

Tongue = Literal["EN", "IT"]
Texts = Mapping[Tongue, str]
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_TAG = re.compile(r"<[a-zA-Z/!?]")


class Rough(Struct, frozen=True):
    """A question as a file has it. ``row`` is where; a ``problem`` was seen while reading."""

    row: int
    prompt: Texts = {}
    options: Sequence[Texts] = ()
    right: Sequence[int] = ()
    """Places of the right options, from 0."""
    theme: str = ""
    difficulty: int | None = None
    source: str = ""
    problem: RowProblem | None = None


class Draft(Struct, frozen=True):
    """A question that may go into the bank."""

    answer: int
    difficulty: int
    options: list[Said]
    prompt: Said
    row: int
    source: str
    theme: str
    only: Tongue | UnsetType = UNSET

    @property
    def marks(self) -> tuple[str, str]:
        """What makes it the same question as another one: its text in each language, (Italian, English)."""
        return mark(self.prompt.it), mark(self.prompt.en)


class _Wrong(Exception):
    def __init__(self, problem: RowProblem, field: str | UnsetType = UNSET) -> None:
        super().__init__(problem)
        self.problem: RowProblem = problem
        self.field = field


def checked(rough: Rough, theme: str = "") -> Draft | RefusedRow:
    """``theme`` is for rows that name none."""
    try:
        return _checked(rough, theme)
    except _Wrong as wrong:
        return RefusedRow(wrong.problem, rough.row, wrong.field)


def mark(text: str) -> str:
    """Without case, accents, punctuation and spaces: how two spellings of one question are found."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in plain if c.isalnum())


def _checked(rough: Rough, theme: str) -> Draft:
    if rough.problem is not None:
        raise _Wrong(rough.problem)
    prompt, only = _both(rough.prompt, "prompt", MAX_PROMPT)
    if len(rough.options) != OPTIONS:
        raise _Wrong("NOT_FOUR_OPTIONS", "options")
    options = [_option(texts, only) for texts in rough.options]
    for said in ([o.it for o in options], [o.en for o in options]):
        if len({" ".join(text.casefold().split()) for text in said}) != OPTIONS:
            raise _Wrong("EQUAL_OPTIONS", "options")
    if len(rough.right) != 1 or rough.right[0] not in range(OPTIONS):
        raise _Wrong("SEVERAL_RIGHT_OPTIONS" if len(rough.right) > 1 else "NO_RIGHT_OPTION", "answer")
    difficulty = USUAL_DIFFICULTY if rough.difficulty is None else rough.difficulty
    if difficulty not in DIFFICULTIES:
        raise _Wrong("BAD_DIFFICULTY", "difficulty")
    return Draft(
        answer=rough.right[0], difficulty=difficulty, options=options, prompt=prompt, row=rough.row,
        source=_source(rough.source), theme=_theme(rough.theme, theme), only=only,
    )  # fmt: skip


def _both(texts: Texts, field: str, limit: int) -> tuple[Said, Tongue | UnsetType]:
    """In both languages: a missing one is the other one again, and marked."""
    tidied: dict[Tongue, str] = {tongue: _tidy(text, field, limit) for tongue, text in texts.items() if text.strip()}
    if not tidied:
        raise _Wrong("EMPTY", field)
    italian, english = tidied.get("IT"), tidied.get("EN")
    if italian is None:
        assert english is not None
        return Said(en=english, it=english), "EN"
    return Said(en=italian if english is None else english, it=italian), "IT" if english is None else UNSET


def _option(texts: Texts, only: Tongue | UnsetType) -> Said:
    """In the language of a question that has only one; one that both languages share need be given once."""
    wanted = texts if only is UNSET else {only: texts.get(only, "")}
    said, _ = _both(wanted, "options", MAX_OPTION)
    return said


def _tidy(text: str, field: str, limit: int) -> str:
    tidy = unicodedata.normalize("NFC", " ".join(text.split()))
    if any(unicodedata.category(c) in _HIDDEN for c in tidy):
        raise _Wrong("UNREADABLE", field)
    if _TAG.search(tidy):
        raise _Wrong("MARKUP", field)
    if len(tidy) > limit:
        raise _Wrong("TOO_LONG", field)
    if not mark(tidy) and field == "prompt":
        raise _Wrong("EMPTY", field)
    return tidy


def _theme(named: str, otherwise: str) -> str:
    """Its own, if we have it; else the one that the whole file was given."""
    theme = theme_named(named) if named.strip() else None
    if theme is None:
        theme = otherwise if otherwise in THEMES else None
    if theme is None:
        raise _Wrong("UNKNOWN_THEME", "theme")
    return theme


def _source(address: str) -> str:
    """An https address, checked for its form only; or empty."""
    address = address.strip()
    if not address:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise _Wrong("BAD_SOURCE", "source") from None
    plain = all("!" <= c <= "~" for c in address) and len(address) <= MAX_SOURCE and not set(address) & set("<>\"'`\\")
    if parts.scheme != "https" or "." not in (parts.hostname or "") or parts.username or not plain:
        raise _Wrong("BAD_SOURCE", "source")
    return address
