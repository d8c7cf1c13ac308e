"""The order of things under the other labels than a deck's, which has its tests with the card games."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from circolo_contracts.chance import Purpose, below, shuffled, words

SEED = bytes(range(32))


@pytest.mark.parametrize(
    ("purpose", "n", "order"), [("options", 1, "BCDA"), ("options", 2, "BDAC"), ("tickets", 1, "ABDC")]
)
def test_a_known_seed_gives_a_known_order_for_ever(purpose: Purpose, n: int, order: str) -> None:
    assert "".join(shuffled(words(SEED, purpose, n), "ABCD")) == order


def test_every_order_of_four_is_as_likely_as_any_other() -> None:
    seen = Counter(shuffled(words(SEED, "options", n), range(4)) for n in range(1, 2_401))
    chi_square = sum((seen[order] - 100) ** 2 / 100 for order in itertools.permutations(range(4)))
    assert chi_square < 49.7, "23 degrees of freedom: one in a thousand is above"


def test_nothing_and_one_thing_have_one_order() -> None:
    assert shuffled(words(SEED, "draws", 1), []) == ()
    assert shuffled(words(SEED, "draws", 1), ["a"]) == ("a",)


def test_a_word_from_the_unfair_end_is_thrown_away() -> None:
    assert below(iter([2**32 - 1, 7]), 3) == 1
    with pytest.raises(ValueError, match="run out"):
        below(iter([2**32 - 1]), 3)
