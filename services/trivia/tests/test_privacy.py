"""Two worlds that differ only in what a viewer may not know look the same to him, byte for byte, at every moment.

Hidden before the reveal: which option is right, where it is written, how the bank had it, the questions still to come,
the seed, and what other people have locked. Hidden from whom: the player, his team-mate, the host, a display.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import (
    AnswerJudged,
    AnswerLocked,
    CloseQuestion,
    FinalLocked,
    Said,
    SkipQuestion,
    StakeLocked,
    TriviaQuestion,
    TriviaStarted,
)
from circolo_events import canonical
from circolo_events.aggregate import Entry, StreamKind
from circolo_events.decider import PUBLIC, Viewer
from circolo_events.pushing import views_of
from circolo_trivia.game import Trivia
from circolo_trivia.rehearsal import Night
from circolo_trivia.state import NOBODY, Answered, Spoken, TriviaState, Try
from msgspec.structs import replace
from night_talk import answer, back, buzz, go_on, gone, picking, stake

TRIVIA = Trivia()


def other_question(question: TriviaQuestion, *, shown: bool) -> TriviaQuestion:
    """The same to who has not seen its reveal: another option is right, from elsewhere."""
    changed = replace(
        question,
        answer=(question.answer + 1) % 4,
        id="other",
        order=question.order[::-1],
        source="https://else.example",
    )
    if shown:
        return changed
    elsewhere = Said(en="Something else?", it="Altro?")
    return replace(changed, prompt=elsewhere, options=[replace(o, en=o.en + "!") for o in question.options])


def turned(option: int) -> int:
    return (option + 1) % 4


def other_world(state: TriviaState, viewer: Viewer) -> TriviaState:
    """Everything that this viewer may not know is different."""
    revealed = set(state.asked) - ({state.current} if state.reveal is None else set())
    questions = tuple(
        question if place in revealed else other_question(question, shown=place in state.asked)
        for place, question in enumerate(state.questions)
    )
    mine = viewer.seat
    if state.reveal is not None:
        return replace(state, questions=questions, seed=state.seed if state.revealed else "0" * 64)

    def others(spoken: Mapping[int, Spoken], value: int) -> dict[int, Spoken]:
        return {t: each if each.seat == mine else replace(each, value=value) for t, each in spoken.items()}

    return replace(
        state, questions=questions, seed=state.seed if state.revealed else "0" * 64,
        answers={
            s: given if s == mine else Answered(turned(given.option), given.elapsed // 2)
            for s, given in state.answers.items()
        },
        early={s: until if s == mine else until + 7 for s, until in state.early.items()},
        finals=others(state.finals, 3), stakes=others(state.stakes, 1),
        tries=tuple(
            tried if tried.seat == mine or tried.option is None else Try(
                tried.seat, tried.team, tried.points, turned(tried.option)
            )
            for tried in state.tries
        ),
    )  # fmt: skip


def other_event(event: Any, seat: int) -> Any:
    """What happened, with what this seat may not know of it changed."""
    if isinstance(event, TriviaStarted):
        return replace(event, questions=[other_question(q, shown=False) for q in event.questions], seed="0" * 64)
    if isinstance(event, (AnswerLocked, FinalLocked)):
        changed = replace(event, option=turned(event.option))
        return replace(changed, elapsed=event.elapsed // 2) if isinstance(changed, AnswerLocked) else changed
    if isinstance(event, AnswerJudged) and event.seat != seat and isinstance(event.option, int):
        return replace(event, option=turned(event.option))
    return replace(event, amount=1) if isinstance(event, StakeLocked) else event


def pushed(state: TriviaState, viewer: Viewer) -> bytes:
    """As the kit puts it together: what all see once, and what is the viewer's own."""
    entry = Entry("trivia", StreamKind("trivia", TRIVIA, {}))
    entry.state = state
    return bytes(views_of(entry, [viewer])[viewer.audience])


def assert_same(before: TriviaState, event: Any, after: TriviaState) -> int:
    checked = 0
    for viewer in TRIVIA.audiences(after):
        there = other_world(after, viewer)
        assert there != after or after.revealed
        assert canonical.encode(TRIVIA.view(after, viewer)) == canonical.encode(TRIVIA.view(there, viewer)), viewer
        assert TRIVIA.own(after, viewer) == TRIVIA.own(there, viewer)
        sent = pushed(after, viewer)
        assert sent == pushed(there, viewer)
        assert msgspec.json.decode(sent) == msgspec.json.decode(canonical.encode(TRIVIA.view(after, viewer)))
        told = TRIVIA.tell(event, before, after, viewer)
        assert told == TRIVIA.tell(other_event(event, viewer.seat), other_world(before, viewer), there, viewer)
        assert TRIVIA.deadlines(after) == TRIVIA.deadlines(there)
        checked += 1
    return checked


def somebody_does_something(night: Night, chance: random.Random) -> None:
    seats = list(night.state.taken())
    seat, phase = chance.choice(seats), night.state.phase
    roll = chance.random()
    if roll < 0.06:
        (gone if chance.random() < 0.5 else back)(night, seat)
    elif roll < 0.1:
        night.after(chance.choice([50, 600, 4_000, 16_000, 31_000]))
    elif phase in ("READY", "REVEAL"):
        go_on(night)
    elif phase == "PICK":
        night.by(seat, picking(night, chance.randrange(len(night.state.questions))))
    elif phase == "STAKE":
        stake(night, seat, chance.randrange(0, 2_000, 50))
    elif roll < 0.14:
        night.by(0, chance.choice([SkipQuestion(), CloseQuestion()]))
    else:
        night.at(max(night.now, night.state.open_at) + chance.randrange(700))
        if phase == "BUZZ":
            buzz(night, seat)
        else:
            answer(night, seat if night.state.buzz == NOBODY else night.state.buzz, chance.randrange(4))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", ["QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"])
def test_at_every_moment_of_a_night_both_worlds_look_the_same_to_everybody(mode: str, seed: int) -> None:
    played_through(mode, seed, people=5, teams=2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("mode", ["QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"])
def test_long_nights_of_many_people_tell_no_more(mode: str, seed: int) -> None:
    played_through(mode, seed + 100, people=3 + seed % 12, teams=(2, 3, 4, 24)[seed % 4])


def played_through(mode: str, seed: int, *, people: int, teams: int) -> None:
    chance = random.Random(f"{mode} {seed}")
    totals = [chance.randrange(3_000) for _ in range(teams)]
    night = Night(people, seed=seed, mode=mode, teams=teams, totals=totals, categories=3)
    for _ in range(400):
        if not night.state.is_running:
            break
        somebody_does_something(night, chance)
    states = [TRIVIA.initial, *night.states]
    checked = sum(
        assert_same(states[place], event, states[place + 1]) for place, event in enumerate(night.events) if place
    )
    assert checked >= 20


def secrets_of(night: Night) -> list[str]:
    """Texts that must be in nothing that anybody is shown now."""
    state = night.state
    hidden = [state.seed, *(q.source for n, q in enumerate(state.questions) if n not in state.asked)]
    hidden += [q.prompt.en for n, q in enumerate(state.questions) if n not in state.asked]
    if state.reveal is None and state.current != NOBODY:
        hidden.append(state.question.source)
    return hidden


@pytest.mark.parametrize("mode", ["QUIZ", "SHOWDOWN", "TUTTO_O_NIENTE"])
def test_no_byte_of_a_secret_is_in_anything_that_is_sent(mode: str) -> None:
    chance = random.Random(mode)
    night = Night(4, mode=mode, categories=3, totals=(900, 800))
    while night.state.is_running and len(night.events) < 80:
        somebody_does_something(night, chance)
        if night.state.revealed:
            break
        for viewer in TRIVIA.audiences(night.state):
            shown = msgspec.json.encode(TRIVIA.view(night.state, viewer)).decode()
            assert [secret for secret in secrets_of(night) if f'"{secret}"' in shown] == []


def test_the_test_would_see_a_view_that_tells_too_much() -> None:
    night = Night(3).opened()
    answer(night, 1, 2)
    there = other_world(night.state, PUBLIC)
    assert there.question.answer != night.state.question.answer
    assert there.answers != night.state.answers
    assert TRIVIA.view(night.state, Viewer.of_seat(1, 1)) != TRIVIA.view(there, Viewer.of_seat(1, 1)), "his own answer"


def test_a_stake_is_seen_by_who_made_it_and_by_nobody_else_until_the_reveal() -> None:
    night = Night(4, mode="TUTTO_O_NIENTE", totals=(900, 800))
    assert stake(night, 1, 333) is not RefusalCode.STAKE_OUT_OF_RANGE
    shown = {seat: b"333" in msgspec.json.encode(night.seen(seat)) for seat in (None, 0, 1, 2, 3)}
    assert shown == {None: False, 0: False, 1: True, 2: False, 3: False}
