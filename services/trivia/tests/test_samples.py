"""Stored events for ever: one sample of each type and version, read by today's code."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest
from circolo_contracts.trivia import TriviaEvent
from circolo_events.testing import check_samples
from circolo_trivia.evolve import CHANGES, evolve
from circolo_trivia.registry import REGISTRY
from circolo_trivia.state import TriviaState

SAMPLES = Path(__file__).parent / "samples"
A_QUIZ = (
    "TriviaStarted", "QuestionReady", "QuestionOpened", "AnswerLocked", "SeatAway", "SeatBack", "SeatLeft", "HostMoved",
    "QuestionRevealed", "MatchEnded", "SeedRevealed", "GameSuperseded",
)  # fmt: skip


def stored(name: str) -> bytes:
    return (SAMPLES / f"{name}.v1.json").read_bytes()


def test_every_event_ever_stored_is_read_by_todays_code() -> None:
    check_samples(REGISTRY, SAMPLES)


def test_a_night_of_stored_events_gives_what_it_gave_then() -> None:
    state = TriviaState()
    for name in A_QUIZ:
        state = evolve(state, REGISTRY.decode(name, 1, stored(name)))  # type: ignore[arg-type]
    assert (state.version, state.phase, state.superseded) == (len(A_QUIZ), "ENDED", True)
    assert state.result is not None
    assert state.result.outcome == "STOPPED"


def test_every_event_has_its_change() -> None:
    assert set(get_args(TriviaEvent)) == set(CHANGES)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("TriviaStarted", "seed"),
        ("TriviaStarted", "questions"),
        ("AnswerLocked", "option"),
        ("AnswerJudged", "option"),
        ("FinalLocked", "option"),
        ("StakeLocked", "amount"),
    ],
)
def test_analysts_see_no_question_no_answer_and_no_stake_of_a_night_that_is_on(name: str, secret: str) -> None:
    assert secret in msgspec.json.decode(stored(name))
    assert secret not in msgspec.json.decode(REGISTRY.by_name[name].without_secrets(stored(name)))
    assert REGISTRY.open_marker == "SeedRevealed"
