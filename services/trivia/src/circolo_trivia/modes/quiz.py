"""Family Party Quiz: the same four options for everybody, answers private until the question closes.

READY(n) -> OPEN(n) -> REVEAL(n) -> READY(n + 1) ... A question closes when all that are waited for have answered, when
its time is over, or when the host closes it.
"""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import (
    AnswerLocked,
    AnswerQuestion,
    CloseQuestion,
    CloseReason,
    NextQuestion,
    QuestionOpened,
    QuestionReady,
    QuestionRevealed,
    RevealedAnswer,
    SkipQuestion,
)

from ..course import Course
from ..quorum import is_complete
from ..scoring import quiz_points
from ..state import TriviaState
from .mode import LEAD_MS, OPTIONS, Act, Mode, Rule

READY_MS = 3_000
"""Number and theme, before the question."""


def _begin(course: Course) -> None:
    _ready(course, 1)


def _ready(course: Course, no: int) -> None:
    course.add(QuestionReady(at=course.now, deadline=course.now + READY_MS, no=no))


def _open(course: Course) -> None:
    open_at = course.now + LEAD_MS
    time = _time(course.state)
    course.add(QuestionOpened(at=course.now, deadline=open_at + time, no=course.state.no, open_at=open_at))


def _time(state: TriviaState) -> int:
    return state.setting("seconds") * 1_000


def _answer(course: Course, command: AnswerQuestion, act: Act) -> RefusalCode | None:
    state = course.state
    if act.at < state.open_at:
        return RefusalCode.TOO_EARLY
    first = state.answers.get(act.seat)
    if first is not None:
        return None if first.option == command.option else RefusalCode.ANSWER_LOCKED
    if command.option not in OPTIONS:
        return RefusalCode.BAD_OPTION
    elapsed = min(act.at - state.open_at, _time(state))
    course.add(AnswerLocked(at=course.now, elapsed=elapsed, no=state.no, option=command.option, seat=act.seat))
    _recheck(course)
    return None


def _recheck(course: Course) -> None:
    if course.state.phase == "OPEN" and is_complete(course.state, course.now):
        reveal(course, "ALL_ANSWERED")


def reveal(course: Course, reason: CloseReason) -> None:
    state = course.state
    answers = [_counted(state, seat, void=reason == "SKIPPED") for seat in state.taken()]
    totals = list(state.totals)
    for answer in answers:
        totals[state.team_of(answer.seat)] += answer.points
    course.add(QuestionRevealed(answers, course.now, state.no, reason, totals))


def _counted(state: TriviaState, seat: int, *, void: bool) -> RevealedAnswer:
    given = state.answers.get(seat)
    if given is None:
        return RevealedAnswer(0, seat)
    right = given.option == state.question.answer and not void
    points = quiz_points(right, given.elapsed, _time(state), speed=bool(state.settings["speedPoints"]))
    return RevealedAnswer(points, seat, given.elapsed, given.option)


def _timeout(course: Course) -> None:
    if course.state.phase == "READY":
        _open(course)
    else:
        reveal(course, "TIME")


def _next(course: Course, _: NextQuestion, __: Act) -> None:
    state = course.state
    if state.phase == "READY":
        _open(course)
    elif state.no < len(state.questions):
        _ready(course, state.no + 1)
    else:
        course.end()


def _skip(course: Course, _: SkipQuestion, __: Act) -> None:
    reveal(course, "SKIPPED")


def _close(course: Course, _: CloseQuestion, __: Act) -> None:
    reveal(course, "CLOSED")


MODE = Mode(
    begin=_begin,
    rules={
        AnswerQuestion: Rule(("OPEN",), _answer, timed=True),
        NextQuestion: Rule(("READY", "REVEAL"), _next, host=True),
        SkipQuestion: Rule(("READY", "OPEN"), _skip, host=True),
        CloseQuestion: Rule(("OPEN",), _close, host=True),
    },
    timeout=_timeout,
    recheck=_recheck,
)
