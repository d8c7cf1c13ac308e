"""Team Showdown: a board of tiles, one buzzer, one owner of it."""

from __future__ import annotations

import random

import pytest
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import (
    AnswerJudged,
    AnswerQuestion,
    Buzz,
    BuzzAccepted,
    NextQuestion,
    PassControl,
    PickTile,
    SkipQuestion,
    TilePicked,
)
from circolo_trivia.board import categories, lowest_free
from circolo_trivia.commands import MarkLeft, NoteEarlyPress
from circolo_trivia.rehearsal import Night, made_up, player
from msgspec import UNSET
from night_talk import answer, back, buzz, go_on, gone, names, picked, picking, showdown


def test_party_B01_of_two_in_one_millisecond_the_first_in_the_queue_has_it() -> None:
    night = picked(showdown(3, teams=3))
    assert names(buzz(night, 0)) == ["BuzzAccepted"]
    assert buzz(night, 1) is RefusalCode.BUZZER_LOCKED
    assert night.told("BuzzAccepted") == ["BuzzAccepted"]
    holder = night.seen(1).buzz
    assert (holder.seat, holder.team) == (0, 0)  # type: ignore[union-attr]


def test_log_33_and_38_two_presses_in_one_tick_one_is_accepted_and_the_other_is_told() -> None:
    night = picked(showdown(2))
    answers = [buzz(night, seat) for seat in (1, 0)]
    assert names(answers[0]) == ["BuzzAccepted"]
    assert answers[1] is RefusalCode.BUZZER_LOCKED
    assert buzz(night, 1) == [], "his own second press changes nothing"


def test_log_36_a_hundred_random_double_presses_always_have_one_owner_and_skip_works() -> None:
    chance = random.Random(36)
    for _ in range(100):
        night = picked(showdown(6, teams=3))
        pair = chance.sample(range(6), 2)
        early = [chance.random() < 0.2 for _ in pair]
        for seat, soon in zip(pair, early, strict=True):
            buzz(night, seat, stamp=night.state.open_at - 1 if soon else night.now)
        accepted = [event for event in night.events if isinstance(event, BuzzAccepted)]
        on_time = [seat for seat, soon in zip(pair, early, strict=True) if not soon]
        assert [event.seat for event in accepted] == on_time[:1]
        assert (night.state.phase == "ANSWER") == bool(accepted)
        assert (night.state.buzz >= 0) == bool(accepted)
        assert names(night.by(0, SkipQuestion())) == ["QuestionRevealed"]
        assert names(go_on(night)) == ["PickOpened"]


def test_party_B03_a_team_mate_may_not_answer_for_who_pressed() -> None:
    night = picked(showdown(4))
    buzz(night, 0)
    assert answer(night, 2, night.right) is RefusalCode.NOT_YOUR_BUZZ
    assert buzz(night, 2) is RefusalCode.BUZZER_LOCKED


def test_party_B04_after_a_miss_the_team_is_out_and_the_others_may_try() -> None:
    night = picked(showdown(4))
    buzz(night, 0)
    assert names(answer(night, 0, night.wrong)) == ["AnswerJudged", "BuzzersOpened"]
    night.opened()
    assert buzz(night, 2) is RefusalCode.TEAM_LOCKED_OUT
    assert names(buzz(night, 1)) == ["BuzzAccepted"]
    assert buzz(night, 2) is RefusalCode.TEAM_LOCKED_OUT, "told before that somebody holds it"


def test_party_B06_the_rebound_is_worth_the_tile_and_the_control() -> None:
    night = picked(showdown(2), 2)
    buzz(night, 0)
    answer(night, 0, night.wrong)
    buzz(night.opened(), 1)
    assert names(answer(night, 1, night.right)) == ["AnswerJudged", "QuestionRevealed", "ControlPassed"]
    assert (night.state.totals, night.state.control) == ((0, 600), 1)
    assert [(a.seat, a.points) for a in night.seen().reveal.answers] == [(0, 0), (1, 600)]  # type: ignore[union-attr]


def test_party_B07_without_rebounds_a_miss_ends_the_question() -> None:
    night = picked(showdown(2, rebounds=False))
    buzz(night, 0)
    assert names(answer(night, 0, night.wrong)) == ["AnswerJudged", "QuestionRevealed"]
    assert (night.state.phase, night.state.totals, night.state.control) == ("REVEAL", (0, 0), 0)


def test_party_B09_nobody_presses_and_the_tile_is_used() -> None:
    night = picked(showdown(2), 5)
    night.at(night.state.due_at + 150)
    assert (night.state.phase, night.state.control, night.state.played) == ("REVEAL", 0, (5,))
    assert night.events[-1].reason == "NOBODY"  # type: ignore[union-attr]
    assert buzz(night, 1) is RefusalCode.LATE
    go_on(night)
    assert night.by(0, picking(night, 5)) is RefusalCode.TILE_TAKEN


@pytest.mark.parametrize(("rebounds", "phase"), [(True, "BUZZ"), (False, "REVEAL")])
def test_party_B10_who_loses_his_connection_with_the_buzzer_misses_when_his_time_is_over(
    rebounds: bool, phase: str
) -> None:
    night = picked(showdown(2, rebounds=rebounds))
    buzz(night, 0)
    gone(night, 0)
    night.after(10_149)
    assert night.state.phase == "ANSWER"
    night.after(1)
    assert night.state.phase == phase
    judged = next(event for event in night.events if isinstance(event, AnswerJudged))
    assert (judged.right, judged.option, judged.points) == (False, UNSET, 0)
    back(night, 0)
    assert answer(night, 0, night.right) is RefusalCode.LATE


def test_party_B12_only_the_team_in_control_picks_and_only_once() -> None:
    night = showdown(4)
    assert night.by(1, picking(night, 0)) is RefusalCode.NOT_YOUR_TURN
    assert names(night.by(2, picking(night, 3))) == ["TilePicked", "BuzzersOpened"]
    assert night.by(0, picking(night, 4)) is RefusalCode.WRONG_PHASE
    assert night.seen().question.value == 800  # type: ignore[union-attr]


def test_party_B14_after_the_last_tile_the_night_is_over_with_shared_ranks() -> None:
    night = showdown(3, teams=3)
    for _ in range(12):
        night.at(night.state.due_at + 150)
        night.at(night.state.due_at + 150)
        assert night.state.phase == "REVEAL"
        go_on(night)
    seen = night.seen()
    assert (seen.status, seen.result.outcome) == ("ENDED", "TIED")  # type: ignore[union-attr]
    assert [team.rank for team in seen.teams] == [1, 1, 1]
    assert {tile.state for tile in seen.board} == {"PLAYED"}


@pytest.mark.parametrize("who", [0, 1])
def test_party_B15_and_log_42_somebody_going_at_the_reveal_awards_nothing_twice(who: int) -> None:
    night = picked(showdown(2), 1)
    buzz(night, 1)
    answer(night, 1, night.right)
    for leave in (gone, back, gone):
        leave(night, who)
    night.house(MarkLeft(player(1)))
    go_on(night)
    assert night.state.totals == (0, 400)
    assert night.told("AnswerJudged", "QuestionRevealed") == ["AnswerJudged", "QuestionRevealed"]


def test_log_35_who_has_tried_does_not_try_again_however_many_missed_since() -> None:
    night = picked(showdown(3, teams=3))
    for seat in (0, 1):
        buzz(night, seat)
        answer(night, seat, night.wrong)
        night.opened()
    assert buzz(night, 0) is RefusalCode.TEAM_LOCKED_OUT
    assert names(buzz(night, 2)) == ["BuzzAccepted"]
    assert names(answer(night, 2, night.wrong)) == ["AnswerJudged", "QuestionRevealed"]
    assert (night.state.totals, night.events[-1].reason) == ((0, 0, 0), "MISSED")  # type: ignore[union-attr]


def test_log_26_nobody_ever_loses_points_and_nobody_gains_by_anothers_miss() -> None:
    chance = random.Random(26)
    night = showdown(4, teams=2)
    while night.state.is_running:
        before = night.state.totals
        act = chance.choice(["buzz", "answer", "next", "wait", "skip", "pick", "gone", "back"])
        seat = chance.randrange(4)
        if act == "buzz":
            buzz(night.after(600), seat)
        elif act == "answer":
            answer(night, max(night.state.buzz, 0), chance.randrange(4))
        elif act == "next":
            go_on(night)
        elif act == "skip" and chance.random() < 0.1:
            night.by(0, SkipQuestion())
        elif act == "wait":
            night.after(chance.choice([100, 10_500, 31_000]))
        elif act == "pick":
            night.by(seat, picking(night, chance.randrange(12)))
        else:
            (gone if act == "gone" else back)(night, seat)
        gains = [now - then for now, then in zip(night.state.totals, before, strict=True)]
        assert min(gains) >= 0
        assert sum(gain > 0 for gain in gains) <= 1


def test_log_37_an_answer_after_a_refresh_never_reaches_the_next_question() -> None:
    night = showdown(2)
    for tile in range(3):
        picked(night, tile)
        if tile < 2:
            night.by(0, SkipQuestion())
            go_on(night)
    buzz(night, 0)
    gone(night, 0)
    back(night, 0)
    refreshed = night.seen(0)
    assert refreshed.can == ["ANSWER"]
    assert refreshed.question.prompt == night.state.question.prompt  # type: ignore[union-attr]
    assert refreshed.deadline == night.state.due_at
    night.by(0, SkipQuestion())
    go_on(night)
    picked(night, 4)
    assert night.by(0, AnswerQuestion(0, 3)) is RefusalCode.STALE_QUESTION
    assert night.by(0, Buzz(3)) is RefusalCode.STALE_QUESTION


def test_a_press_before_the_opening_locks_its_player_for_250_ms_and_no_longer() -> None:
    """As the service does it: the press is refused, the lock is noted."""
    night = showdown(4)
    night.by(0, picking(night, 0))
    opening = night.state.open_at
    night.at(opening - 100)
    assert buzz(night, 0) is RefusalCode.TOO_EARLY
    assert names(night.house(NoteEarlyPress(night.now, player(0), 1))) == ["BuzzedTooEarly"]
    assert night.seen(0).locked_until == opening + 150
    assert night.seen(2).locked_until is UNSET
    night.at(opening - 50)
    assert night.house(NoteEarlyPress(night.now, player(0), 1)) == [], "a press within the lock does not prolong it"
    night.at(opening + 149)
    assert buzz(night, 0) is RefusalCode.TOO_EARLY
    assert night.house(NoteEarlyPress(night.now, player(0), 1)) == []
    assert names(buzz(night.at(opening + 150), 0)) == ["BuzzAccepted"], "free again at the 250th millisecond"


def test_the_lock_is_one_players_and_ends_with_the_next_opening() -> None:
    night = showdown(4)
    night.by(0, picking(night, 0))
    night.house(NoteEarlyPress(night.now, player(0), 1))
    assert names(buzz(night.opened(), 2)) == ["BuzzAccepted"], "his team-mate may"
    answer(night, 2, night.wrong)
    assert night.seen(0).locked_until is UNSET


@pytest.mark.parametrize(("stamp", "accepted"), [(-1, True), (0, True), (1, False)])
def test_a_press_counts_up_to_the_deadline_of_the_buzzers(stamp: int, accepted: bool) -> None:
    night = picked(showdown(2))
    due = night.state.due_at
    assert due - night.state.open_at == 15_000
    said = buzz(night.at(due + 100), 1, stamp=due + stamp)
    assert (said is not RefusalCode.LATE) == accepted
    assert bool(night.told("BuzzAccepted")) == accepted


@pytest.mark.parametrize(("stamp", "right"), [(-1, True), (0, True), (1, False)])
def test_an_answer_counts_up_to_ten_seconds_after_the_accepted_press(stamp: int, right: bool) -> None:
    night = picked(showdown(2, rebounds=False))
    buzz(night.after(4_000), 1)
    due = night.state.due_at
    assert due - night.now == 10_000
    said = answer(night.at(due + 100), 1, night.right, stamp=due + stamp)
    assert (said is not RefusalCode.LATE) == right
    night.at(due + 150)
    assert night.state.totals == ((0, 200) if right else (0, 0))


def test_when_nobody_picks_the_clock_takes_the_lowest_free_tile_in_board_order() -> None:
    night = showdown(2, control=1)
    night.at(night.state.due_at + 150)
    chosen = next(event for event in night.events if isinstance(event, TilePicked))
    assert (chosen.tile, chosen.seat, chosen.team) == (0, UNSET, 1)
    questions = made_up(12)
    assert lowest_free(questions, [0, 4]) == 8  # type: ignore[arg-type]
    assert lowest_free(questions, [0, 4, 8, 1]) == 5  # type: ignore[arg-type]


def test_the_right_answer_passes_the_control_and_nothing_else_does() -> None:
    night = picked(showdown(2), 3)
    buzz(night, 0)
    assert names(answer(night, 0, night.right)) == ["AnswerJudged", "QuestionRevealed"]
    assert night.state.control == 0
    go_on(night)
    picked(night, 7)
    night.by(0, SkipQuestion())
    assert (night.state.control, night.state.totals) == (0, (800, 0))


def test_the_host_passes_the_control_only_when_nobody_of_that_team_is_there() -> None:
    night = showdown(4, control=1)
    assert night.by(0, PassControl(0)) is RefusalCode.NOT_ALLOWED
    for seat in (1, 3):
        gone(night, seat)
    assert night.by(2, PassControl(0)) is RefusalCode.NOT_HOST
    assert night.by(0, PassControl(5)) is RefusalCode.NO_SUCH_TEAM
    assert names(night.by(0, PassControl(0))) == ["ControlPassed", "PickOpened"]
    assert night.seen().control == 0


def test_a_team_that_has_left_for_good_picks_no_more() -> None:
    night = showdown(3, control=1, teams=3)
    gone(night, 2)
    assert names(night.house(MarkLeft(player(1)))) == ["SeatLeft", "ControlPassed", "PickOpened"]
    assert night.state.control == 0, "the next team in order that somebody is there for"
    back(night, 2)
    picked(night, 0)
    night.house(MarkLeft(player(0)))
    night.by(0, SkipQuestion())
    assert names(night.by(0, NextQuestion())) == ["ControlPassed", "PickOpened"]
    assert night.state.control == 2


def test_a_team_that_has_left_for_good_is_waited_for_by_no_rebound() -> None:
    night = picked(showdown(2))
    night.house(MarkLeft(player(1)))
    buzz(night, 0)
    assert names(answer(night, 0, night.wrong)) == ["AnswerJudged", "QuestionRevealed"]


def test_a_tile_that_the_board_does_not_have_is_taken() -> None:
    night = showdown(2)
    first = categories(night.state.questions)[0]
    for category, value in (("ludo", 200), (first, 300), (first, 0), ("", -200)):
        assert night.by(0, PickTile(category, value)) is RefusalCode.TILE_TAKEN


def test_a_themes_second_column_has_a_number() -> None:
    night = Night(2, mode="SHOWDOWN", categories=3, bank=made_up(12, ("diaspora", "storia", "diaspora")))
    assert [tile.category for tile in night.seen().board[::4]] == ["diaspora", "storia", "diaspora-2"]
    assert [tile.value for tile in night.seen().board[:4]] == [200, 400, 600, 800]


def test_an_answer_without_the_buzzer_is_for_another_moment() -> None:
    night = picked(showdown(2))
    assert answer(night, 0, 0) is RefusalCode.WRONG_PHASE
    buzz(night, 0)
    assert answer(night, 0, 9) is RefusalCode.BAD_OPTION
    assert answer(night, 1, 9) is RefusalCode.NOT_YOUR_BUZZ, "the role is looked at before the value"


def test_what_was_chosen_wrongly_is_seen_only_by_who_chose_it_until_the_reveal() -> None:
    night = picked(showdown(4))
    buzz(night, 0)
    wrong = night.wrong
    answer(night, 0, wrong)
    assert night.seen(0).option == wrong
    assert night.seen(2).option is UNSET
    assert [seat.answered for seat in night.seen().seats] == [True, False, False, False]
    assert night.seen().locked_out == [0]
