"""The names of the numbers: all ninety, in three languages, and for family ears unless somebody wants the others."""

from __future__ import annotations

import msgspec
from circolo_contracts.smorfia import smorfia


def test_every_number_has_its_name_in_three_languages() -> None:
    for family in (True, False):
        names = smorfia(family=family)
        assert [name.number for name in names] == [*range(1, 91)]
        for name in names:
            assert all(text and text == text.strip() for text in (name.neapolitan, name.italian, name.english))


def test_family_mode_is_the_default_and_softens_what_is_coarse() -> None:
    soft, coarse = smorfia(), smorfia(family=False)
    assert soft == smorfia(family=True)
    changed = [name.number for name, other in zip(soft, coarse, strict=True) if name.neapolitan != other.neapolitan]
    assert changed == [name.number for name in coarse if not name.family] == [6, 16, 21, 28, 29, 30, 59, 67, 71]
    assert all(soft[number - 1].neapolitan == coarse[number - 1].italian for number in changed)
    assert [name.italian for name in soft] == [name.italian for name in coarse]


def test_some_that_everybody_knows() -> None:
    names = smorfia()
    assert (names[0].neapolitan, names[89].italian) == ("L'Italia", "la paura")
    assert names[76].english == "the devils"
    assert names[46].neapolitan == "'O muorto"
    assert names[6].variant


def test_they_travel_as_plain_json() -> None:
    assert b'"number":22,"neapolitan":"\'O pazzo"' in msgspec.json.encode(smorfia())
