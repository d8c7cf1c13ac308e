"""Family Party Quiz: the same question for everybody, answers private until it closes."""

from __future__ import annotations

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import (
    AnswerLocked,
    CloseQuestion,
    NextQuestion,
    QuestionOpened,
    QuestionReady,
    QuestionRevealed,
    RevealedAnswer,
    SkipQuestion,
)
from circolo_trivia.commands import MarkLeft
from circolo_trivia.rehearsal import START, Night, player
from circolo_trivia.scoring import quiz_points, ranks
from msgspec import UNSET
from night_talk import answer, back, go_on, gone, names

SCORES = {
    "S01": (20_000, 0, 1500), "S02": (20_000, 1, 1499), "S04": (20_000, 41, 1498), "S05": (20_000, 5_000, 1375),
    "S06": (20_000, 7_333, 1316), "S07": (20_000, 10_000, 1250), "S10": (20_000, 20_000, 1000),
    "S11": (15_000, 4_000, 1366), "S12": (30_000, 12_345, 1294), "S13": (10_000, 3_333, 1333),
}  # fmt: skip


def total(night: Night, team: int = 0) -> int:
    return night.state.totals[team]


@pytest.mark.parametrize("case", SCORES, ids=lambda case: f"party_{case}")
def test_a_right_answer_scores_by_its_speed(case: str) -> None:
    time, elapsed, points = SCORES[case]
    assert quiz_points(True, elapsed, time, speed=True) == points
    night = Night(2, teams=2, seconds=time // 1000).opened()
    answer(night.after(elapsed), 0, night.right)
    night.by(0, CloseQuestion())
    assert total(night) == points


def test_party_S14_without_speed_points_the_last_moment_is_worth_as_much() -> None:
    night = Night(2, speedPoints=False).opened()
    answer(night.after(19_999), 0, night.right)
    night.by(0, CloseQuestion())
    assert total(night) == 1000


def test_party_S15_a_wrong_answer_and_no_answer_are_worth_nothing() -> None:
    night = Night(2).opened()
    answer(night, 0, night.wrong)
    night.at(night.state.due_at + 150)
    assert night.state.totals == (0, 0)
    closed = night.events[-1]
    assert isinstance(closed, QuestionRevealed)
    assert closed.reason == "TIME"
    assert closed.answers == [RevealedAnswer(0, 0, 0, night.wrong), RevealedAnswer(0, 1)]


def test_party_S16_a_millisecond_late_is_late_and_nothing_is_stored() -> None:
    night = Night(2).opened()
    night.at(night.state.due_at + 1)
    stored = len(night.events)
    assert answer(night, 0, night.right) is RefusalCode.LATE
    assert len(night.events) == stored
    night.after(200)
    assert night.state.totals == (0, 0)


@pytest.mark.parametrize(
    ("stamp", "counts"), [(-1, True), (0, True), (1, False)], ids=["a ms before", "at the deadline", "a ms after"]
)
@pytest.mark.parametrize("arrives", [0, 100, 149])
def test_what_was_stamped_in_time_counts_until_the_close_and_the_rest_is_late(
    stamp: int, counts: bool, arrives: int
) -> None:
    """Event, score and history agree."""
    night = Night(2).opened()
    due = night.state.due_at
    night.at(due + max(arrives, stamp))
    said = answer(night, 0, night.right, stamp=due + stamp)
    night.at(due + 150)
    stored = [event for event in night.events if isinstance(event, AnswerLocked)]
    closed = night.events[-1]
    assert isinstance(closed, QuestionRevealed)
    first = closed.answers[0]
    if counts:
        elapsed = 20_000 + stamp
        assert [(event.seat, event.elapsed) for event in stored] == [(0, elapsed)]
        assert (first.elapsed, first.points) == (elapsed, 1000)
        assert total(night) == 1000
    else:
        assert (said, stored, first) == (RefusalCode.LATE, [], RevealedAnswer(0, 0))
        assert total(night) == 0


def test_an_answer_that_comes_after_the_close_is_late_however_it_was_stamped() -> None:
    night = Night(2).opened()
    due = night.state.due_at
    night.at(due + 150)
    assert night.state.phase == "REVEAL"
    assert answer(night, 0, night.right, stamp=due) is RefusalCode.LATE
    go_on(night)
    assert answer(night, 0, 0, no=1) is RefusalCode.STALE_QUESTION
    assert answer(night, 0, 0) is RefusalCode.WRONG_PHASE


def test_when_the_host_has_closed_it_the_phase_is_over_but_nobody_was_late() -> None:
    night = Night(2).opened()
    night.by(0, CloseQuestion())
    assert answer(night, 1, 0) is RefusalCode.WRONG_PHASE
    night.at(night.state.due_at + 1)
    assert answer(night, 1, 0) is RefusalCode.LATE


def test_number_and_theme_come_first_then_the_question_then_its_clock() -> None:
    night = Night(2)
    assert night.events[1] == QuestionReady(at=START, deadline=START + 3_000, no=1)
    waiting = night.seen(1)
    assert waiting.phase == "READY"
    assert (waiting.question.no, waiting.question.theme) == (1, night.state.question.theme)  # type: ignore[union-attr]
    assert (waiting.question.options, waiting.can) == ([], [])  # type: ignore[union-attr]
    night.after(3_000)
    assert night.events[2] == QuestionOpened(START + 3_000, START + 23_500, 1, START + 3_500)
    assert len(night.seen().question.options) == 4  # type: ignore[union-attr]
    assert answer(night, 0, 0) is RefusalCode.TOO_EARLY
    assert names(answer(night.after(500), 0, 0)) == ["AnswerLocked"]


def test_a_stamp_from_before_the_question_was_shown_counts_as_its_showing() -> None:
    night = Night(2).opened()
    assert answer(night, 0, 0, stamp=START) is RefusalCode.TOO_EARLY


def test_the_first_answer_is_final() -> None:
    night = Night(3).opened()
    assert names(answer(night, 0, 2)) == ["AnswerLocked"]
    assert answer(night, 0, 2) == []
    assert answer(night, 0, 1) is RefusalCode.ANSWER_LOCKED
    assert answer(night, 1, 4) is RefusalCode.BAD_OPTION
    assert answer(night, 1, -1) is RefusalCode.BAD_OPTION


def test_log_12_the_same_answer_five_times_is_one_answer_and_three_returns_change_no_total() -> None:
    night = Night(3).opened()
    for _ in range(5):
        answer(night, 1, night.right)
    for _ in range(3):
        gone(night, 1)
        back(night, 1)
        assert night.seen(1).option == night.right
    night.by(0, CloseQuestion())
    assert night.told("AnswerLocked") == ["AnswerLocked"]
    assert night.state.totals == (0, 1500)


def test_party_S20_who_was_away_for_a_moment_is_waited_for() -> None:
    night = Night(4).opened()
    gone(night, 3)
    for seat in range(3):
        answer(night.after(700), seat, 0)
    assert night.state.phase == "OPEN"
    back(night.after(3_900), 3)
    assert names(answer(night, 3, 0)) == ["AnswerLocked", "QuestionRevealed"]
    assert night.events[-1].reason == "ALL_ANSWERED"  # type: ignore[union-attr]


def test_log_20_the_last_one_that_is_missing_is_given_up_after_ten_seconds() -> None:
    night = Night(3).opened()
    for seat in range(2):
        answer(night, seat, 0)
    gone(night.after(1_000), 2)
    night.after(9_999)
    assert night.state.phase == "OPEN"
    night.after(1)
    assert night.state.phase == "REVEAL"
    assert night.now < night.state.due_at


def test_who_left_the_room_is_not_waited_for_and_with_nobody_there_the_time_runs_out() -> None:
    night = Night(3).opened()
    answer(night, 0, 0)
    answer(night, 1, 0)
    assert names(night.house(MarkLeft(player(2)))) == ["SeatLeft", "QuestionRevealed"]
    alone = Night(2).opened()
    answer(alone, 0, 0)
    for seat in range(2):
        gone(alone, seat)
    alone.at(alone.state.due_at + 149)
    assert alone.state.phase == "OPEN"
    alone.after(1)
    assert alone.events[-1].reason == "TIME"  # type: ignore[union-attr]


def test_party_S21_a_display_is_not_counted() -> None:
    night = Night(3).opened()
    answer(night, 0, 0)
    answer(night, 1, 0)
    assert night.seen().answered_count == 2
    assert names(answer(night, 2, 0)) == ["AnswerLocked", "QuestionRevealed"]


@pytest.mark.parametrize(("people", "teams"), [(6, 3), (5, 24)])
def test_log_28_the_display_counts_what_was_locked(people: int, teams: int) -> None:
    night = Night(people, teams=teams).opened()
    for seat in range(people - 1):
        answer(night, seat, 0)
        assert night.seen().answered_count == len(night.told("AnswerLocked")) == seat + 1
    assert [seat.answered for seat in night.seen().seats] == [True] * (people - 1) + [False]


def test_party_S24_a_late_packet_is_no_answer_to_the_next_question() -> None:
    night = Night(3).opened()
    for _ in range(3):
        night.by(0, CloseQuestion())
        go_on(night)
        night.opened()
    assert night.state.no == 4
    assert answer(night, 1, 0, no=3) is RefusalCode.STALE_QUESTION
    assert answer(night, 1, 0, no=5) is RefusalCode.STALE_QUESTION
    assert not night.state.answers


def test_party_S25_nobody_is_shown_the_right_option_or_the_source_before_the_reveal() -> None:
    night = Night(3).opened()
    for seat in (None, 0, 1):
        assert night.seen(seat).reveal is UNSET
    night.by(0, CloseQuestion())
    for seat in (None, 0, 1):
        reveal = night.seen(seat).reveal
        assert (reveal.answer, reveal.source) == (night.right, "https://example.org/0")  # type: ignore[union-attr]


def test_a_team_has_the_sum_of_its_members_points() -> None:
    night = Night(5, teams=2, speedPoints=False).opened()
    for seat in range(5):
        answer(night, seat, night.right)
    assert night.state.totals == (3_000, 2_000)
    assert [(team.team, team.rank, team.total) for team in night.seen().teams] == [(0, 1, 3_000), (1, 2, 2_000)]


def test_log_47_the_fastest_right_answer_is_worth_1500_with_speed_points_and_1000_without() -> None:
    for speed, points in ((True, 1500), (False, 1000)):
        night = Night(2, speedPoints=speed).opened()
        answer(night, 0, night.right)
        night.by(0, CloseQuestion())
        assert total(night) == points


def test_a_skipped_question_scores_nothing_for_anybody() -> None:
    night = Night(2).opened()
    answer(night, 0, night.right)
    assert names(night.by(0, SkipQuestion())) == ["QuestionRevealed"]
    assert (night.state.totals, night.events[-1].reason) == ((0, 0), "SKIPPED")  # type: ignore[union-attr]
    assert names(go_on(night)) == ["QuestionReady"]
    assert names(night.by(0, SkipQuestion())) == ["QuestionRevealed"]


def test_only_the_host_leads_the_quiz() -> None:
    night = Night(2)
    for command in (NextQuestion(), SkipQuestion()):
        assert night.by(1, command) is RefusalCode.NOT_HOST
    night.opened()
    assert night.by(1, CloseQuestion()) is RefusalCode.NOT_HOST
    assert night.by(0, NextQuestion()) is RefusalCode.WRONG_PHASE


def test_a_double_tap_on_next_goes_on_once() -> None:
    night = Night(2).opened()
    night.by(0, CloseQuestion())
    seen = night.state.version
    assert names(night.by(0, NextQuestion(), expected=seen)) == ["QuestionReady"]
    assert night.by(0, NextQuestion(), expected=seen) is RefusalCode.STALE_VERSION
    assert names(night.by(0, NextQuestion(), expected=night.state.version)) == ["QuestionOpened"]


def test_after_the_last_question_the_best_team_has_won() -> None:
    night = Night(2)
    for _ in range(10):
        night.opened()
        answer(night, 1, night.right)
        night.by(0, CloseQuestion())
        go_on(night)
    seen = night.seen()
    assert (seen.status, seen.phase, seen.result.outcome, seen.result.winner) == ("ENDED", "ENDED", "WON", 1)  # type: ignore[union-attr]
    assert night.events[-2].totals == [0, 15_000]  # type: ignore[union-attr]
    assert seen.seed == night.state.seed
    assert answer(night, 1, 0) is RefusalCode.GAME_NOT_RUNNING


def test_log_13_and_45_ranks_are_by_number_and_equal_totals_share_one() -> None:
    assert ranks([1_000, 900, 10_000]) == [2, 3, 1]
    assert ranks([5, 5, 3]) == [1, 1, 3]
    assert ranks([0, 0]) == [1, 1]
    night = Night(3, teams=3).opened()
    night.by(0, CloseQuestion())
    assert [team.rank for team in night.seen().teams] == [1, 1, 1]
