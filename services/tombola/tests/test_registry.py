"""Stored events: one golden sample of each, and a game that folds from them to what it was then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from circolo_contracts.tombola import TombolaEvent
from circolo_events.testing.samples import check_samples
from circolo_tombola.marks import MarksDecider
from circolo_tombola.registry import REGISTRY
from circolo_tombola.rehearsal import TOMBOLA
from circolo_tombola.state import CHANGES

SAMPLES = Path(__file__).parent / "samples"
AN_EVENING = (
    "TombolaStarted", "NumberDrawn", "CallingChanged", "CallingPaused", "CallerChanged", "CallingResumed",
    "PrizeAwarded", "MatchEnded", "SeedRevealed", "GameSuperseded",
)  # fmt: skip


def stored(name: str) -> Any:
    return REGISTRY.decode(name, 1, (SAMPLES / f"{name}.v1.json").read_bytes())


def test_every_event_ever_stored_is_read_by_todays_code() -> None:
    check_samples(REGISTRY, SAMPLES)


def test_a_game_of_stored_events_gives_what_it_gave_then() -> None:
    state = TOMBOLA.initial
    for name in AN_EVENING:
        state = TOMBOLA.evolve(state, stored(name))
    assert (state.version, state.host, state.called, state.superseded) == (10, "b" * 32, (4,), True)
    assert (state.calling, state.every_seconds, state.call_at) == ("AUTOMATIC", 5, 0)
    assert [award.seat for award in state.won["AMBO"].awards] == [0]
    marks = MarksDecider().evolve(MarksDecider.initial, stored("MarkSet"))
    assert (marks.version, marks.shown(), marks.player) == (1, [4], "a" * 32)


def test_every_event_has_its_change() -> None:
    assert set(TombolaEvent.__args__) == set(CHANGES)
    assert {REGISTRY.by_struct[struct].name for struct in CHANGES} == {*AN_EVENING, "GameCancelled"}
