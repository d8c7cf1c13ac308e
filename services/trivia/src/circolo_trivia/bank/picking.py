"""Which questions a night gets: none that the room has had while there are fresh ones, spread over the themes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from ..board import ROWS

FINAL_DIFFICULTY = 4
"""Tutto o niente asks a hard one, if it can."""


class Candidate(Struct, frozen=True):
    """They come in a random order, the fresh ones first, then those that the room had longest ago."""

    id: str
    theme: str
    difficulty: int
    fresh: bool


def for_quiz(candidates: Sequence[Candidate], count: int) -> list[Candidate]:
    """Spread over the themes, from easy to hard; fewer when there are no more."""
    fresh = [each for each in candidates if each.fresh]
    picked = list(_spread(fresh, count))
    picked += [each for each in candidates if not each.fresh][: count - len(picked)]
    return sorted(picked, key=lambda each: each.difficulty)


def for_final(candidates: Sequence[Candidate]) -> list[Candidate]:
    """A hard one; a fresh easy one before a hard one that the room has had."""
    fresh = [each for each in candidates if each.fresh] or list(candidates)
    hard = [each for each in fresh if each.difficulty >= FINAL_DIFFICULTY]
    return (hard or fresh)[:1]


def for_board(candidates: Sequence[Candidate], columns: int) -> list[Candidate]:
    """Column by column, each of one theme and rising in difficulty; empty when there are not enough.

    Columns of fresh questions come before others, and of themes that have no column yet before a second one.
    """
    by_theme: dict[str, list[Candidate]] = {}
    for each in candidates:
        by_theme.setdefault(each.theme, []).append(each)
    cut = [
        (nth, column) for questions in by_theme.values() for nth, column in enumerate(_columns(questions, columns))
    ]  # fmt: skip
    cut.sort(key=lambda each: (sum(not question.fresh for question in each[1]), each[0]))
    chosen = [column for _, column in cut[:columns]]
    if len(chosen) < columns:
        return []
    chosen.sort(key=lambda column: column[0].theme)
    return [question for column in chosen for question in column]


def _columns(questions: Sequence[Candidate], most: int) -> list[list[Candidate]]:
    """Of one theme: whole columns, fresh ones apart from those that are not as far as it goes."""
    count = min(most, len(questions) // ROWS)
    fresh = sum(question.fresh for question in questions) // ROWS
    whole = min(fresh, count) * ROWS
    return [*_dealt(questions[:whole]), *_dealt(questions[whole : count * ROWS])]


def _dealt(questions: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Rising columns: sorted by difficulty, then one for each column in turn."""
    columns = len(questions) // ROWS
    rising = sorted(questions, key=lambda each: each.difficulty)
    return (rising[column::columns] for column in range(columns))


def _spread(candidates: Sequence[Candidate], count: int) -> Iterator[Candidate]:
    """One of each theme in turn, as long as a theme has any."""
    by_theme: dict[str, list[Candidate]] = {}
    for each in candidates:
        by_theme.setdefault(each.theme, []).append(each)
    given = 0
    while by_theme and given < count:
        for theme in list(by_theme):
            if given == count:
                return
            yield by_theme[theme].pop(0)
            given += 1
            if not by_theme[theme]:
                del by_theme[theme]
