"""What may be said: the limits at their edges."""

from __future__ import annotations

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import MAX_TEXT
from circolo_events.decider import Rejection
from circolo_rooms.talk.wording import wording


def shown(text: str) -> str | None:
    found = wording(text, MAX_TEXT, "text")
    if isinstance(found, Rejection):
        assert (found.code, found.field) == (RefusalCode.INVALID_TEXT, "text")
        return None
    return found


@pytest.mark.parametrize(
    ("text", "as_shown"),
    [
        ("ciao", "ciao"),
        ("  ciao  a tutti ", "ciao  a tutti"),
        ("perche\u0301 no?", "perch\u00e9 no?"),
        ("a\u00a0b", "a b"),
        ("\u00bd litro di vino \u2460", "\u00bd litro di vino \u2460"),
        ("bravo \U0001f468\u200d\U0001f469\u200d\U0001f467!", "bravo \U0001f468\u200d\U0001f469\u200d\U0001f467!"),
        ("x" * MAX_TEXT, "x" * MAX_TEXT),
        (" " * 100 + "x" * MAX_TEXT, "x" * MAX_TEXT),
    ],
)
def test_what_one_may_say_is_shown_as_it_was_meant(text: str, as_shown: str) -> None:
    assert shown(text) == as_shown


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "\u3164", "x" * (MAX_TEXT + 1), "x" * 100_000, "a\x00b", "a\nb", "a\tb", "a\x1b[2Jb", "a\u202eb",
        "a\u200bb", "a\u2028b", "a\ufeffb", "a\u00adb", "a\ud800b", "e" + "\u0301" * 30, "\u0301a", "a\ue000b",
    ],
)  # fmt: skip
def test_what_hides_or_moves_text_is_refused_by_name(text: str) -> None:
    assert shown(text) is None
