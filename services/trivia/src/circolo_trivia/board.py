"""The showdown's board: columns of four tiles, each worth more than the one above it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from circolo_contracts.trivia import TriviaQuestion

VALUES = (200, 400, 600, 800)
"""By rank of difficulty within the column."""
ROWS = len(VALUES)


def value_of(tile: int) -> int:
    return VALUES[tile % ROWS]


def categories(questions: Sequence[TriviaQuestion]) -> list[str]:
    """By column: the theme, with a number behind it from a theme's second column on (``diaspora``, ``diaspora-2``)."""
    seen: Counter[str] = Counter()
    names = []
    for question in questions[::ROWS]:
        seen[question.theme] += 1
        number = seen[question.theme]
        names.append(question.theme if number == 1 else f"{question.theme}-{number}")
    return names


def tile_at(questions: Sequence[TriviaQuestion], category: str, value: int) -> int | None:
    names = categories(questions)
    if category not in names or value not in VALUES:
        return None
    return names.index(category) * ROWS + VALUES.index(value)


def lowest_free(questions: Sequence[TriviaQuestion], played: Sequence[int]) -> int:
    """Lowest value, then board order. There must be one."""
    free = [tile for tile in range(len(questions)) if tile not in played]
    return min(free, key=lambda tile: (tile % ROWS, tile))
