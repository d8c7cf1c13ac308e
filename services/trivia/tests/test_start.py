"""Whether a night can start, and from what."""

from __future__ import annotations

from typing import Any

import pytest
from circolo_contracts.cardgames import GameCancelled, StopMatch
from circolo_contracts.chance import keeps_promise, shuffled, words
from circolo_contracts.games import TRIVIA
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import SeatOccupant
from circolo_contracts.trivia import NextQuestion, TriviaStarted
from circolo_contracts.wire import Actor
from circolo_events.testing import given
from circolo_trivia.commands import StartTrivia
from circolo_trivia.errands import TRIVIA_ITSELF
from circolo_trivia.game import Trivia
from circolo_trivia.rehearsal import Night, made_up, player
from msgspec import UNSET
from night_talk import names

STREAM = "trivia-" + "a" * 32


def order(people: int = 3, **fields: Any) -> StartTrivia:
    start = {
        "game": "TRIVIA", "game_no": 1, "host": player(0), "questions": made_up(10), "room": "b" * 32,
        "seats": [SeatOccupant(player=player(n)) for n in range(people)], "settings": TRIVIA.defaults(), **fields,
    }  # fmt: skip
    return StartTrivia(**start)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"people": 1}, "SEATS_EMPTY"),
        ({"seats": []}, "SEATS_EMPTY"),
        ({"people": 25}, "NO_SUCH_SEAT"),
        ({"seats": [SeatOccupant(player=player(0)), SeatOccupant(cpu="EASY")]}, "NOT_ALLOWED"),
        ({"seats": [SeatOccupant(player=player(0))] * 2}, "SEAT_TAKEN"),
        ({"seats": [SeatOccupant(player=player(0)), SeatOccupant(player="me")]}, "MALFORMED"),
        ({"room": "x"}, "MALFORMED"),
        ({"host": ""}, "MALFORMED"),
        ({"game": "TOMBOLA"}, "UNKNOWN_GAME"),
        ({"settings": {"mode": "BINGO"}}, "INVALID_SETTING"),
        ({"questions": made_up(9)}, "NOT_ENOUGH_QUESTIONS"),
        ({"questions": []}, "NOT_ENOUGH_QUESTIONS"),
        ({"totals": [1, 2, 3]}, "MALFORMED"),
        ({"totals": [-1, 0]}, "MALFORMED"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_played_says_why_and_the_room_hears_of_it(wrong: dict[str, Any], reason: str) -> None:
    scenario = given(Trivia(), stream=STREAM).when(order(**wrong), actor=TRIVIA_ITSELF)
    (event,) = scenario.decided  # type: ignore[misc]
    assert isinstance(event, GameCancelled)
    assert event.reason == reason
    scenario.go_on()
    seen = Trivia().view(scenario.state, Trivia().audiences(scenario.state)[0])
    assert (seen.status, seen.result.outcome) == ("ENDED", "CANCELLED")  # type: ignore[union-attr]
    scenario.when(NextQuestion(), actor=player(0)).then_refused(RefusalCode.NOT_IN_GAME)
    scenario.when(StopMatch(), actor=TRIVIA_ITSELF).then_nothing()


def test_only_the_service_starts_a_night_and_only_once() -> None:
    scenario = given(Trivia(), stream=STREAM)
    scenario.when(order(), actor=player(0)).then_refused(RefusalCode.NOT_ALLOWED)
    scenario.when(NextQuestion(), actor=player(0)).then_refused(RefusalCode.NOT_FOUND)
    scenario.when(order(), actor=TRIVIA_ITSELF).go_on()
    scenario.when(order(), actor=TRIVIA_ITSELF).then_refused(RefusalCode.GAME_STARTED)


def test_the_seed_is_promised_before_the_first_question_and_decides_the_order_of_the_options() -> None:
    night = Night(2)
    started = night.events[0]
    assert isinstance(started, TriviaStarted)
    assert keeps_promise(night.seen().commitment, "a" * 32, started.seed)
    for n, (question, bank) in enumerate(zip(started.questions, made_up(10), strict=True), 1):
        assert question.order == list(shuffled(words(bytes.fromhex(started.seed), "options", n), range(4)))
        assert question.options == [bank.options[place] for place in question.order]
        assert question.options[question.answer] == bank.options[bank.answer]
    assert len({tuple(question.order) for question in started.questions}) > 1
    assert night.seen().seed is UNSET


def test_everybody_is_shown_the_options_in_the_same_order() -> None:
    night = Night(4).opened()
    shown = {str(night.seen(seat).question.options) for seat in (None, 0, 1, 2, 3)}  # type: ignore[union-attr]
    assert len(shown) == 1


def test_the_first_control_is_drawn_of_the_teams_that_play() -> None:
    drawn = [Night(6, seed=n, mode="SHOWDOWN", categories=3, teams=6, empty=(1, 4)).state.control for n in range(60)]
    assert set(drawn) == {0, 2, 3, 5}


def test_the_evenings_totals_go_on_from_game_to_game() -> None:
    night = Night(2, totals=(700, 50))
    assert [team.total for team in night.seen().teams] == [700, 50]
    night.house(StopMatch())
    ended = night.events[-2]
    assert (ended.outcome, ended.totals, ended.winner) == ("STOPPED", [700, 50], UNSET)  # type: ignore[union-attr]
    assert Night(2).state.totals == (0, 0)


def test_the_host_may_play_or_not_and_whoever_else_starts_nothing() -> None:
    night = Night(2)
    assert names(night.decide(NextQuestion(), Actor("player", player(0)))) == ["QuestionOpened"]
    assert night.decide(NextQuestion(), Actor("cpu", "0")) is RefusalCode.NOT_IN_GAME
