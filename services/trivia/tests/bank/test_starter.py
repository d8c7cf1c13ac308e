"""The starter bank: 48 questions that stand by themselves. Sources are looked at for their form only."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import msgspec
import pytest
from circolo_contracts.questions import RefusedRow
from circolo_trivia.bank.formats import own
from circolo_trivia.bank.importing import sorted_out
from circolo_trivia.bank.question import checked
from circolo_trivia.bank.store import _STARTER, StarterQuestion
from circolo_trivia.bank.themes import THEMES

DATA = _STARTER.read_bytes()
QUESTIONS = msgspec.json.decode(DATA, type=list[StarterQuestion])


def test_there_are_48_four_of_each_theme_and_sixteen_of_the_diaspora() -> None:
    assert Counter(each.theme for each in QUESTIONS) == {theme: 16 if theme == "diaspora" else 4 for theme in THEMES}
    assert len({each.id for each in QUESTIONS}) == 48


def test_the_import_takes_all_of_them() -> None:
    assert [rough for rough in map(checked, own.read(DATA, "IT")) if isinstance(rough, RefusedRow)] == []
    assert len(sorted_out(DATA, "JSON", "IT", "").taken) == 48


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_a_question_speaks_both_languages_and_says_where_it_is_written(question: StarterQuestion) -> None:
    assert set(question.text) == {"it", "en"}
    assert all(set(option) == {"it", "en"} for option in question.options)
    assert re.fullmatch(r"https://[a-z.]+/[\x21-\x7e]+", question.source)
    for tongue in ("it", "en"):
        assert question.text[tongue].endswith("?")
        right = question.options[question.answer][tongue].casefold()
        words = re.findall(r"\w{5,}", right)
        assert [word for word in words if word in question.text[tongue].casefold()] == [], "the text tells the answer"


def test_right_options_are_spread_evenly_and_never_three_in_a_row() -> None:
    right = [each.answer for each in QUESTIONS]
    assert Counter(right) == dict.fromkeys(range(4), 12)
    assert all(len(set(right[place : place + 3])) > 1 for place in range(46))


def test_every_block_of_four_rises_in_difficulty() -> None:
    for place in range(0, 48, 4):
        block = [each.difficulty for each in QUESTIONS[place : place + 4]]
        assert all(easier < harder for easier, harder in pairwise(block)), QUESTIONS[place].id
