"""Who is there: seats that are kept, a host who goes and comes back, what is seen after a refresh in every phase."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from circolo_contracts.evening import SupersedeGame
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import AnswerQuestion, Buzz, CloseQuestion, NextQuestion, PickTile, SkipQuestion, Stake
from circolo_contracts.trivia_view import TriviaView
from circolo_contracts.wire import Actor
from circolo_trivia.commands import MarkLeft, MoveHost
from circolo_trivia.rehearsal import START, Night, player
from circolo_trivia.state import IDLE_GRAIN_MS, IDLE_MS
from msgspec import UNSET
from night_talk import answer, back, buzz, go_on, gone, names, picked, showdown, stake

STRANGER = "f" * 32


def quiz_open() -> Night:
    return Night(4).opened()


def quiz_revealed() -> Night:
    night = quiz_open()
    answer(night, 1, night.right)
    night.by(0, CloseQuestion())
    return night


def answering() -> Night:
    night = picked(showdown(4, control=1))
    buzz(night, 1)
    return night


def judged() -> Night:
    night = answering()
    answer(night, 1, night.right)
    return night


def staking() -> Night:
    night = Night(4, mode="TUTTO_O_NIENTE", totals=(500, 600))
    stake(night, 1, 250)
    return night


def final() -> Night:
    night = staking()
    stake(night, 0, 0)
    night.opened()
    answer(night, 1, night.right)
    return night


def final_revealed() -> Night:
    night = final()
    answer(night, 0, night.right)
    return night


PHASES: dict[str, Callable[[], Night]] = {
    "READY": lambda: Night(4),
    "OPEN": quiz_open,
    "quiz REVEAL": quiz_revealed,
    "PICK": lambda: showdown(4, control=1),
    "BUZZ": lambda: picked(showdown(4, control=1)),
    "showdown ANSWER": answering,
    "showdown REVEAL": judged,
    "STAKE": staking,
    "final ANSWER": final,
    "final REVEAL": final_revealed,
}
ALL = pytest.mark.parametrize("phase", PHASES)


@ALL
def test_log_16_a_refresh_gives_seat_team_score_and_the_whole_phase_back(phase: str) -> None:
    night = PHASES[phase]()
    before = night.seen(1)
    gone(night, 1)
    night.now += 700
    back(night, 1)
    after = night.seen(1)
    assert msgspec.structs.replace(after, version=before.version) == before
    assert (after.seat, after.team) == (1, 1)
    assert after.phase in phase


@ALL
def test_a_snapshot_is_complete_for_its_phase(phase: str) -> None:
    night = PHASES[phase]()
    seen = night.seen(1)
    timed = seen.phase != "REVEAL"
    assert (seen.deadline is not UNSET) == timed
    assert (seen.open_at is not UNSET) == timed
    assert (seen.reveal is not UNSET) == (not timed)
    assert (seen.question is not UNSET) == (seen.phase != "PICK")
    assert [seat.seat for seat in seen.seats] == [0, 1, 2, 3]
    assert msgspec.json.decode(msgspec.json.encode(seen), type=TriviaView) == seen


def test_what_a_player_did_is_there_after_his_refresh() -> None:
    shown = {phase: (seen.option, seen.stake, seen.can) for phase in PHASES for seen in [PHASES[phase]().seen(1)]}
    assert shown["OPEN"] == (UNSET, UNSET, ["ANSWER"])
    assert shown["quiz REVEAL"][0] is not UNSET
    assert shown["PICK"] == (UNSET, UNSET, ["PICK"])
    assert shown["BUZZ"] == (UNSET, UNSET, ["BUZZ"])
    assert shown["showdown ANSWER"] == (UNSET, UNSET, ["ANSWER"])
    assert shown["STAKE"] == (UNSET, 250, [])
    assert shown["final ANSWER"][1:] == (250, [])
    assert shown["final ANSWER"][0] is not UNSET


@ALL
def test_log_30_a_host_who_goes_and_comes_back_finds_the_night_and_goes_on(phase: str) -> None:
    night = PHASES[phase]()
    gone(night, 0)
    night.after(120_000)
    assert night.state.is_running
    back(night, 0)
    for _ in range(3):
        if night.state.phase != "REVEAL":
            night.after(60_000)
    assert night.state.phase == "REVEAL"
    assert names(go_on(night))


@ALL
def test_another_host_takes_over_and_the_old_one_leads_no_more(phase: str) -> None:
    night = PHASES[phase]()
    assert names(night.house(MoveHost(player(3)))) == ["HostMoved"]
    assert night.house(MoveHost(player(3))) == []
    assert night.seen().host == player(3)
    wish = NextQuestion() if night.state.phase in ("REVEAL", "READY") else SkipQuestion()
    if night.state.phase != "PICK":
        assert night.by(0, wish) is RefusalCode.NOT_HOST
        assert names(night.by(3, wish))


@pytest.mark.parametrize("away", [120_000, 3_600_000])
def test_log_19_a_team_of_one_that_is_away_is_still_there_with_its_score(away: int) -> None:
    night = Night(3, teams=3).opened()
    answer(night, 1, night.right)
    gone(night, 1)
    night.by(0, CloseQuestion())
    night.after(away)
    assert [team.total for team in night.seen().teams] == [0, 1500, 0]
    back(night, 1)
    go_on(night)
    assert night.opened().seen(1).can == ["ANSWER"]
    assert names(answer(night, 1, 0)) == ["AnswerLocked"]


def test_who_is_away_when_the_night_begins_is_known_to_be() -> None:
    night = Night(3, away=(2,))
    assert [seat.connected for seat in night.seen().seats] == [True, True, False]
    night.opened()
    answer(night, 0, 0)
    assert night.state.phase == "OPEN"
    assert names(answer(night, 1, 0)) == ["AnswerLocked"]
    night.at(START + 10_000)
    assert night.state.phase == "REVEAL", "ten seconds after the beginning he is given up"


def test_what_is_known_already_is_no_event_and_strangers_are_nobody() -> None:
    night = Night(3)
    assert back(night, 1) == []
    assert names(gone(night, 1)) == ["SeatAway"]
    assert gone(night, 1) == []
    assert names(night.house(MarkLeft(player(1)))) == ["SeatLeft"]
    assert night.house(MarkLeft(player(1))) == []
    assert names(back(night, 1)) == ["SeatBack"]
    assert night.house(MarkLeft(STRANGER)) == []


def test_a_late_comer_watches_and_takes_no_part() -> None:
    night = Night(3).opened()
    for command in (AnswerQuestion(0, 1), Buzz(1), Stake(0), PickTile("storia", 200), NextQuestion()):
        assert night.decide(command, Actor("player", STRANGER)) is RefusalCode.NOT_IN_GAME
    viewer = night.trivia.viewer(night.state, STRANGER)
    assert night.trivia.view(night.state, viewer) == night.seen()  # type: ignore[arg-type]
    assert [seat.player for seat in night.seen().seats] == [player(n) for n in range(3)]


def test_a_host_without_a_seat_leads_and_plays_no_part() -> None:
    night = Night(3)
    night.house(MoveHost(STRANGER))
    host = Actor("player", STRANGER)
    assert names(night.decide(NextQuestion(), host)) == ["QuestionOpened"]
    assert night.decide(AnswerQuestion(0, 1), host) is RefusalCode.NOT_IN_GAME
    assert names(night.decide(CloseQuestion(), host)) == ["QuestionRevealed"]


def test_an_empty_seat_between_two_people_is_nobodys() -> None:
    night = Night(4, empty=(1, 2), teams=3).opened()
    assert [(seat.seat, seat.team) for seat in night.seen().seats] == [(0, 0), (3, 0)]
    assert [viewer.audience for viewer in night.trivia.audiences(night.state)] == ["public", "seat-0", "seat-3"]
    answer(night, 0, 0)
    assert names(answer(night, 3, 0)) == ["AnswerLocked", "QuestionRevealed"]
    assert [team.team for team in night.seen().teams] == [0]


def test_nobody_but_the_house_says_who_is_there_or_what_time_it_is() -> None:
    night = Night(3)
    for command in (MarkLeft(player(1)), MoveHost(player(1)), SupersedeGame("d" * 32)):
        assert night.by(0, command) is RefusalCode.NOT_ALLOWED
    assert night.decide(NextQuestion(), Actor("service", "trivia")) is RefusalCode.NOT_IN_GAME


def test_a_night_that_nobody_plays_for_24_hours_ends_and_keeps_what_it_came_to() -> None:
    night = quiz_revealed()
    night.now += 1
    since = night.state.idle_at
    night.at(since + IDLE_MS + IDLE_GRAIN_MS - 1)
    assert night.state.is_running
    night.after(1)
    ended = night.events[-2]
    assert (ended.outcome, ended.totals, ended.winner) == ("IDLE", [0, 1500], UNSET)  # type: ignore[union-attr]


def test_the_old_night_is_stale_once_another_one_has_begun() -> None:
    night = quiz_revealed()
    assert night.house(SupersedeGame("d" * 32)) == [], "not while it is on"
    for _ in range(9):
        go_on(night)
        night.by(0, SkipQuestion())
    go_on(night)
    assert answer(night, 1, 0) is RefusalCode.GAME_NOT_RUNNING
    assert names(night.house(SupersedeGame("d" * 32))) == ["GameSuperseded"]
    assert night.house(SupersedeGame("d" * 32)) == []
    assert answer(night, 1, 0) is RefusalCode.STALE_GAME
    assert night.decide(AnswerQuestion(0, 1), Actor("player", STRANGER)) is RefusalCode.NOT_IN_GAME
