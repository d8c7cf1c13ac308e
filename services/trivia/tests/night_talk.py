"""Words for the rule book: what people do on a trivia night, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import AnswerQuestion, Buzz, NextQuestion, PickTile, Stake
from circolo_trivia.board import categories, value_of
from circolo_trivia.commands import MarkAway, MarkBack
from circolo_trivia.rehearsal import Night, player

Decided = Sequence[Any] | RefusalCode


def names(decided: Decided) -> list[str]:
    """The types of what was decided."""
    assert not isinstance(decided, RefusalCode), decided
    return [type(event).__name__ for event in decided]


def answer(night: Night, seat: int, option: int, *, no: int | None = None, stamp: int | None = None) -> Decided:
    return night.by(seat, AnswerQuestion(option, night.state.no if no is None else no), stamp=stamp)


def buzz(night: Night, seat: int, *, stamp: int | None = None) -> Decided:
    return night.by(seat, Buzz(night.state.no), stamp=stamp)


def go_on(night: Night) -> Decided:
    """The host's next."""
    return night.by(0, NextQuestion())


def picking(night: Night, tile: int) -> PickTile:
    return PickTile(categories(night.state.questions)[tile // 4], value_of(tile))


def picked(night: Night, tile: int = 0) -> Night:
    """The first of the team in control picks this tile; the buzzers are open."""
    seat = next(iter(night.state.members(night.state.control)))
    assert not isinstance(night.by(seat, picking(night, tile)), RefusalCode)
    return night.opened()


def stake(night: Night, seat: int, amount: int) -> Decided:
    return night.by(seat, Stake(amount))


def gone(night: Night, seat: int) -> Decided:
    return night.house(MarkAway(night.now, player(seat)))


def back(night: Night, seat: int) -> Decided:
    return night.house(MarkBack(player(seat)))


def showdown(people: int = 4, control: int = 0, **more: Any) -> Night:
    """A showdown that this team begins."""
    for seed in range(50):
        night = Night(people, seed=seed, mode="SHOWDOWN", **{"categories": 3, **more})
        if night.state.control == control:
            return night
    raise AssertionError("no seed draws that team")
