"""Our own JSON: a list of questions, each in one or two languages. What the starter bank is written in.

``{"theme": "storia", "difficulty": 2, "text": {"it": "...", "en": "..."}, "options": [{"it": "...", "en": "..."}, ...],
"answer": 1, "source": "https://..."}``; an option that is the same in both languages may be a plain string.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from ..question import Rough, Texts, Tongue
from .text import Unreadable


class _Text(Struct):
    it: str = ""
    en: str = ""


class _Question(Struct):
    text: _Text | str
    options: list[_Text | str]
    answer: int
    theme: str = ""
    difficulty: int | None = None
    source: str = ""


_list = msgspec.json.Decoder(list[msgspec.Raw])
_question = msgspec.json.Decoder(_Question)


def read(data: bytes, language: Tongue) -> list[Rough]:
    try:
        items = _list.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error
    return [_rough(place, item, language) for place, item in enumerate(items, 1)]


def _rough(place: int, item: msgspec.Raw, language: Tongue) -> Rough:
    try:
        question = _question.decode(item)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Rough(place, problem="UNREADABLE")
    prompt = _texts(question.text, language)
    given = [tongue for tongue, text in prompt.items() if text.strip()]
    return Rough(
        place, prompt, [_texts(option, *(given or [language])) for option in question.options], [question.answer],
        question.theme, question.difficulty, question.source,
    )  # fmt: skip


def _texts(text: _Text | str, *languages: Tongue) -> Texts:
    return {"IT": text.it, "EN": text.en} if isinstance(text, _Text) else dict.fromkeys(languages, text)
