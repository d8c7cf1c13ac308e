"""CSV: what hosts really make. Separated by ``;`` or ``,``, with a row of headings in Italian or English.

Needed: the question, four options, which one is right (1 to 4, or A to D). Known besides: theme, difficulty, source,
and each text once more with ``_it`` or ``_en`` behind its heading.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence

from ..question import Rough, Texts, Tongue
from .text import Unreadable, text_of

_HEADINGS: Mapping[str, Sequence[str]] = {
    "prompt": ("question", "domanda", "text", "testo"),
    "answer": ("answer", "correct", "right", "giusta", "corretta", "risposta giusta", "risposta corretta"),
    "theme": ("theme", "tema", "category", "categoria"),
    "difficulty": ("difficulty", "difficolta", "difficoltà"),
    "source": ("source", "fonte", "url"),
}
_OPTION = re.compile(r"(?:option|answer|risposta|opzione) ?([1-4a-d])")
_TONGUE = re.compile(r"[ _](it|en)$")
_LONGEST_FIELD = 10_000
Columns = dict[tuple[str, Tongue], int]


def read(data: bytes, language: Tongue) -> list[Rough]:
    text = text_of(data)
    head = text.partition("\n")[0]
    separator = max(";,\t", key=head.count)
    rows = csv.reader([f"{line}\n" for line in text.split("\n")], delimiter=separator, strict=True)
    try:
        columns = _columns(next(rows), language)
    except (StopIteration, csv.Error) as error:
        raise Unreadable("no row of headings") from error
    found: list[Rough] = []
    while True:
        first = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return found
        except csv.Error:
            found.append(Rough(first, problem="UNREADABLE"))
            continue
        if any(cell.strip() for cell in cells):
            found.append(_rough(first, cells, columns, language))


def _columns(headings: Sequence[str], language: Tongue) -> Columns:
    """By field and language; raises Unreadable when one that is needed is not there."""
    columns: Columns = {}
    for place, heading in enumerate(headings):
        name = " ".join(heading.strip().casefold().split())
        tongue = _TONGUE.search(name)
        field = _field(_TONGUE.sub("", name).replace("_", " "))
        if field:
            columns.setdefault((field, _tongue(tongue[1]) if tongue else language), place)
    fields = {field for field, _ in columns}
    missing = {"prompt", "answer", "option0", "option1", "option2", "option3"} - fields
    if missing:
        raise Unreadable(f"no column for {', '.join(sorted(missing))}")
    return columns


def _field(name: str) -> str:
    option = _OPTION.fullmatch(name)
    if option:
        return f"option{'1234abcd'.index(option[1]) % 4}"
    return next((field for field, names in _HEADINGS.items() if name in names), "")


def _tongue(letters: str) -> Tongue:
    return "IT" if letters == "it" else "EN"


def _rough(row: int, cells: Sequence[str], columns: Columns, language: Tongue) -> Rough:
    def texts(field: str) -> Texts:
        return {t: cells[place] for (name, t), place in columns.items() if name == field and place < len(cells)}

    def one(field: str) -> str:
        return next((text.strip() for text in texts(field).values() if text.strip()), "")

    if any(len(cell) > _LONGEST_FIELD for cell in cells):
        return Rough(row, problem="TOO_LONG")
    prompt = texts("prompt")
    given = [tongue for tongue, text in prompt.items() if text.strip()] or [language]
    options = [texts(f"option{place}") for place in range(4)]
    return Rough(
        row, prompt, [_in_every(option, given) for option in options if any(t.strip() for t in option.values())],
        rights(one("answer")), one("theme"), _number(one("difficulty")), one("source"),
    )  # fmt: skip


def _in_every(texts: Texts, given: Sequence[Tongue]) -> Texts:
    """An option that is written once is the same in every language of the question."""
    written = [text for text in texts.values() if text.strip()]
    return texts if len(written) > 1 else dict.fromkeys(given, written[0])


def rights(text: str) -> list[int]:
    """Places from 0: of ``2``, ``B`` or, for several, ``1,3``; sheets keep numbers as ``2.0``. Else none."""
    places = []
    for part in re.split(r"[,;]", re.sub(r"\.0+\b", "", text).strip()):
        mark = part.strip().casefold()
        if len(mark) != 1 or mark not in "1234abcd":
            return []
        places.append("1234abcd".index(mark) % 4)
    return places


def _number(text: str) -> int | None:
    if not text:
        return None
    whole = re.fullmatch(r"(\d)(?:[.,]0+)?", text)
    return int(whole[1]) if whole else 0
