"""Who is there: what the room says of its people while a night is on; and the lock after an early press."""

from __future__ import annotations

from circolo_contracts.trivia import BuzzedTooEarly, HostMoved, SeatAway, SeatBack, SeatLeft

from .commands import MarkAway, MarkBack, MarkLeft, MoveHost, NoteEarlyPress
from .course import Course
from .modes import MODES
from .modes.showdown import EARLY_LOCK_MS
from .state import NOBODY


def marked(course: Course, command: MarkAway | MarkBack | MarkLeft) -> None:
    """Nothing for who does not play here, and nothing that is known already."""
    number = course.state.seat_of(command.player)
    if number == NOBODY:
        return
    seat = course.state.seats[number]
    if isinstance(command, MarkBack):
        if not seat.is_there:
            course.add(SeatBack(course.now, number))
    elif isinstance(command, MarkLeft):
        if not seat.left:
            course.add(SeatLeft(course.now, number))
    elif seat.gone_at is None:
        course.add(SeatAway(max(course.state.started_at, min(command.at, course.now)), number))
    if course.events:
        MODES[course.state.mode].recheck(course)


def moved(course: Course, command: MoveHost) -> None:
    if command.player != course.state.host:
        course.add(HostMoved(course.now, command.player))


def pressed_early(course: Course, command: NoteEarlyPress) -> None:
    """A press within the lock of an earlier one does not prolong it."""
    state = course.state
    seat = state.seat_of(command.player)
    if seat == NOBODY or state.phase != "BUZZ" or command.question_no != state.no:
        return
    at = max(command.at, state.phase_at)
    if state.team_of(seat) in state.locked_out or at >= state.open_at or at < state.early.get(seat, 0):
        return
    course.add(BuzzedTooEarly(course.now, state.no, seat, at + EARLY_LOCK_MS))
