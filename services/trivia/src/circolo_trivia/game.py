"""The decider of a trivia night, whatever its mode: who may command what, deadlines, audiences.

Refusals in this order: not in this game, another game, another question, wrong phase or too late, locked out (team,
then buzzer, then too early), role, value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from circolo_contracts.cardgames import IdleTimeout, StopMatch
from circolo_contracts.evening import GameSuperseded, SupersedeGame
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import AnswerQuestion, AwayTimeout, Buzz, PhaseTimeout, Stake, TriviaEvent, TriviaPlay
from circolo_contracts.trivia_view import OwnTrivia, TriviaHappening, TriviaView
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import UNSET, Struct

from . import evolve, people, view
from .commands import MarkAway, MarkBack, MarkLeft, MoveHost, NoteEarlyPress, ServiceCommand, StartTrivia
from .course import Course
from .modes import MODES
from .modes.mode import Act, Rule
from .quorum import away_due
from .start import start
from .state import CLOSING_GRACE_MS, IDLE_GRAIN_MS, IDLE_MS, NOBODY, TriviaState

TriviaCommand = TriviaPlay | ServiceCommand | StopMatch | SupersedeGame | PhaseTimeout | AwayTimeout | IdleTimeout
COMMANDS = {command.__name__: command for command in get_args(TriviaCommand)}
"""By their name on the wire."""
PLAY = get_args(TriviaPlay)
UNTIMED = ("REVEAL", "ENDED")
Decision = Sequence[TriviaEvent] | RefusalCode


class Trivia:
    """Implements ``circolo_events.decider.Decider``."""

    initial = TriviaState()

    def decide(
        self, state: TriviaState, command: TriviaCommand, context: Context
    ) -> Sequence[TriviaEvent] | Rejection:  # fmt: skip
        decision = _decide(state, command, context)
        return Rejection(decision) if isinstance(decision, RefusalCode) else decision

    def evolve(self, state: TriviaState, event: TriviaEvent) -> TriviaState:
        return evolve.evolve(state, event)

    def audiences(self, state: TriviaState) -> Sequence[Viewer]:
        return (PUBLIC, *(Viewer.of_seat(seat, state.team_of(seat)) for seat in state.taken()))

    def viewer(self, state: TriviaState, player: str) -> Viewer | Rejection:
        if state.version == 0:
            return Rejection(RefusalCode.NOT_FOUND)
        seat = state.seat_of(player)
        return PUBLIC if seat == NOBODY else Viewer.of_seat(seat, state.team_of(seat))

    def view(self, state: TriviaState, viewer: Viewer) -> TriviaView:
        return view.view(state, viewer)

    def own(self, state: TriviaState, viewer: Viewer) -> OwnTrivia | None:
        return view.own(state, viewer)

    def tell(
        self, event: TriviaEvent, before: TriviaState, after: TriviaState, viewer: Viewer
    ) -> Sequence[TriviaHappening]:
        return (view.tell(event, after),)

    def deadlines(self, state: TriviaState) -> Mapping[str, Deadline]:
        """``phase``: its time is over; ``away``: nobody else is waited for; ``idle``: nobody plays any more."""
        if not state.is_running:
            return {}
        armed = {"idle": Deadline(state.idle_at + IDLE_MS + IDLE_GRAIN_MS, state.idle_version)}
        if state.phase not in UNTIMED:
            armed["phase"] = Deadline(_closes_at(state), state.phase_version)
        due = away_due(state)
        if due is not None:
            armed["away"] = Deadline(due, state.quorum_version)
        return armed


def _closes_at(state: TriviaState) -> int:
    return state.due_at + (0 if state.phase == "READY" else CLOSING_GRACE_MS)


def _decide(state: TriviaState, command: TriviaCommand, context: Context) -> Decision:
    if isinstance(command, StartTrivia):
        if context.actor.kind != "service":
            return RefusalCode.NOT_ALLOWED
        return RefusalCode.GAME_STARTED if state.version > 0 else start(command, context)
    if state.version == 0:
        return RefusalCode.NOT_FOUND
    course = Course(state, context.now)
    if isinstance(command, PLAY):
        refusal = _by_people(course, command, context)
        return course.events if refusal is None else refusal
    if context.actor.kind != "service":
        return RefusalCode.NOT_ALLOWED
    if isinstance(command, SupersedeGame):
        return [] if state.superseded or state.is_running else [GameSuperseded(course.now, command.by)]
    if state.is_running:
        _by_the_house(course, command)
    return course.events


def _by_the_house(course: Course, command: Struct) -> None:
    if isinstance(command, (MarkAway, MarkBack, MarkLeft)):
        people.marked(course, command)
    elif isinstance(command, MoveHost):
        people.moved(course, command)
    elif isinstance(command, NoteEarlyPress):
        people.pressed_early(course, command)
    elif isinstance(command, StopMatch):
        course.end("STOPPED")
    else:
        _by_the_clock(course, command)


def _by_the_clock(course: Course, command: Struct) -> None:
    """Only what is still armed: by its version, and by the time."""
    state = course.state
    if isinstance(command, PhaseTimeout):
        armed = command.version == state.phase_version and state.phase not in UNTIMED
        if armed and course.now >= _closes_at(state):
            MODES[state.mode].timeout(course)
    elif isinstance(command, AwayTimeout) and command.version == state.quorum_version:
        MODES[state.mode].recheck(course)
    elif isinstance(command, IdleTimeout) and command.version == state.idle_version:
        course.end_if_idle()


def _by_people(course: Course, command: Any, context: Context) -> RefusalCode | None:
    """What was asked for is added to the course; or why not."""
    state, actor = course.state, context.actor
    seat = state.seat_of(actor.id) if actor.kind == "player" else NOBODY
    is_host = actor.kind == "player" and actor.id == state.host
    rule = MODES[state.mode].rules.get(type(command)) if state.settings else None
    for_host = not hasattr(command, "question_no") and (rule is None or rule.host)
    if seat == NOBODY and not (is_host and for_host):
        return RefusalCode.NOT_IN_GAME
    if not state.is_running:
        return RefusalCode.STALE_GAME if state.superseded else RefusalCode.GAME_NOT_RUNNING
    at = max(state.phase_at, min(context.stamp, course.now))
    act = Act(at, seat, NOBODY if seat == NOBODY else state.team_of(seat))
    refusal = _out_of_time(state, command, rule, act)
    if refusal is None and for_host and context.expected is not UNSET and context.expected < state.phase_version:
        refusal = RefusalCode.STALE_VERSION
    if refusal is not None or rule is None:
        return refusal or RefusalCode.WRONG_PHASE
    if rule.host and not is_host:
        return RefusalCode.NOT_HOST
    return rule.decide(course, command, act)


def _out_of_time(state: TriviaState, command: Any, rule: Rule | None, act: Act) -> RefusalCode | None:
    if getattr(command, "question_no", state.no) != state.no:
        return RefusalCode.STALE_QUESTION
    if rule is None or state.phase not in rule.phases:
        return RefusalCode.LATE if _missed_it(state, command, act) else RefusalCode.WRONG_PHASE
    return RefusalCode.LATE if rule.timed and act.at > state.due_at else None


def _missed_it(state: TriviaState, command: Any, act: Act) -> bool:
    """Whether what closed was closed by the clock: then it is late as long as the question is the present one."""
    if isinstance(command, Stake):
        return state.mode == "TUTTO_O_NIENTE" and act.team not in state.stakes
    if not isinstance(command, (AnswerQuestion, Buzz)):
        return False
    if any(tried.seat == act.seat and tried.option is None for tried in state.tries):
        return isinstance(command, AnswerQuestion)
    if state.phase != "REVEAL" or state.reveal is None:
        return False
    return state.reveal.reason in ("TIME", "NOBODY") or act.at > state.due_at
