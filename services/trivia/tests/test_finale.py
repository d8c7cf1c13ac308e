"""Tutto o Niente: captains stake in secret, answer once, and everything is revealed together."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import ActAsCaptain, AllRevealed, SkipQuestion, Stake
from circolo_trivia.commands import MarkLeft
from circolo_trivia.rehearsal import Night, player
from msgspec import UNSET
from night_talk import answer, back, go_on, gone, names, stake


def finale(people: int = 4, *totals: int, **more: Any) -> Night:
    """Two teams with these points; captains are seats 0 and 1."""
    return Night(people, mode="TUTTO_O_NIENTE", totals=totals or (3000, 2000), **more)


def staked(night: Night, *amounts: int) -> Night:
    """The captains stake; the question is open."""
    for team, amount in enumerate(amounts):
        stake(night, night.state.captains[team], amount)
    return night.opened()


def revealed(night: Night) -> AllRevealed:
    event = night.events[-1]
    assert isinstance(event, AllRevealed)
    return event


@pytest.mark.parametrize(("option", "after"), [("right", 6000), ("wrong", 0), (None, 0)])
def test_party_K01_everything_is_doubled_or_gone(option: str | None, after: int) -> None:
    night = staked(finale(), 3000, 0)
    if option is not None:
        answer(night, 0, getattr(night, option))
    night.at(night.state.due_at + 150)
    assert night.state.totals == (after, 2000)
    assert revealed(night).results[0].after == after


@pytest.mark.parametrize("amount", [3001, -1])
def test_party_K04_a_stake_out_of_range_is_refused_and_a_good_one_still_counts(amount: int) -> None:
    night = finale()
    assert stake(night, 0, amount) is RefusalCode.STAKE_OUT_OF_RANGE
    assert not night.state.stakes
    assert names(stake(night, 0, 3000)) == ["StakeLocked"]


@pytest.mark.parametrize("text", ['{"amount":1.5}', '{"amount":"500"}', '{"amount":null}', '{"amount":1e3}', "{}"])
def test_party_K04_what_is_no_whole_number_is_no_stake_by_its_type(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Stake)


def test_party_K05_who_has_nothing_may_stake_nothing_and_answers_all_the_same() -> None:
    night = finale(4, 0, 500)
    assert stake(night, 0, 1) is RefusalCode.STAKE_OUT_OF_RANGE
    assert names(stake(night, 0, 0)) == ["StakeLocked"]
    night = staked(finale(4, 0, 500), 0, 100)
    assert names(answer(night, 0, night.right)) == ["FinalLocked"]


def test_party_K06_no_stake_by_the_deadline_is_a_stake_of_nothing() -> None:
    night = finale()
    stake(night, 1, 2000)
    night.at(night.state.due_at + 150).opened()
    answer(night, 0, night.right)
    answer(night, 1, night.right)
    assert night.state.totals == (3000, 4000)
    assert [result.stake for result in revealed(night).results] == [0, 2000]


def test_party_K08_all_stakes_and_answers_come_in_one_event() -> None:
    night = staked(finale(), 1000, 1500)
    right, wrong = night.right, night.wrong
    answer(night, 0, wrong)
    assert names(answer(night, 1, right)) == ["FinalLocked", "AllRevealed"]
    results = [(r.team, r.stake, r.option, r.right, r.before, r.after) for r in revealed(night).results]
    assert results == [(0, 1000, wrong, False, 3000, 2000), (1, 1500, right, True, 2000, 3500)]
    assert night.seen().reveal.results == revealed(night).results  # type: ignore[union-attr]


def test_party_K10_only_the_captain_stakes() -> None:
    night = finale()
    assert stake(night, 2, 100) is RefusalCode.NOT_CAPTAIN
    assert night.seen(2).can == []
    assert night.seen(0).can == ["STAKE"]


def test_party_K11_the_next_in_order_stands_in_and_the_first_is_captain_again_in_the_next_phase() -> None:
    night = finale(away=(0,))
    assert stake(night, 0, 100) is RefusalCode.NOT_CAPTAIN
    assert names(stake(night, 2, 700)) == ["StakeLocked"]
    back(night, 0)
    stake(night, 1, 0)
    night.opened()
    assert answer(night, 2, 0) is RefusalCode.NOT_CAPTAIN
    assert names(answer(night, 0, 0)) == ["FinalLocked"]


def test_party_K12_the_host_names_a_captain_for_one_who_is_gone_and_the_stake_stays() -> None:
    night = staked(finale(), 500, 0)
    gone(night, 0)
    assert answer(night, 2, night.right) is RefusalCode.NOT_CAPTAIN
    assert names(night.by(0, ActAsCaptain(2, 0))) == ["CaptainNamed"]
    answer(night, 2, night.right)
    answer(night, 1, night.wrong)
    assert night.state.totals == (3500, 2000)


def test_log_23_a_stake_is_lost_by_not_answering() -> None:
    night = staked(finale(4, 500, 300), 500, 0)
    answer(night, 1, 0)
    night.at(night.state.due_at + 150)
    assert night.state.totals[0] == 0


def test_the_host_replaces_no_captain_who_is_there_and_nobody_else_does() -> None:
    night = finale()
    assert night.by(0, ActAsCaptain(3, 1)) is RefusalCode.NOT_ALLOWED
    gone(night, 1)
    assert night.by(2, ActAsCaptain(3, 1)) is RefusalCode.NOT_HOST
    assert night.by(0, ActAsCaptain(2, 1)) is RefusalCode.NO_SUCH_SEAT
    assert night.by(0, ActAsCaptain(2, 7)) is RefusalCode.NO_SUCH_TEAM
    assert night.by(0, ActAsCaptain(1, 1)) == []
    assert names(night.by(0, ActAsCaptain(3, 1))) == ["CaptainNamed"]
    assert night.seen(3).can == ["STAKE"]
    assert names(stake(night, 3, 5)) == ["StakeLocked"]


def test_the_first_stake_is_final_also_for_a_new_captain() -> None:
    night = finale()
    stake(night, 0, 500)
    assert stake(night, 0, 500) == []
    assert stake(night, 0, 501) is RefusalCode.STAKE_LOCKED
    gone(night, 0)
    night.by(0, ActAsCaptain(2, 0))
    assert stake(night, 2, 1) is RefusalCode.STAKE_LOCKED
    assert night.seen(2).stake is UNSET, "what the other one staked is his to tell"
    assert night.seen(0).stake == 500


def test_text_and_options_are_shown_when_the_stakes_are_locked_and_no_earlier() -> None:
    night = finale()
    question = night.seen(0).question
    assert (question.theme, question.difficulty, question.options, question.prompt) == ("storia", 1, [], UNSET)  # type: ignore[union-attr]
    staked(night, 1, 1)
    assert len(night.seen().question.options) == 4  # type: ignore[union-attr]


def test_when_all_have_nothing_everybody_is_given_the_same_to_play_with() -> None:
    assert finale(4, 0, 0).state.totals == (1000, 1000)
    assert Night(4, mode="TUTTO_O_NIENTE", startingScore=300).state.totals == (300, 300)
    assert finale(4, 0, 10).state.totals == (0, 10), "only when all have nothing"
    assert Night(2, mode="TUTTO_O_NIENTE", teams=24, totals=(0,) * 23 + (9,)).state.totals[:3] == (1000, 1000, 0)


def test_a_skip_discards_the_stakes_unseen() -> None:
    night = staked(finale(), 3000, 2000)
    answer(night, 0, night.right)
    assert names(night.by(0, SkipQuestion())) == ["AllRevealed"]
    assert (night.state.totals, revealed(night).results) == ((3000, 2000), [])
    assert night.seen().reveal.results == []  # type: ignore[union-attr]


def test_after_the_reveal_the_host_ends_it_and_the_evening_carries_the_totals() -> None:
    night = staked(finale(), 3000, 0)
    answer(night, 0, night.right)
    answer(night, 1, night.right)
    assert names(go_on(night)) == ["MatchEnded", "SeedRevealed"]
    ended = night.events[-2]
    assert (ended.outcome, ended.winner, ended.totals) == ("WON", 0, [6000, 2000])  # type: ignore[union-attr]


def test_a_stake_after_its_time_is_late_and_one_that_is_in_is_for_another_phase() -> None:
    night = finale()
    due = night.state.due_at
    stake(night, 1, 10)
    night.at(due + 1)
    assert stake(night, 0, 10) is RefusalCode.LATE
    night.at(due + 150)
    assert stake(night, 0, 10) is RefusalCode.LATE
    assert stake(night, 1, 10) is RefusalCode.WRONG_PHASE


@pytest.mark.parametrize(("stamp", "counts"), [(-1, True), (0, True), (1, False)])
def test_stakes_and_last_answers_count_up_to_their_deadline(stamp: int, counts: bool) -> None:
    night = finale()
    due = night.state.due_at
    night.at(due + 100).by(0, Stake(1000), stamp=due + stamp)
    assert (0 in night.state.stakes) == counts
    night.at(due + 150).opened()
    due = night.state.due_at
    answer(night.at(due + 100), 0, night.right, stamp=due + stamp)
    night.at(due + 150)
    assert night.state.totals[0] == (4000 if counts else 3000)


def test_too_early_an_answer_is_too_early_and_the_first_one_is_final() -> None:
    night = finale()
    for seat in (0, 1):
        stake(night, seat, 0)
    assert answer(night, 0, 0) is RefusalCode.TOO_EARLY
    night.opened()
    assert answer(night, 0, 4) is RefusalCode.BAD_OPTION
    answer(night, 0, 1)
    assert answer(night, 0, 1) == []
    assert answer(night, 0, 2) is RefusalCode.ANSWER_LOCKED


def test_a_captain_who_is_gone_is_waited_for_ten_seconds_and_one_who_left_not_at_all() -> None:
    night = finale()
    stake(night, 0, 5)
    gone(night, 1)
    night.after(9_999)
    assert night.state.phase == "STAKE"
    night.after(1)
    assert night.state.phase == "ANSWER"
    assert night.state.captains == {0: 0, 1: 3}, "the next connected one answers"
    night.opened()
    answer(night, 0, 0)
    assert names(night.house(MarkLeft(player(3)))) == ["SeatLeft", "AllRevealed"]


def test_a_team_of_whom_nobody_is_there_has_its_first_player_as_captain() -> None:
    night = finale(away=(1, 3))
    assert night.state.captains == {0: 0, 1: 1}
    back(night, 1)
    assert names(stake(night, 1, 3)) == ["StakeLocked"]
