"""Which questions a night gets."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from circolo_trivia.bank.picking import Candidate, for_board, for_final, for_quiz
from circolo_trivia.bank.themes import THEMES


def bank(themes: Sequence[str] = THEMES, each: int = 8, stale: int = 0, seed: int = 0) -> list[Candidate]:
    """As the table gives them: the fresh ones first, in any order."""
    made = [Candidate(f"{theme}-{n}", theme, 1 + n % 5, n >= stale) for theme in themes for n in range(each)]
    random.Random(seed).shuffle(made)
    return sorted(made, key=lambda candidate: not candidate.fresh)


@pytest.mark.parametrize("seed", range(5))
def test_a_quiz_is_spread_over_the_themes_and_goes_from_easy_to_hard(seed: int) -> None:
    picked = for_quiz(bank(seed=seed), 18)
    assert Counter(each.theme for each in picked) == dict.fromkeys(THEMES, 2)
    assert [each.difficulty for each in picked] == sorted(each.difficulty for each in picked)


def test_a_quiz_takes_every_fresh_one_before_it_repeats() -> None:
    candidates = bank(("arte", "storia"), each=5, stale=2)
    picked = for_quiz(candidates, 8)
    assert sum(each.fresh for each in picked) == 6
    repeated = [each.id for each in candidates if not each.fresh][:2]
    assert {each.id for each in picked if not each.fresh} == set(repeated), "what was asked longest ago"
    assert len(for_quiz(candidates, 30)) == 10, "there are no more"


@pytest.mark.parametrize("columns", [3, 5, 6])
def test_a_board_has_columns_of_one_theme_each_rising_in_difficulty(columns: int) -> None:
    board = for_board(bank(seed=columns), columns)
    cut = [board[place : place + 4] for place in range(0, len(board), 4)]
    assert len(cut) == columns
    assert len({column[0].theme for column in cut}) == columns, "no theme twice while there are others"
    for column in cut:
        assert len({each.theme for each in column}) == 1
        assert [each.difficulty for each in column] == sorted(each.difficulty for each in column)
    assert len({each.id for each in board}) == columns * 4


def test_a_board_of_few_themes_has_a_second_column_of_one() -> None:
    board = for_board(bank(("diaspora", "arte"), each=8), 3)
    assert sorted(Counter(each.theme for each in board).values()) == [4, 8]
    assert for_board(bank(("arte",), each=8), 3) == [], "not enough for three columns"


def test_a_fresh_second_column_comes_before_one_that_was_asked() -> None:
    asked = bank(("storia", "lingua"), each=4, stale=4)
    fresh = bank(("diaspora",), each=8)
    board = for_board([*fresh, *asked], 3)
    assert Counter(each.theme for each in board)["diaspora"] == 8
    assert sum(each.fresh for each in board) == 8


def test_the_last_question_is_a_hard_one_if_there_is_a_fresh_one() -> None:
    assert for_final(bank())[0].difficulty >= 4
    easy = [Candidate("a", "arte", 1, True), Candidate("b", "arte", 5, False)]
    assert for_final(easy)[0].id == "a"
    assert for_final(easy[1:])[0].id == "b"
    assert for_final([]) == []
