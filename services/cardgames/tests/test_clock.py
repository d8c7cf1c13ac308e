"""The clock of a turn, a CPU's turn, 24 hours without a card: deadlines are data, the decider has the last word."""

from __future__ import annotations

from collections.abc import Callable

from circolo_cardgames.rehearsal import SERVICE, START, Rehearsal
from circolo_cardgames.state import IDLE_GRAIN_MS, IDLE_MS
from circolo_contracts.cardgames import CardPlayed, IdleTimeout, MatchEnded, PlayCard, TurnTimeout
from circolo_contracts.cards import Card
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import Deadline, Rejection
from msgspec import UNSET

Sit = Callable[..., Rehearsal]


def armed(table: Rehearsal) -> dict[str, Deadline]:
    return dict(table.match.deadlines(table.state))


def at(table: Rehearsal, now: int) -> Rehearsal:
    """The next command comes at this time."""
    table.now = now - 1000
    return table


def hand(table: Rehearsal) -> tuple[Card, ...]:
    return table.state.on_turn().hands[table.state.turn]


def test_without_a_clock_play_waits(sit: Sit) -> None:
    table = sit(2)
    assert set(armed(table)) == {"idle"}
    assert table.view(table.state.turn).deadline is UNSET


def test_the_turn_is_closed_150_ms_after_the_time_that_everybody_sees(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    due = table.now + 30_000
    assert table.view(0).deadline == due
    assert armed(table)["turn"] == Deadline(due + 150, table.state.turn_version)


def test_each_turn_has_its_own_time(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    first = armed(table)["turn"]
    at(table, table.now + 12_000).play(hand(table)[0])
    second = armed(table)["turn"]
    assert second.due_at == table.now + 30_150
    assert second.version == table.state.version > first.version


def test_a_card_sent_in_time_counts_until_the_turn_is_closed(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    due = table.state.turn_due
    assert due is not None
    at(table, due + 100_000)
    decided = table.do(PlayCard(hand(table)[0]), table.actor(table.state.turn), stamp=due)
    assert not isinstance(decided, Rejection)


def test_a_card_sent_too_late_is_late_even_if_nobody_has_closed_the_turn(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    due = table.state.turn_due
    assert due is not None
    at(table, due + 1)
    decided = table.do(PlayCard(hand(table)[0]), table.actor(table.state.turn))
    assert isinstance(decided, Rejection)
    assert decided.code is RefusalCode.LATE


def test_a_stamp_from_before_the_turn_counts_as_its_opening(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    decided = at(table, table.now + 5_000).do(PlayCard(hand(table)[0]), table.actor(table.state.turn), stamp=0)
    assert isinstance(decided, list)
    assert decided[0].at == table.now


def test_when_the_time_is_over_the_clock_plays_a_legal_card(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    seat, cards = table.state.turn, hand(table)
    version = table.state.turn_version
    events = at(table, armed(table)["turn"].due_at).do(TurnTimeout(version), SERVICE)
    assert isinstance(events, list)
    assert isinstance(events[0], CardPlayed)
    assert (events[0].seat, events[0].automatic) == (seat, True)
    assert events[0].card in cards
    assert table.state.turn == 1 - seat


def test_with_the_other_setting_the_slow_player_has_abandoned(sit: Sit) -> None:
    table = sit(4, clockSeconds=30, onTimeout="ABANDON")
    seat = table.state.turn
    ended, _ = at(table, armed(table)["turn"].due_at).do(TurnTimeout(table.state.turn_version), SERVICE)  # type: ignore[misc]
    assert isinstance(ended, MatchEnded)
    assert (ended.outcome, ended.abandoned_by, ended.winner) == ("ABANDONED", seat, 1 - seat % 2)


def test_cards_bug_21_a_time_out_that_comes_after_the_card_does_nothing(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    fired = TurnTimeout(table.state.turn_version)
    at(table, table.state.turn_at + 29_999).play(hand(table)[0])
    before = table.state
    assert at(table, table.now + 40_000).do(fired, SERVICE) == []
    assert table.state is before


def test_a_time_out_before_its_time_or_fired_twice_does_nothing(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    fired = TurnTimeout(table.state.turn_version)
    due = table.state.turn_due
    assert due is not None
    assert at(table, due).do(fired, SERVICE) == []
    assert at(table, due + 150).do(fired, SERVICE) != []
    assert at(table, due + 150).do(fired, SERVICE) == []


def test_backend_C1_no_deadline_outlives_the_match(sit: Sit) -> None:
    table = sit(2, cpus=(1,), clockSeconds=30)
    table.play_on(lambda sight: PlayCard(sight.view.legal_moves[0].card))  # type: ignore[index,union-attr]
    assert armed(table) == {}
    for version in range(table.state.version + 1):
        assert at(table, table.now + 10 * IDLE_MS).do(TurnTimeout(version), SERVICE) == []
        assert table.do(IdleTimeout(version), SERVICE) == []


def test_a_cpu_is_called_at_once_and_has_no_clock(sit: Sit) -> None:
    table = sit(2, cpus=(0,), dealer=1, clockSeconds=30)
    assert armed(table)["cpu"] == Deadline(table.now, table.state.turn_version)
    assert "turn" not in armed(table)
    assert table.view(0).deadline is UNSET
    table.play(hand(table)[0])
    assert "cpu" not in armed(table)
    assert "turn" in armed(table)


def test_a_cpu_that_leads_again_is_called_again(sit: Sit) -> None:
    table = sit(2, cpus=(0, 1))
    versions = []
    while table.state.is_running:
        versions.append(armed(table)["cpu"].version)
        table.play(hand(table)[0])
    assert len(set(versions)) == 40


def test_after_24_hours_without_a_card_the_match_is_over(sit: Sit) -> None:
    table = sit(2)
    idle = armed(table)["idle"]
    assert idle == Deadline(START + 1000 + IDLE_MS + IDLE_GRAIN_MS, 1)
    ended, _ = at(table, idle.due_at).do(IdleTimeout(idle.version), SERVICE)  # type: ignore[misc]
    assert isinstance(ended, MatchEnded)
    assert ended.outcome == "IDLE"


def test_a_card_puts_off_the_end_by_idleness(sit: Sit) -> None:
    table = sit(2)
    first = armed(table)["idle"]
    at(table, table.now + 3_600_000).play(hand(table)[0])
    moved = armed(table)["idle"]
    assert moved == Deadline(table.now + IDLE_MS + IDLE_GRAIN_MS, table.state.version)
    assert at(table, first.due_at).do(IdleTimeout(first.version), SERVICE) == []


def test_quick_cards_do_not_move_the_idle_deadline_but_it_is_never_early(sit: Sit) -> None:
    table = sit(2)
    first = armed(table)["idle"]
    for _ in range(10):
        table.play(hand(table)[0])
        assert armed(table)["idle"] == first
        assert first.due_at >= table.now + IDLE_MS
    at(table, START + 1000 + IDLE_GRAIN_MS).play(hand(table)[0])
    assert armed(table)["idle"] != first


def test_neither_the_clock_nor_a_cpu_keeps_an_empty_table_alive(sit: Sit) -> None:
    table = sit(4, cpus=(1, 2, 3), dealer=3, clockSeconds=300)
    first = armed(table)["idle"]
    at(table, armed(table)["turn"].due_at).do(TurnTimeout(table.state.turn_version), SERVICE)
    at(table, table.now + 2 * IDLE_GRAIN_MS).play(hand(table)[0])
    assert armed(table)["idle"] == first


def test_time_does_not_run_backwards_when_clocks_differ(sit: Sit) -> None:
    table = sit(2, clockSeconds=30)
    opened = table.state.turn_at
    events = at(table, opened - 500).play(hand(table)[0])
    assert isinstance(events[0], CardPlayed)
    assert events[0].at == opened
