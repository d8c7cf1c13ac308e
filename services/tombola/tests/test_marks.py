"""Marks: set and unset by number, said twice is once, and nobody else's."""

from __future__ import annotations

from typing import Any

from cartelle import A, B
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import MarkSet, SetMark
from circolo_contracts.wire import Actor
from circolo_events.testing.scenario import NOON, given
from circolo_tombola.album import marks_stream
from circolo_tombola.marks import MarksDecider

GAME_ID = "7" * 32
STREAM = marks_stream(GAME_ID, 3)


def marked(number: int, on: bool = True) -> MarkSet:
    return MarkSet(at=NOON, game_id=GAME_ID, marked=on, number=number, player=A, seat=3)


def mark(number: int, on: bool = True) -> SetMark:
    return SetMark(GAME_ID, on, number, 3)


def ticket(*events: MarkSet) -> Any:
    return given(MarksDecider(), *events, stream=STREAM)


def test_a_number_is_marked_and_unmarked() -> None:
    first = ticket().when(mark(4), actor=A).then(marked(4))
    second = first.when(mark(23), actor=A).then(marked(23))
    assert second.go_on().state.shown() == [4, 23]
    off = second.when(mark(4, on=False), actor=A).then(marked(4, on=False))
    assert off.go_on().state.shown() == [23]


def test_a_mark_that_is_there_is_no_event_and_neither_is_one_that_is_not_taken_off() -> None:
    ticket(marked(4)).when(mark(4), actor=A).then_nothing()
    ticket(marked(4)).when(mark(23, on=False), actor=A).then_nothing()


def test_nobody_marks_anothers_ticket() -> None:
    ticket(marked(4)).when(mark(4, on=False), actor=B).then_refused(RefusalCode.NOT_ALLOWED)
    ticket().when(mark(4), actor=Actor("service", "tombola")).then_refused(RefusalCode.NOT_ALLOWED)


def test_every_seat_of_every_game_has_a_stream_of_its_own() -> None:
    streams = {marks_stream(game * 32, seat) for game in "abc" for seat in range(24)}
    assert len(streams) == 72
    assert marks_stream(GAME_ID, 3) == "marks-6d72abff8b6f51d0af009802bf2d9098"
