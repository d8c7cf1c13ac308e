"""Aiken: the question on a line, ``A. ...`` to ``D. ...`` below it, then ``ANSWER: B``."""

from __future__ import annotations

import re

from ..question import Rough, Tongue
from .text import Unreadable, text_of

_OPTION = re.compile(r"([A-Z])[.)]\s+(.*)")
_ANSWER = re.compile(r"ANSWER:\s*([A-Z])\s*")


def read(data: bytes, language: Tongue) -> list[Rough]:
    found: list[Rough] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text_of(data).split("\n"), 1):
        if not line.strip():
            continue
        block.append((number, line.strip()))
        if line.lstrip().upper().startswith("ANSWER:"):
            found.append(_rough(block, language))
            block = []
    if block:
        found.append(Rough(block[0][0], problem="NO_RIGHT_OPTION"))
    if all(rough.problem is not None for rough in found):
        raise Unreadable("no question in the Aiken format")
    return found


def _rough(block: list[tuple[int, str]], language: Tongue) -> Rough:
    """The lines before the first option are the question; nothing may stand between the options and the answer."""
    row, lines = block[0][0], [line for _, line in block]
    first = next((place for place, line in enumerate(lines) if _OPTION.fullmatch(line)), None)
    answer = _ANSWER.fullmatch(lines[-1].upper())
    if not first or answer is None:
        return Rough(row, problem="UNREADABLE")
    options = [_OPTION.fullmatch(line) for line in lines[first:-1]]
    letters = [option[1] for option in options if option]
    if len(letters) < len(options) or letters != [chr(ord("A") + place) for place in range(len(letters))]:
        return Rough(row, problem="UNREADABLE")
    texts = [{language: option[2]} for option in options if option]
    right = [letters.index(answer[1])] if answer[1] in letters else []
    return Rough(row, {language: " ".join(lines[:first])}, texts, right)
