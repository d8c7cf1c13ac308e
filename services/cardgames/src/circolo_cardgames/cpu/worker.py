"""``python -m circolo_cardgames.cpu.worker``: the process in which HARD thinks, for all tables of a service.

It answers one question after the other, at low priority: people's moves go first on a busy machine. It ends when
its standard input does, so it never outlives the service, however that died.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import BinaryIO

from .frames import READY, Answer, Question, framed, question_decoder, read_frame
from .search import search

NICENESS = 10


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Until the questions end, or nobody reads the answers."""
    _say(answers, Answer(READY))
    while (frame := read_frame(questions)) is not None:
        _say(answers, _answer(question_decoder.decode(frame)))


def _say(answers: BinaryIO, answer: Answer) -> None:
    answers.write(framed(answer))
    answers.flush()


def _answer(question: Question) -> Answer:
    if time.monotonic() >= question.until:
        return Answer(question.number)
    try:
        return Answer(question.number, search(question.sight(), question.seed, question.budget))
    except Exception as error:
        return Answer(question.number, failed=type(error).__name__)


def step_back() -> None:
    """Let everybody else go first. On Linux the idle policy besides makes way at once for whoever wakes up; niceness
    alone would let him wait for a few milliseconds."""
    os.nice(NICENESS)
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main() -> None:
    step_back()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the service, which then closes our input
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever prints must not do it between the answers
    try:
        serve(questions, answers)
    except BrokenPipeError:
        os._exit(0)  # the service has gone while we were thinking: there is nobody to flush for


if __name__ == "__main__":
    main()
