from __future__ import annotations

import time
import unicodedata

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import Rejection
from circolo_rooms.names import MAX_LENGTH, display_name
from hypothesis import given, settings
from hypothesis import strategies as st

REFUSED = Rejection(RefusalCode.INVALID_TEXT, "name")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Anna", "Anna"),
        ("  Zio   Peppe ", "Zio Peppe"),
        ("Nicolo\u0300", "Nicolò"),
        ("D\u00b4Angelo", "D'Angelo"),
        ("D\u2019Angelo", "D\u2019Angelo"),
        ("Anna\u00a0Maria", "Anna Maria"),
        ("\uff21nna", "Anna"),
        ("ﬁlippo", "filippo"),
        ("N\u00ba 1", "No 1"),
        ("Ольга", "Ольга"),
        ("علي", "علي"),
        ("李雷", "李雷"),
        ("नमस्ते", "नमस्ते"),
        ("Gigi ❤\ufe0f", "Gigi ❤\ufe0f"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("👩🏽\u200d🚀", "👩🏽\u200d🚀"),
        ("❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"),
        ("🇮🇹 forza", "🇮🇹 forza"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("x", "x"),
        ("a" * 32, "a" * 32),
        (" " * 200 + "a", "a"),
    ],
)
def test_a_name_is_shown_as_people_mean_it(typed: str, shown: str) -> None:
    assert display_name(typed) == shown


@pytest.mark.parametrize(
    ("why", "typed"),
    [
        ("empty", ""),
        ("only spaces", " \u3000 "),
        ("too long", "a" * 33),
        ("too long once it is normalised", "\ufdfa\ufdfa"),
        ("more than can be read", "a" * 257),
        ("NUL", "a\x00b"),
        ("lone surrogate", "a\ud800"),
        ("line feed", "a\nb"),
        ("line feed at the end", "a\n"),
        ("tab", "a\tb"),
        ("escape", "\x1b[31mred"),
        ("C1 control", "a\x85b"),
        ("zero-width space", "an\u200bna"),
        ("zero-width space alone", "\u200b"),
        ("zero-width non-joiner", "an\u200cna"),
        ("joiner between letters", "an\u200dna"),
        ("joiner at the end", "👩\u200d"),
        ("joiner at the start", "\u200d👩"),
        ("joiner after a letter", "a\u200d👩"),
        ("word joiner", "an\u2060na"),
        ("byte order mark", "\ufeffanna"),
        ("soft hyphen", "an\u00adna"),
        ("right-to-left override", "anna\u202egnp"),
        ("isolate", "\u2066anna\u2069"),
        ("Arabic letter mark", "\u061canna"),
        ("line separator", "a\u2028b"),
        ("paragraph separator", "a\u2029b"),
        ("Hangul filler", "\u3164"),
        ("Hangul choseong filler", "a\u115f"),
        ("halfwidth Hangul filler", "\uffa0"),
        ("empty braille", "\u2800"),
        ("grapheme joiner", "a\u034f"),
        ("Khmer inherent vowel", "a\u17b4"),
        ("musical null", "\U0001d159"),
        ("Mongolian selector", "a\u180b"),
        ("variation selector alone", "\ufe0f"),
        ("variation selector on a letter", "a\ufe0f"),
        ("other variation selector", "❤\ufe0e"),
        ("supplementary selector", "a\U000e0100"),
        ("tag characters", "🏴\U000e0067\U000e007f"),
        ("only a mark", "\u0301"),
        ("a mark on a space", "a \u0301"),
        ("spacing diaeresis, which is a mark on a space", "a\u00a8"),
        ("a tower of marks", "q" + "\u0323" * 4),
        ("private use", "a\ue000"),
        ("unassigned", "a\u0378"),
        ("noncharacter", "a\uffff"),
        ("a megabyte", "a" * 1_000_000),
    ],
)
def test_a_name_that_hides_something_is_refused(why: str, typed: str) -> None:
    assert display_name(typed) == REFUSED, why


def test_a_megabyte_costs_nothing() -> None:
    text = "\ufdfa" * 1_000_000
    began = time.perf_counter()
    for _ in range(1_000):
        display_name(text)
    assert time.perf_counter() - began < 0.5


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40))
def test_an_accepted_name_is_final(typed: str) -> None:
    shown = display_name(typed)
    if isinstance(shown, Rejection):
        return
    assert display_name(shown) == shown
    assert 1 <= len(shown) <= MAX_LENGTH
    assert shown == shown.strip()
    assert not any(unicodedata.category(c) in {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"} for c in shown)
