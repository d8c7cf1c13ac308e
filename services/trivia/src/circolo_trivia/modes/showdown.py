"""Team Showdown: the team in control picks a tile, the first press that counts answers it.

PICK(team) -> BUZZ -> ANSWER(player) -> right: REVEAL, that team picks next. A miss locks the team out of this question
and, with rebounds, opens the buzzers to the others; else the team in control keeps it. A miss costs nothing.
"""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import (
    AnswerJudged,
    AnswerQuestion,
    Buzz,
    BuzzAccepted,
    BuzzersOpened,
    CloseReason,
    ControlPassed,
    NextQuestion,
    PassControl,
    PickOpened,
    PickTile,
    QuestionRevealed,
    RevealedAnswer,
    SkipQuestion,
    TilePicked,
)
from msgspec import UNSET

from ..board import lowest_free, tile_at, value_of
from ..course import Course
from ..state import NOBODY, TriviaState
from .mode import LEAD_MS, OPTIONS, Act, Mode, Rule

PICK_MS = 30_000
BUZZ_MS = 15_000
REBOUND_MS = 10_000
"""Both from the opening of the buzzers."""
ANSWER_MS = 10_000
"""From the accepted press."""
EARLY_LOCK_MS = 250


def _begin(course: Course) -> None:
    _open_pick(course)


# ---------------------------------------------------------------- picking a tile


def _open_pick(course: Course) -> None:
    """The team in control; when all of it have left the room, the next one in order that somebody is there for."""
    state = course.state
    team = state.control
    if _is_empty(state, team):
        team = next((other for other in _after(state, team) if state.is_team_there(other)), team)
        if team != state.control:
            course.add(ControlPassed(course.now, team))
    course.add(PickOpened(course.now, course.now + PICK_MS, team))


def _is_empty(state: TriviaState, team: int) -> bool:
    return all(state.seats[seat].left for seat in state.members(team))


def _after(state: TriviaState, team: int) -> list[int]:
    teams = state.teams()
    return [*(t for t in teams if t > team), *(t for t in teams if t < team)]


def _pick(course: Course, command: PickTile, act: Act) -> RefusalCode | None:
    state = course.state
    if act.team != state.control:
        return RefusalCode.NOT_YOUR_TURN
    tile = tile_at(state.questions, command.category, command.value)
    if tile is None or tile in state.played:
        return RefusalCode.TILE_TAKEN
    _picked(course, tile, act.seat)
    return None


def _picked(course: Course, tile: int, seat: int) -> None:
    picked = TilePicked(
        at=course.now, no=course.state.no + 1, team=course.state.control, tile=tile,
        seat=UNSET if seat == NOBODY else seat,
    )  # fmt: skip
    course.add(picked)
    _open_buzzers(course, BUZZ_MS)


def _pass_control(course: Course, command: PassControl, _: Act) -> RefusalCode | None:
    state = course.state
    if command.team not in state.teams():
        return RefusalCode.NO_SUCH_TEAM
    if state.is_team_there(state.control):
        return RefusalCode.NOT_ALLOWED
    if command.team != state.control:
        course.add(ControlPassed(course.now, command.team))
        course.add(PickOpened(course.now, course.now + PICK_MS, command.team))
    return None


def _recheck(course: Course) -> None:
    """A team whose last player leaves the room picks no more."""
    state = course.state
    others = any(state.is_team_there(team) for team in state.teams())
    if state.phase == "PICK" and others and _is_empty(state, state.control):
        _open_pick(course)


# ---------------------------------------------------------------- the buzzer


def _open_buzzers(course: Course, time: int) -> None:
    open_at = course.now + LEAD_MS
    out = sorted(course.state.locked_out)
    course.add(BuzzersOpened(course.now, open_at + time, out, course.state.no, open_at))


def _buzz(course: Course, _: Buzz, act: Act) -> RefusalCode | None:
    """One queue for each night decides who was first. A second press of who holds it is nothing new."""
    state = course.state
    if state.phase == "BUZZ" and act.at > state.due_at:
        return RefusalCode.LATE
    if act.team in state.locked_out:
        return RefusalCode.TEAM_LOCKED_OUT
    if state.phase == "ANSWER":
        return None if state.buzz == act.seat else RefusalCode.BUZZER_LOCKED
    if act.at < max(state.open_at, state.early.get(act.seat, 0)):
        return RefusalCode.TOO_EARLY
    course.add(BuzzAccepted(course.now, course.now + ANSWER_MS, state.no, act.seat, act.team))
    return None


def _answer(course: Course, command: AnswerQuestion, act: Act) -> RefusalCode | None:
    if act.seat != course.state.buzz:
        return RefusalCode.NOT_YOUR_BUZZ
    if command.option not in OPTIONS:
        return RefusalCode.BAD_OPTION
    _judge(course, command.option)
    return None


def _judge(course: Course, option: int | None) -> None:
    """None: the time ran out, a miss."""
    state = course.state
    seat, team = state.buzz, state.team_of(state.buzz)
    right = option == state.question.answer
    points = value_of(state.current) if right else 0
    course.add(
        AnswerJudged(course.now, state.no, points, right, seat, team, UNSET if option is None else option)
    )  # fmt: skip
    if right:
        reveal(course, "RIGHT")
    elif state.settings["rebounds"] and _may_try(course.state):
        _open_buzzers(course, REBOUND_MS)
    else:
        reveal(course, "MISSED")


def _may_try(state: TriviaState) -> list[int]:
    return [team for team in state.teams() if team not in state.locked_out and not _is_empty(state, team)]


# ---------------------------------------------------------------- the reveal


def reveal(course: Course, reason: CloseReason) -> None:
    """Counts every try once. Void: nobody scores, and nobody has."""
    state = course.state
    answers = [
        RevealedAnswer(tried.points, tried.seat, option=UNSET if tried.option is None else tried.option)
        for tried in state.tries
    ]
    totals = list(state.totals)
    for tried in state.tries:
        totals[tried.team] += tried.points
    course.add(QuestionRevealed(answers, course.now, state.no, reason, totals))
    winner = next((tried.team for tried in state.tries if tried.points), state.control)
    if winner != state.control:
        course.add(ControlPassed(course.now, winner))


def _timeout(course: Course) -> None:
    state = course.state
    if state.phase == "PICK":
        _picked(course, lowest_free(state.questions, state.played), NOBODY)
    elif state.phase == "BUZZ":
        reveal(course, "MISSED" if state.tries else "NOBODY")
    else:
        _judge(course, None)


def _next(course: Course, _: NextQuestion, __: Act) -> None:
    if len(course.state.played) < len(course.state.questions):
        _open_pick(course)
    else:
        course.end()


def _skip(course: Course, _: SkipQuestion, __: Act) -> None:
    reveal(course, "SKIPPED")


MODE = Mode(
    begin=_begin,
    rules={
        PickTile: Rule(("PICK",), _pick, timed=True),
        Buzz: Rule(("BUZZ", "ANSWER"), _buzz),
        AnswerQuestion: Rule(("ANSWER",), _answer, timed=True),
        PassControl: Rule(("PICK",), _pass_control, host=True),
        NextQuestion: Rule(("REVEAL",), _next, host=True),
        SkipQuestion: Rule(("BUZZ", "ANSWER"), _skip, host=True),
    },
    timeout=_timeout,
    recheck=_recheck,
)
