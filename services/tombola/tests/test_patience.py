"""Wrong claims: four after one number, then two a second, and a new number is a new beginning."""

from __future__ import annotations

from cartelle import A, B
from circolo_tombola.patience import FORGIVEN_MS, REMEMBERED, WRONG_CLAIMS, Patience

GAME, OTHER = "tombola-1", "tombola-2"
NOW = 1_000_000


def tired(*, drawn: int = 5) -> Patience:
    patience = Patience()
    for _ in range(WRONG_CLAIMS):
        assert not patience.is_over(GAME, A, drawn, NOW)
        patience.wrong(GAME, A, drawn, NOW)
    return patience


def test_after_four_in_a_row_one_has_to_wait() -> None:
    patience = tired()
    assert patience.is_over(GAME, A, 5, NOW)
    assert not patience.is_over(GAME, B, 5, NOW), "but nobody else has"
    assert not patience.is_over(OTHER, A, 5, NOW)


def test_then_they_are_forgotten_one_by_one() -> None:
    patience = tired()
    assert not patience.is_over(GAME, A, 5, NOW + FORGIVEN_MS)
    patience.wrong(GAME, A, 5, NOW + FORGIVEN_MS)
    assert patience.is_over(GAME, A, 5, NOW + FORGIVEN_MS)
    assert not patience.is_over(GAME, A, 5, NOW + 2 * FORGIVEN_MS)


def test_the_next_number_is_a_new_beginning() -> None:
    patience = tired()
    assert not patience.is_over(GAME, A, 6, NOW)
    patience.wrong(GAME, A, 6, NOW)
    assert not patience.is_over(GAME, A, 6, NOW)


def test_it_remembers_only_so_many_people() -> None:
    patience = tired()
    for number in range(REMEMBERED):
        patience.wrong(GAME, f"{number:032x}", 5, NOW)
    assert not patience.is_over(GAME, A, 5, NOW)
