from __future__ import annotations

import json
from pathlib import Path

import pytest
from circolo_cardgames.golden import as_text, case_files, replayed

CASES = case_files()


def test_every_game_has_golden_hands() -> None:
    assert {path.parent.parent.name for path in CASES} >= {"briscola"}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_golden_hand_is_played_again_to_the_byte(path: Path) -> None:
    """Regenerate with ``python -m circolo_cardgames.golden``, and look at the difference."""
    text = path.read_text(encoding="utf-8")
    assert as_text(replayed(json.loads(text))) == text


def test_a_card_that_the_rules_refuse_is_an_error_and_not_left_out() -> None:
    case = json.loads(CASES[0].read_text(encoding="utf-8"))
    case["plays"][3] = case["plays"][2]
    with pytest.raises(ValueError, match="refused: CARD_NOT_IN_HAND"):
        replayed(case)
