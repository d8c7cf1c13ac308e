"""The proof of a finished night, and that it sees what was changed."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from circolo_contracts.cardgames import MatchEnded, StopMatch
from circolo_contracts.ids import global_id, stream_of
from circolo_contracts.trivia import (
    AllRevealed,
    AnswerJudged,
    AnswerLocked,
    BuzzAccepted,
    QuestionRevealed,
    StakeLocked,
    TriviaStarted,
)
from circolo_service.export import Exported, ExportedEvent, Unreadable, to_bytes
from circolo_service.proof import FALSE, HOLDS, UNREADABLE
from circolo_trivia.checks import check
from circolo_trivia.export import NIGHTS
from circolo_trivia.registry import REGISTRY
from circolo_trivia.rehearsal import Night
from circolo_trivia.verify import PROOF
from msgspec import Raw
from msgspec.structs import replace
from night_talk import answer, buzz, go_on, picked, picking, showdown, stake

GAME = "a" * 32


def quiz() -> Night:
    night = Night(3, seed=4)
    chance = random.Random(4)
    while night.state.is_running:
        if night.state.phase == "READY":
            night.opened()
            for seat in range(3):
                answer(night.after(chance.randrange(2_000)), seat, chance.randrange(4))
        go_on(night)
    return night


def board() -> Night:
    night = showdown(2)
    chance = random.Random(5)
    for tile in range(12):
        night.by(night.state.control, picking(night, tile))
        for seat in chance.sample(range(2), 2):
            buzz(night.opened(), seat)
            answer(night, seat, chance.randrange(4))
        night.at(night.state.due_at + 150)
        go_on(night)
    return night


def final() -> Night:
    night = Night(2, mode="TUTTO_O_NIENTE", totals=(700, 900))
    stake(night, 0, 700)
    stake(night, 1, 100)
    night.opened()
    answer(night, 0, night.right)
    answer(night, 1, night.wrong)
    go_on(night)
    return night


@pytest.mark.parametrize("played", [quiz, board, final])
def test_a_night_that_was_played_fairly_holds(played: Callable[[], Night]) -> None:
    night = played()
    assert not night.state.is_running
    steps = list(check(GAME, night.events))
    assert all(step.holds for step in steps), steps[-1]
    assert steps[-1].text.startswith("the night ends")


def test_a_night_that_was_stopped_holds_and_one_that_is_on_cannot_be_read() -> None:
    night = picked(showdown(2))
    with pytest.raises(Unreadable):
        list(check(GAME, night.events))
    night.house(StopMatch())
    assert all(step.holds for step in check(GAME, night.events))


def another_order(event: TriviaStarted) -> TriviaStarted:
    questions = list(event.questions)
    questions[1] = replace(questions[1], order=questions[1].order[::-1])
    return replace(event, questions=questions)


TAMPERED: list[tuple[Callable[[], Night], type[Any], Callable[[Any], Any]]] = [
    (quiz, TriviaStarted, lambda e: replace(e, seed="0" * 64)),
    (quiz, TriviaStarted, lambda e: replace(e, commitment="0" * 64)),
    (quiz, TriviaStarted, another_order),
    (quiz, TriviaStarted, lambda e: replace(e, totals=[5, 0])),
    (quiz, AnswerLocked, lambda e: replace(e, elapsed=e.elapsed + 500)),
    (quiz, QuestionRevealed, lambda e: replace(e, totals=[t + 1 for t in e.totals])),
    (quiz, MatchEnded, lambda e: replace(e, outcome="TIED")),
    (board, TriviaStarted, lambda e: replace(e, control=1 - e.control)),
    (board, AnswerJudged, lambda e: replace(e, right=not e.right)),
    (board, AnswerJudged, lambda e: replace(e, points=e.points + 200)),
    (board, QuestionRevealed, lambda e: replace(e, answers=[*e.answers, *e.answers])),
    (final, StakeLocked, lambda e: replace(e, amount=9_999)),
    (final, AllRevealed, lambda e: replace(e, results=[replace(r, right=True) for r in e.results])),
]


@pytest.mark.parametrize(("played", "kind", "change"), TAMPERED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_was_changed_afterwards_is_found(
    played: Callable[[], Night], kind: type[Any], change: Callable[[Any], Any]
) -> None:
    events = played().events
    place = next(place for place, event in enumerate(events) if isinstance(event, kind))
    forged = [*events[:place], change(events[place]), *events[place + 1 :]]
    assert [step.holds for step in check(GAME, forged)][-1] is False


def test_a_second_owner_of_the_buzzer_is_found() -> None:
    events = board().events
    place = next(place for place, event in enumerate(events) if isinstance(event, BuzzAccepted))
    forged = [*events[: place + 1], events[place], *events[place + 1 :]]
    assert [step.holds for step in check(GAME, forged)][-1] is False


def as_file(night: Night, folder: Path) -> Path:
    stored = [REGISTRY.encode(event) for event in night.events]
    events = [ExportedEvent(Raw(data), v, name, n) for n, (name, v, data) in enumerate(stored, 1)]
    file = folder / "night.json"
    file.write_bytes(to_bytes(Exported(events, "circolo-trivia-1", GAME)))
    return file


def test_a_file_is_proved_without_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    night = quiz()
    file = as_file(night, tmp_path)
    assert NIGHTS.events_of(NIGHTS.from_bytes(file.read_bytes())) == night.events
    copy = tmp_path / "copy.json"
    gid = global_id("Trivia", stream_of("trivia", GAME), None)
    for name in (GAME, f"trivia-{GAME}", gid):
        assert PROOF.main([name, "--file", str(file), "--export", str(copy)]) == HOLDS
    assert copy.read_bytes() == file.read_bytes()
    assert "ok     the options of 10 questions are in the order of the seed" in capsys.readouterr().out
    file.write_bytes(file.read_bytes().replace(b'"elapsed":', b'"elapsed":1', 1))
    assert PROOF.main([GAME, "--file", str(file)]) == FALSE


def test_what_is_no_night_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CIRCOLO_POSTGRES_URL", raising=False)
    monkeypatch.delenv("CIRCOLO_POSTGRES_URL_TRIVIA", raising=False)
    file = tmp_path / "x"
    for text in (b"", b"{}", to_bytes(Exported([], "circolo-trivia-1", GAME))):
        file.write_bytes(text)
        assert PROOF.main([GAME, "--file", str(file)]) == UNREADABLE
    assert PROOF.main([GAME]) == UNREADABLE
    assert PROOF.main(["b" * 32, "--file", str(as_file(quiz(), tmp_path))]) == UNREADABLE
    with pytest.raises(SystemExit):
        PROOF.main(["match-" + GAME])
