"""The JSON of Open Trivia DB (CC BY-SA 4.0: whoever imports it owes attribution), in any of its three encodings."""

from __future__ import annotations

import base64
import binascii
import html
from collections.abc import Callable
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from ..question import Rough, Tongue
from .text import Unreadable

_DIFFICULTY = {"easy": 1, "medium": 3, "hard": 5}


class _Result(Struct):
    type: str
    difficulty: str
    category: str
    question: str
    correct_answer: str
    incorrect_answers: list[str]


class _Answer(Struct):
    response_code: int
    results: list[msgspec.Raw]


_answer = msgspec.json.Decoder(_Answer)
_result = msgspec.json.Decoder(_Result)
Decode = Callable[[str], str]


def read(data: bytes, language: Tongue) -> list[Rough]:
    try:
        answer = _answer.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error
    if answer.response_code != 0:
        raise Unreadable(f"the answer was refused with code {answer.response_code}")
    results: list[_Result | None] = []
    for item in answer.results:
        try:
            results.append(_result.decode(item))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            results.append(None)
    decode = _encoding([result for result in results if result is not None])
    return [_rough(row, result, decode, language) for row, result in enumerate(results, 1)]


def _encoding(results: list[_Result]) -> Decode:
    """They all say "multiple" or "boolean", which tells base64; a text without a space but with %20 tells the URL's."""
    if results and all(_from_base64(result.type) in ("multiple", "boolean") for result in results):
        return _from_base64
    texts = [result.question for result in results]
    if texts and all(" " not in text for text in texts) and any("%20" in text for text in texts):
        return unquote
    return html.unescape


def _from_base64(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _rough(row: int, result: _Result | None, decode: Decode, language: Tongue) -> Rough:
    if result is None:
        return Rough(row, problem="UNREADABLE")
    if decode(result.type) != "multiple":
        return Rough(row, problem="UNSUPPORTED")
    options = [result.correct_answer, *result.incorrect_answers]
    return Rough(
        row, {language: decode(result.question)}, [{language: decode(option)} for option in options], [0],
        decode(result.category), _DIFFICULTY.get(decode(result.difficulty), 0),
    )  # fmt: skip
