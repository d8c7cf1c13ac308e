"""Tutto o Niente: captains stake in secret, then give one last answer; everything is revealed in one event.

STAKE -> ANSWER -> REVEAL. A right answer adds the stake, a wrong one or none takes it; no stake is 0. The captain of a
phase is the first connected player of the team when it opens; within it only the host may name another, and only when
the captain is gone.
"""

from __future__ import annotations

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import (
    ActAsCaptain,
    AllRevealed,
    AnswerQuestion,
    Captain,
    CaptainNamed,
    CloseReason,
    FinalLocked,
    FinalOpened,
    FinalResult,
    NextQuestion,
    SkipQuestion,
    Stake,
    StakeLocked,
    StakesOpened,
)
from msgspec import UNSET

from ..course import Course
from ..quorum import is_complete
from ..scoring import settled
from ..state import TriviaState
from .mode import LEAD_MS, OPTIONS, Act, Mode, Rule

STAKE_MS = 30_000
ANSWER_MS = 30_000


def _begin(course: Course) -> None:
    course.add(StakesOpened(course.now, captains(course.state), course.now + STAKE_MS, no=1))


def captains(state: TriviaState) -> list[Captain]:
    """The first connected player of each team; where nobody is connected, the first."""
    found = []
    for team in state.teams():
        members = list(state.members(team))
        there = (seat for seat in members if state.seats[seat].is_there)
        found.append(Captain(next(there, members[0]), team))
    return found


def _stake(course: Course, command: Stake, act: Act) -> RefusalCode | None:
    state = course.state
    if state.captains.get(act.team) != act.seat:
        return RefusalCode.NOT_CAPTAIN
    first = state.stakes.get(act.team)
    if first is not None:
        return None if first.value == command.amount else RefusalCode.STAKE_LOCKED
    if not 0 <= command.amount <= state.totals[act.team]:
        return RefusalCode.STAKE_OUT_OF_RANGE
    course.add(StakeLocked(command.amount, course.now, act.seat, act.team))
    _recheck(course)
    return None


def _answer(course: Course, command: AnswerQuestion, act: Act) -> RefusalCode | None:
    state = course.state
    if act.at < state.open_at:
        return RefusalCode.TOO_EARLY
    if state.captains.get(act.team) != act.seat:
        return RefusalCode.NOT_CAPTAIN
    first = state.finals.get(act.team)
    if first is not None:
        return None if first.value == command.option else RefusalCode.ANSWER_LOCKED
    if command.option not in OPTIONS:
        return RefusalCode.BAD_OPTION
    course.add(FinalLocked(course.now, command.option, act.seat, act.team))
    _recheck(course)
    return None


def _act_as_captain(course: Course, command: ActAsCaptain, _: Act) -> RefusalCode | None:
    state = course.state
    captain = state.captains.get(command.team)
    if captain is None:
        return RefusalCode.NO_SUCH_TEAM
    if command.seat not in state.members(command.team):
        return RefusalCode.NO_SUCH_SEAT
    if command.seat == captain:
        return None
    if state.seats[captain].is_there:
        return RefusalCode.NOT_ALLOWED
    course.add(CaptainNamed(course.now, command.seat, command.team))
    return None


def _recheck(course: Course) -> None:
    if course.state.phase in ("STAKE", "ANSWER") and is_complete(course.state, course.now):
        _timeout(course, "ALL_ANSWERED")


def _timeout(course: Course, reason: CloseReason = "TIME") -> None:
    if course.state.phase == "STAKE":
        _open_final(course)
    else:
        reveal(course, reason)


def _open_final(course: Course) -> None:
    open_at = course.now + LEAD_MS
    speaking = captains(course.state)
    course.add(FinalOpened(course.now, speaking, open_at + ANSWER_MS, course.state.no, open_at))


def reveal(course: Course, reason: CloseReason) -> None:
    state = course.state
    totals = list(state.totals)
    results = [] if reason == "SKIPPED" else [_result(state, team) for team in state.teams()]
    for result in results:
        totals[result.team] = result.after
    course.add(AllRevealed(course.now, state.no, reason, results, totals))


def _result(state: TriviaState, team: int) -> FinalResult:
    stake, given = state.stakes.get(team), state.finals.get(team)
    amount = 0 if stake is None else stake.value
    right = given is not None and given.value == state.question.answer
    before = state.totals[team]
    after = settled(before, amount, right)
    return FinalResult(after, before, right, amount, team, UNSET if given is None else given.value)


def _next(course: Course, _: NextQuestion, __: Act) -> None:
    course.end()


def _skip(course: Course, _: SkipQuestion, __: Act) -> None:
    reveal(course, "SKIPPED")


MODE = Mode(
    begin=_begin,
    rules={
        Stake: Rule(("STAKE",), _stake, timed=True),
        AnswerQuestion: Rule(("ANSWER",), _answer, timed=True),
        ActAsCaptain: Rule(("STAKE", "ANSWER"), _act_as_captain, host=True),
        NextQuestion: Rule(("REVEAL",), _next, host=True),
        SkipQuestion: Rule(("STAKE", "ANSWER"), _skip, host=True),
    },
    timeout=_timeout,
    recheck=_recheck,
)
