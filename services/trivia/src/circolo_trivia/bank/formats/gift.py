"""GIFT, Moodle's text format: ``::name:: text {=right ~wrong ~wrong ~wrong}``, a blank line between questions.

Of its kinds of questions only the one with a right and three wrong options is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..question import Rough, Texts, Tongue
from .text import Unreadable, text_of

_ESCAPED = re.compile(r"\\(.)")
_MARK = "\ue000"
"""Stands before an escaped character while the text is taken apart; a private one, which no question may have."""
_TITLE = re.compile(r"^::.*?::", re.DOTALL)
_MARKUP = re.compile(r"^\s*\[(html|markdown|moodle|plain)\]")
_CATEGORY = re.compile(r"^\$CATEGORY:\s*(.*)$")
_WEIGHT = re.compile(r"^%(-?[0-9.]+)%")


def read(data: bytes, language: Tongue) -> list[Rough]:
    text = text_of(data)
    if _MARK in text:
        raise Unreadable("a character that no question may have")
    found = [rough for row, theme, block in _blocks(text) for rough in [_rough(row, theme, block, language)]]
    if all(rough.problem is not None for rough in found):
        raise Unreadable("no question in the GIFT format")
    return found


def _blocks(text: str) -> Iterator[tuple[int, str, str]]:
    """(first line, theme, text) of each question."""
    theme, first, lines = "", 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        category = _CATEGORY.match(line)
        if category:
            theme = category[1].replace("\\", "/").rpartition("/")[2]
        elif line.lstrip().startswith("//"):
            continue
        elif line.strip():
            first = first or number
            lines.append(line)
        elif lines and _open_braces(lines) <= 0:
            yield first, theme, "\n".join(lines)
            first, lines = 0, []
    if lines:
        yield first, theme, "\n".join(lines)


def _open_braces(lines: list[str]) -> int:
    """A blank line within the braces of a question does not end it."""
    plain = _ESCAPED.sub("", "\n".join(lines))
    return plain.count("{") - plain.count("}")


def _rough(row: int, theme: str, block: str, language: Tongue) -> Rough:
    hidden = _ESCAPED.sub(lambda escaped: _MARK + f"{ord(escaped[1]):x}" + _MARK, block)
    hidden = _MARKUP.sub("", _TITLE.sub("", hidden.strip(), count=1), count=1)
    before, brace, rest = hidden.partition("{")
    inside, closing, after = rest.partition("}")
    if not brace or not closing or "{" in after:
        return Rough(row, problem="UNSUPPORTED" if not brace else "UNREADABLE")
    prompt = f"{before.rstrip()} _____ {after.strip()}" if after.strip() else before
    return _answers(Rough(row, {language: _shown(prompt)}, theme=theme), inside, language)


def _answers(rough: Rough, inside: str, language: Tongue) -> Rough:
    parts = re.split(r"([=~])", inside.strip())
    if parts[0].strip() or "~" not in parts[1::2] or "->" in inside:
        return Rough(rough.row, problem="UNSUPPORTED")
    options: list[Texts] = []
    right: list[int] = []
    for sign, text in zip(parts[1::2], parts[2::2], strict=True):
        weight = _WEIGHT.match(text.strip())
        if sign == "=" or (weight is not None and float(weight[1]) > 0):
            right.append(len(options))
        options.append({language: _shown(_WEIGHT.sub("", text.strip()).partition("#")[0])})
    return Rough(rough.row, rough.prompt, options, right, rough.theme)


def _shown(text: str) -> str:
    """With what was escaped in its place again; an escaped n is a line's end."""
    parts = text.split(_MARK)
    parts[1::2] = [chr(int(code, 16)) for code in parts[1::2]]
    parts[1::2] = [" " if char == "n" else char for char in parts[1::2]]
    return "".join(parts)
