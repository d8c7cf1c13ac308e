"""What a mode must say: how it begins, what it accepts when, what its clock does, what comes after a reveal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import TriviaPhase
from msgspec import Struct

from ..course import Course

LEAD_MS = 500
"""A question is shown this long before its clock starts, so that every phone has it by then."""
OPTIONS = range(4)


class Act(Struct, frozen=True):
    """Who wants something. ``at``: when it reached the server, never before the phase opened."""

    at: int
    seat: int
    team: int


Decide = Callable[[Course, Any, Act], RefusalCode | None]
"""Adds what follows to the course, maybe nothing; or says why not and adds nothing."""


class Rule(Struct, frozen=True):
    """Tested in this order before ``decide``: phase, time, role of the host."""

    phases: tuple[TriviaPhase, ...]
    decide: Decide
    host: bool = False
    timed: bool = False
    """LATE once the phase's time is over, also while it has not been closed yet."""


class Mode(Struct, frozen=True):
    begin: Callable[[Course], None]
    rules: Mapping[type[Struct], Rule]
    timeout: Callable[[Course], None]
    """The phase's time is over."""
    recheck: Callable[[Course], None]
    """Somebody came, went or was given up: maybe nobody is waited for any more."""
