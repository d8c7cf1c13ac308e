"""What has to hold in a night that is over, checked from its events alone by counting everything again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from circolo_contracts.cardgames import MatchEnded, SeedRevealed
from circolo_contracts.chance import keeps_promise
from circolo_contracts.trivia import (
    AllRevealed,
    AnswerJudged,
    BuzzAccepted,
    QuestionRevealed,
    StakeLocked,
    TriviaEvent,
    TriviaStarted,
)
from circolo_service.export import Unreadable
from circolo_service.proof import Check
from msgspec import UNSET

from .board import value_of
from .course import Course
from .evolve import evolve
from .modes import finale, quiz, showdown
from .start import first_control, options_shuffled
from .state import NOBODY, TriviaState


def check(game_id: str, events: Sequence[TriviaEvent]) -> Iterator[Check]:
    """Every check in the order of play, up to the first that is false.

    Raises Unreadable when this is no night that was started and is over: its seed is still secret.
    """
    started = events[0]
    if not isinstance(started, TriviaStarted):
        raise Unreadable("this night never started")
    revealed = next((event for event in events if isinstance(event, SeedRevealed)), None)
    if revealed is None:
        raise Unreadable("this night is not over yet: its seed is still secret")
    for step in _all(game_id, started, revealed, events):
        yield step
        if not step.holds:
            return


def _all(
    game_id: str, started: TriviaStarted, revealed: SeedRevealed, events: Sequence[TriviaEvent]
) -> Iterator[Check]:
    kept = started.game_id == game_id and keeps_promise(started.commitment, game_id, revealed.seed)
    yield Check(kept, f"the seed {revealed.seed} is the one promised by {started.commitment}")
    yield Check(revealed.seed == started.seed, "the seed that was revealed is the one that was used")
    seed = bytes.fromhex(revealed.seed)
    orders = [question.order == options_shuffled(seed, n) for n, question in enumerate(started.questions, 1)]
    yield Check(all(orders), f"the options of {len(orders)} questions are in the order of the seed")
    state = evolve(TriviaState(), started)
    if started.control is not UNSET:
        drawn = first_control(seed, state.teams())
        yield Check(drawn == started.control, f"team {started.control} was drawn to pick first")
    for event in events[1:]:
        wrong = _wrong(state, event)
        if wrong:
            yield Check(False, wrong)
            return
        state = evolve(state, event)
        if isinstance(event, (AllRevealed, QuestionRevealed)):
            yield Check(True, f"question {event.no}: {event.reason}, the totals are {' '.join(map(str, event.totals))}")
        elif isinstance(event, MatchEnded):
            yield Check(True, f"the night ends {event.outcome}")


def _wrong(state: TriviaState, event: TriviaEvent) -> str | None:
    """What is false about this event in this state; None when it is as it must be."""
    if isinstance(event, BuzzAccepted):
        return None if state.buzz == NOBODY else f"question {event.no}: two held the buzzer at once"
    if isinstance(event, StakeLocked):
        fits = 0 <= event.amount <= state.totals[event.team]
        return None if fits else f"team {event.team} staked {event.amount} of {state.totals[event.team]}"
    if isinstance(event, AnswerJudged):
        return _wrong_judgement(state, event)
    if isinstance(event, (AllRevealed, QuestionRevealed)):
        return _wrong_reveal(state, event)
    return _wrong_end(state, event) if isinstance(event, MatchEnded) else None


def _wrong_judgement(state: TriviaState, event: AnswerJudged) -> str | None:
    right = event.option == state.question.answer
    points = value_of(state.current) if right else 0
    held = state.buzz == event.seat
    return None if held and (event.right, event.points) == (right, points) else f"question {event.no} was misjudged"


REVEALS: dict[str, Callable[[Course, AllRevealed | QuestionRevealed], None]] = {
    "QUIZ": lambda course, event: quiz.reveal(course, event.reason),
    "SHOWDOWN": lambda course, event: showdown.reveal(course, event.reason),
    "TUTTO_O_NIENTE": lambda course, event: finale.reveal(course, event.reason),
}


def _wrong_reveal(state: TriviaState, event: AllRevealed | QuestionRevealed) -> str | None:
    course = Course(state, event.at)
    REVEALS[state.mode](course, event)
    return None if course.events[0] == event else f"question {event.no}: {event} should have been {course.events[0]}"


def _wrong_end(state: TriviaState, event: MatchEnded) -> str | None:
    course = Course(state, event.at)
    course.end(None if event.outcome in ("WON", "TIED") else event.outcome)
    return None if course.events[0] == event else f"{event} should have been {course.events[0]}"
