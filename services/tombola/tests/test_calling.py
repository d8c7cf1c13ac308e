"""Calling: by the host or by the clock, paused and resumed, by durable deadlines that never come in a burst."""

from __future__ import annotations

import pytest
from cartelle import A, B, C, seated, table
from circolo_contracts.cardgames import IdleTimeout, MatchEnded, StopMatch
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.tombola import (
    CallerChanged,
    CallingChanged,
    CallingPaused,
    CallingResumed,
    CallNumber,
    ChangeHost,
    ClaimPrize,
    DrawNumber,
    HostAway,
    NumberDrawn,
    PauseCalling,
    ResumeCalling,
    SetCalling,
)
from circolo_contracts.wire import Actor
from circolo_events.decider import Context, Rejection
from circolo_tombola.rehearsal import TOMBOLA, Rehearsal
from circolo_tombola.state import IDLE_GRAIN_MS, IDLE_MS
from msgspec import UNSET

HOUR = 3_600_000


def call(game: Rehearsal, *, late: int = 0) -> None:
    """The armed call comes due, that many ms late."""
    due = TOMBOLA.deadlines(game.state)["call"]
    game.now = max(game.now, due.due_at + late - 1_000)
    (drawn,) = game.house(CallNumber(due.version))
    assert isinstance(drawn, NumberDrawn)
    assert drawn.automatic


def next_call(game: Rehearsal) -> int | None:
    """ms from the last event to the next automatic call."""
    due = TOMBOLA.deadlines(game.state).get("call")
    return None if due is None else due.due_at - game.state.acted_at


def test_the_host_calls_number_after_number() -> None:
    game = table()
    game.draw(3)
    assert game.view().called == [4, 2, 23]
    assert next_call(game) is None, "there is no clock"


def test_nobody_else_calls() -> None:
    game = table()
    for command in (DrawNumber(), PauseCalling(), ResumeCalling(), SetCalling("AUTOMATIC")):
        assert game.play(B, command) is RefusalCode.NOT_HOST
        assert game.play("", command) is RefusalCode.NOT_HOST


def test_a_double_tap_draws_once() -> None:
    """C30 of the rules: the second one names a version before the draw."""
    game = table()
    seen = game.state.version
    game.play(A, DrawNumber(), expected=seen)
    assert game.play(A, DrawNumber(), expected=seen) is RefusalCode.STALE_VERSION
    assert len(game.state.called) == 1


def test_a_draw_is_not_stale_because_somebody_claimed() -> None:
    game = table(drawn=3)
    seen = game.state.version
    game.play(A, ClaimPrize("AMBO"))
    assert not isinstance(game.play(A, DrawNumber(), expected=seen), RefusalCode)


def test_the_clock_calls_every_so_many_seconds() -> None:
    game = seated(calling="AUTOMATIC", everySeconds=3)
    assert next_call(game) == 3_000
    for count in range(1, 4):
        call(game)
        assert (len(game.state.called), next_call(game)) == (count, 3_000)


def test_while_the_clock_calls_the_host_does_not() -> None:
    game = seated(calling="AUTOMATIC")
    assert game.play(game.state.host, DrawNumber()) is RefusalCode.CALLED_AUTOMATICALLY


def test_a_call_that_fires_twice_draws_once_bug_5() -> None:
    game = seated(calling="AUTOMATIC")
    due = TOMBOLA.deadlines(game.state)["call"]
    call(game)
    assert game.house(CallNumber(due.version)) == []


def test_a_call_before_its_time_or_of_another_version_is_none() -> None:
    game = seated(calling="AUTOMATIC")
    due = TOMBOLA.deadlines(game.state)["call"]
    assert game.house(CallNumber(due.version)) == [], "it is two seconds since the start"
    game.now += HOUR
    assert game.house(CallNumber(due.version + 1)) == []


def test_after_an_outage_of_an_hour_one_number_is_called_and_the_next_a_whole_interval_later_bug_10() -> None:
    game = seated(calling="AUTOMATIC", everySeconds=5)
    for _ in range(30):
        call(game)
    before = game.state.called
    call(game, late=HOUR)
    assert game.state.called[:30] == before
    assert (len(game.state.called), next_call(game)) == (31, 5_000)
    assert game.house(CallNumber(game.state.call_version)) == [], "no burst"


def test_the_clock_stops_at_the_ninetieth_number() -> None:
    game = seated(2, calling="AUTOMATIC")
    for _ in range(90):
        call(game)
    assert next_call(game) is None
    assert game.view().status == "RUNNING"


def test_pause_and_resume() -> None:
    game = seated(calling="AUTOMATIC", everySeconds=8)
    host = game.state.host
    assert game.play(host, PauseCalling()) == [CallingPaused(game.now, "HOST")]
    assert (next_call(game), game.view().paused, game.view().deadline) == (None, "HOST", UNSET)
    assert game.play(host, PauseCalling()) == [], "said twice is once"
    assert game.play(host, ResumeCalling()) == [CallingResumed(game.now)]
    assert (next_call(game), game.view().paused) == (8_000, UNSET)
    assert game.play(host, ResumeCalling()) == []


def test_a_game_that_the_host_calls_can_be_paused_too() -> None:
    game = table()
    game.play(A, PauseCalling())
    assert game.play(A, DrawNumber()) is RefusalCode.PAUSED
    game.play(A, ResumeCalling())
    game.draw()


def test_the_host_sets_the_interval_and_the_mode_at_any_time() -> None:
    game = table(drawn=2)
    assert game.play(A, SetCalling("AUTOMATIC", 20)) == [CallingChanged(game.now, "AUTOMATIC", 20)]
    assert next_call(game) == 20_000
    assert game.play(A, SetCalling("AUTOMATIC", 20)) == []
    game.play(A, SetCalling("AUTOMATIC", 3))
    assert next_call(game) == 3_000
    game.play(A, SetCalling("MANUAL"))
    assert (next_call(game), game.view().every_seconds) == (None, 3)
    game.draw()


@pytest.mark.parametrize("seconds", [2, 31, 0, -8, 10**9])
def test_an_interval_out_of_range_is_refused_by_name(seconds: int) -> None:
    game = table()
    context = Context(
        actor=Actor("player", A), command_id="c" * 32, entropy=b"", now=game.now, stamp=game.now,
        stream="tombola-" + "7" * 32, version=game.state.version,
    )  # fmt: skip
    decided = TOMBOLA.decide(game.state, SetCalling("AUTOMATIC", seconds), context)
    assert decided == Rejection(RefusalCode.INVALID_SETTING, "every_seconds")


def test_changes_while_paused_stay_paused() -> None:
    game = seated(calling="AUTOMATIC")
    game.play(game.state.host, PauseCalling())
    game.play(game.state.host, SetCalling("AUTOMATIC", 4))
    assert next_call(game) is None
    game.play(game.state.host, ResumeCalling())
    assert next_call(game) == 4_000


# ---------------------------------------------------------------- the host's connection


def test_party_C27_the_calls_pause_when_the_host_is_gone_until_he_resumes_them() -> None:
    game = seated(calling="AUTOMATIC", everySeconds=8)
    host = game.state.host
    call(game)
    game.now += 2_000
    assert game.house(HostAway(host)) == [CallingPaused(game.now, "HOST_DISCONNECTED")]
    due = game.state.call_version
    game.now += 60_000
    assert game.house(CallNumber(due)) == [], "no draw in a minute"
    assert game.view().paused == "HOST_DISCONNECTED", "and his coming back changes nothing: nobody tells of it"
    game.play(host, ResumeCalling())
    assert next_call(game) == 8_000
    call(game)
    assert len(game.state.called) == 2


def test_when_somebody_else_goes_the_calls_go_on() -> None:
    game = seated(calling="AUTOMATIC")
    assert game.house(HostAway(game.state.seats[1].player)) == []  # type: ignore[arg-type]
    assert next_call(game) == 8_000


def test_a_host_who_calls_himself_may_go_and_come_back() -> None:
    game = table(drawn=2)
    assert game.house(HostAway(A)) == []
    game.draw()


def test_a_pause_of_the_hosts_own_stays_his_own() -> None:
    game = seated(calling="AUTOMATIC")
    game.play(game.state.host, PauseCalling())
    assert game.house(HostAway(game.state.host)) == []
    assert game.view().paused == "HOST"


def test_the_new_host_calls_and_the_old_one_does_not() -> None:
    game = table(drawn=2)
    assert game.house(ChangeHost(False, C)) == [CallerChanged(game.now, C)]
    assert game.play(A, DrawNumber()) is RefusalCode.NOT_HOST
    game.draw()
    assert (game.view().host, len(game.state.called)) == (C, 3)
    assert game.house(ChangeHost(False, C)) == []


def test_a_host_without_a_ticket_calls_too() -> None:
    game = table()
    game.house(ChangeHost(False, "9" * 32))
    game.draw()
    assert game.play("9" * 32, ClaimPrize("AMBO")) is RefusalCode.NO_TICKET


def test_a_new_host_who_is_not_there_pauses_the_calls() -> None:
    game = seated(calling="AUTOMATIC")
    other = game.state.seats[1].player
    assert game.house(ChangeHost(True, other)) == [  # type: ignore[arg-type]
        CallerChanged(game.now, other),  # type: ignore[arg-type]
        CallingPaused(game.now, "HOST_DISCONNECTED"),
    ]
    manual = table()
    assert manual.house(ChangeHost(True, B)) == [CallerChanged(manual.now, B)]


# ---------------------------------------------------------------- the end


def test_the_host_ends_it_for_everybody() -> None:
    game = seated(calling="AUTOMATIC")
    game.house(StopMatch())
    assert TOMBOLA.deadlines(game.state) == {}
    assert game.view().result.outcome == "STOPPED"  # type: ignore[union-attr]
    for command in (StopMatch(), HostAway(game.state.host), ChangeHost(True, B), CallNumber(1), IdleTimeout(1)):
        assert game.house(command) == []
    for by_host in (DrawNumber(), PauseCalling(), ResumeCalling(), SetCalling("MANUAL")):
        assert game.play(game.state.host, by_host) is RefusalCode.GAME_NOT_RUNNING


def test_after_a_day_without_anybodys_doing_it_ends_and_the_clocks_calls_are_nobodys() -> None:
    game = seated(2, calling="AUTOMATIC", everySeconds=30)
    for _ in range(90):
        call(game)
    idle = TOMBOLA.deadlines(game.state)["idle"]
    assert idle.due_at == game.state.started_at + IDLE_MS + IDLE_GRAIN_MS
    assert game.house(IdleTimeout(idle.version)) == []
    game.now = idle.due_at
    done = game.house(IdleTimeout(idle.version))
    assert isinstance(done[0], MatchEnded)
    assert done[0].outcome == "IDLE"


def test_what_people_do_begins_the_day_anew_at_most_once_a_minute() -> None:
    game = table()
    first = TOMBOLA.deadlines(game.state)["idle"]
    game.draw()
    assert TOMBOLA.deadlines(game.state)["idle"] == first
    game.now += IDLE_GRAIN_MS
    game.draw()
    later = TOMBOLA.deadlines(game.state)["idle"]
    assert later.due_at == game.now + IDLE_MS + IDLE_GRAIN_MS
    game.now += IDLE_GRAIN_MS
    game.play(A, PauseCalling())
    assert TOMBOLA.deadlines(game.state)["idle"].due_at > later.due_at
