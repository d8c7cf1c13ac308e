"""Kahoot's XLSX template: a block of instructions, a row of headings, then a question a row with up to four answers."""

from __future__ import annotations

from ..question import Rough, Tongue
from .sheet import Rows, cells
from .table import rights
from .text import Unreadable

SEARCHED_ROWS = 60
"""The headings stand in one of the first rows, below the instructions."""


def read(data: bytes, language: Tongue) -> list[Rough]:
    rows = cells(data)
    head, prompt, answers, correct = _headings(rows)
    found = []
    for row in sorted(number for number in rows if number > head):
        given = rows[row]
        texts = [given[column] for column in answers if given.get(column, "").strip()]
        if not texts and not given.get(prompt, "").strip():
            continue
        places = [column for column in answers if given.get(column, "").strip()]
        right = [places.index(answers[n]) for n in rights(given.get(correct, "")) if answers[n] in places]
        options = [{language: text} for text in texts]
        found.append(Rough(row, {language: given.get(prompt, "")}, options, right))
    return found


def _headings(rows: Rows) -> tuple[int, int, list[int], int]:
    """(their row, column of the question, of its four answers, of the right one's number). Raises Unreadable."""
    for number in sorted(rows)[:SEARCHED_ROWS]:
        named = {column: text.strip().casefold() for column, text in rows[number].items()}
        prompt = next((column for column, text in named.items() if text.startswith("question")), None)
        answers = [column for n in "1234" for column, text in named.items() if text.startswith(f"answer {n}")]
        correct = next((column for column, text in named.items() if text.startswith("correct answer")), None)
        if prompt is not None and correct is not None and len(answers) == 4:
            return number, prompt, answers, correct
    raise Unreadable("no row of headings as in Kahoot's template")
