"""Every case of the rule pages and every public bug that concerns trivia is a test here, by its id."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
VECTORS = {case["id"]: case for case in msgspec.json.decode((HERE / "vectors.json").read_bytes())}
BUGS = {12, 13, 14, 16, 19, 20, 23, 26, 28, 30, 33, 35, 36, 37, 38, 42, 45, 47}
"""Rows of the bug log that are about quizzes and buzzers."""
TEXTS = [path.read_text(encoding="utf-8") for path in HERE.rglob("test_*.py") if path.name != Path(__file__).name]


def test_every_vector_is_a_test_with_its_id() -> None:
    named = {name for text in TEXTS for name in re.findall(r"(?:party_|^ *|\s)\"?([SBK]\d\d)(?:_|\": \()", text)}
    assert set(VECTORS) - named == set()
    assert len(VECTORS) == 35


def test_every_row_of_the_bug_log_is_a_test_with_its_number() -> None:
    named = {int(n) for text in TEXTS for n in re.findall(r"(?:_|\b)(?:log|and)_(\d+)(?=_)", text)}
    assert BUGS - named == set()
