"""Who may play which card when: refusals leave no event, in the order of the house."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_contracts.cardgames import AbandonGame, CardPlayed, MatchEnded, PlayCard, StopMatch, TrickEnded
from circolo_contracts.cards import Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor
from circolo_events.decider import Rejection

Sit = Callable[..., Rehearsal]
STRANGER = Actor("player", "f" * 32)


def refused(table: Rehearsal, command: object, actor: Actor, **how: int) -> RefusalCode:
    """The code; asserts that the table has not changed."""
    before = table.state
    decided = table.do(command, actor, **how)  # type: ignore[arg-type]
    assert isinstance(decided, Rejection), decided
    assert table.state is before
    return decided.code


def hand(table: Rehearsal, seat: int) -> tuple[Card, ...]:
    return table.state.on_turn().hands[seat]


def test_a_card_is_played_and_the_next_seat_is_on_turn(sit: Sit) -> None:
    table = sit(4, dealer=3)
    card = hand(table, 0)[1]
    assert table.play(card) == [CardPlayed(table.now, card, 0)]
    assert table.state.turn == 1
    assert card not in hand(table, 0)


def test_the_last_card_of_a_trick_brings_its_end_in_the_same_breath(sit: Sit) -> None:
    table = sit(2, dealer=1)
    table.play(hand(table, 0)[0])
    played, ended = table.play(hand(table, 1)[0])
    assert isinstance(played, CardPlayed)
    assert isinstance(ended, TrickEnded)
    assert table.state.turn == ended.winner


def test_who_does_not_sit_here_may_not_play(sit: Sit) -> None:
    table = sit(2, dealer=1)
    card = hand(table, 0)[0]
    assert refused(table, PlayCard(card), STRANGER) is RefusalCode.NOT_IN_GAME
    assert refused(table, PlayCard(card), Actor("player", "")) is RefusalCode.NOT_IN_GAME
    assert refused(table, PlayCard(card), SERVICE) is RefusalCode.NOT_IN_GAME


def test_a_cpu_command_for_a_persons_seat_is_not_in_the_game(sit: Sit) -> None:
    table = sit(2, cpus=(1,), dealer=1)
    card = hand(table, 0)[0]
    for seat in ("0", "2", "-1", "00", "x", "", "\u0661"):
        assert refused(table, PlayCard(card), Actor("cpu", seat)) is RefusalCode.NOT_IN_GAME


def test_nobody_plays_for_a_cpu(sit: Sit) -> None:
    table = sit(2, cpus=(0,), dealer=1)
    card = hand(table, 0)[0]
    assert refused(table, PlayCard(card), Actor("player", "0")) is RefusalCode.NOT_IN_GAME
    assert refused(table, PlayCard(card), table.actor(1)) is RefusalCode.NOT_YOUR_TURN
    table.do(PlayCard(card), Actor("cpu", "0"))
    assert table.state.turn == 1


def test_another_ones_turn_and_another_ones_card(sit: Sit) -> None:
    table = sit(2, dealer=1)
    assert refused(table, PlayCard(hand(table, 1)[0]), table.actor(1)) is RefusalCode.NOT_YOUR_TURN
    assert refused(table, PlayCard(hand(table, 1)[0]), table.actor(0)) is RefusalCode.CARD_NOT_IN_HAND


@pytest.mark.parametrize("card", ["", "11D", "1X", "7d", "0D", "🂡", "1D "])
def test_cards_bug_20_what_is_no_card_is_in_nobodys_hand(sit: Sit, card: str) -> None:
    table = sit(2, dealer=1)
    assert refused(table, PlayCard(Card(card)), table.actor(0)) is RefusalCode.CARD_NOT_IN_HAND


def test_a_card_cannot_be_played_twice(sit: Sit) -> None:
    table = sit(2, dealer=1)
    card = hand(table, 0)[0]
    table.play(card)
    table.play(hand(table, 1)[0])
    while table.state.turn != 0:
        table.play(hand(table, 1)[0])
        table.play(hand(table, 0)[-1])
    assert refused(table, PlayCard(card), table.actor(0)) is RefusalCode.CARD_NOT_IN_HAND


def test_briscola_has_no_captures(sit: Sit) -> None:
    table = sit(2, dealer=1)
    command = PlayCard(hand(table, 0)[0], [hand(table, 1)[0]])
    assert refused(table, command, table.actor(0)) is RefusalCode.ILLEGAL_CAPTURE


def test_a_move_is_stale_only_when_the_turn_has_moved_since(sit: Sit) -> None:
    table = sit(4, dealer=3)
    opened = table.state.turn_version
    first, second = hand(table, 0)[:2]
    assert refused(table, PlayCard(first), table.actor(0), expected=opened - 1) is RefusalCode.STALE_VERSION
    table.do(PlayCard(first), table.actor(0), expected=opened)
    assert refused(table, PlayCard(second), table.actor(0), expected=opened) is RefusalCode.STALE_VERSION
    assert refused(table, PlayCard(second), table.actor(0)) is RefusalCode.NOT_YOUR_TURN
    assert refused(table, PlayCard(second), table.actor(0), expected=table.state.version) is RefusalCode.NOT_YOUR_TURN


def test_cards_bug_18_two_cards_in_one_burst_and_only_one_is_played(sit: Sit) -> None:
    table = sit(2, dealer=1)
    seen = table.state.version
    mine = hand(table, 0)
    assert not isinstance(table.do(PlayCard(mine[0]), table.actor(0), expected=seen), Rejection)
    assert isinstance(table.do(PlayCard(mine[1]), table.actor(0), expected=seen), Rejection)
    assert isinstance(table.do(PlayCard(mine[1]), table.actor(0)), Rejection)
    assert len(hand(table, 0)) == 2


def test_refusals_come_in_the_order_of_the_house(sit: Sit) -> None:
    """Not in this game, not running, stale, not your turn, late, card not in hand: the first that holds is said."""
    table = sit(2, dealer=1, clockSeconds=10)
    nobodys = PlayCard(Card("0X"))
    table.play(hand(table, 0)[0])
    table.now += 60_000
    assert refused(table, nobodys, STRANGER, expected=0) is RefusalCode.NOT_IN_GAME
    assert refused(table, nobodys, table.actor(0), expected=0) is RefusalCode.STALE_VERSION
    assert refused(table, nobodys, table.actor(0)) is RefusalCode.NOT_YOUR_TURN
    assert refused(table, nobodys, table.actor(1)) is RefusalCode.LATE
    table.now -= 60_000
    assert refused(table, nobodys, table.actor(1)) is RefusalCode.CARD_NOT_IN_HAND
    table.do(StopMatch(), SERVICE)
    assert refused(table, nobodys, STRANGER, expected=0) is RefusalCode.NOT_IN_GAME
    assert refused(table, nobodys, table.actor(1), expected=0) is RefusalCode.GAME_NOT_RUNNING


def test_after_the_end_no_command_leaves_an_event(sit: Sit) -> None:
    table = sit(2)
    table.play_on(lambda sight: PlayCard(sight.view.legal_moves[0].card))  # type: ignore[index,union-attr]
    assert isinstance(table.events[-2], MatchEnded)
    assert refused(table, PlayCard(Card("1D")), table.actor(0)) is RefusalCode.GAME_NOT_RUNNING
    assert refused(table, AbandonGame(), table.actor(0)) is RefusalCode.GAME_NOT_RUNNING
    assert table.do(StopMatch(), SERVICE) == []


def test_leaving_ends_the_match_and_the_other_side_wins(sit: Sit) -> None:
    table = sit(4)
    ended, revealed = table.do(AbandonGame(), table.actor(2))  # type: ignore[misc]
    assert isinstance(ended, MatchEnded)
    assert (ended.outcome, ended.abandoned_by, ended.winner) == ("ABANDONED", 2, 1)
    assert revealed.seed == table.state.seed
    assert refused(table, AbandonGame(), table.actor(1)) is RefusalCode.GAME_NOT_RUNNING


def test_only_a_person_at_the_table_may_leave_it(sit: Sit) -> None:
    table = sit(2, cpus=(1,))
    for actor in (STRANGER, Actor("cpu", "1"), Actor("cpu", "0"), SERVICE):
        assert refused(table, AbandonGame(), actor) is RefusalCode.NOT_IN_GAME


def test_the_host_stops_the_match_without_a_winner(sit: Sit) -> None:
    table = sit(2)
    ended, _ = table.do(StopMatch(), SERVICE)  # type: ignore[misc]
    assert isinstance(ended, MatchEnded)
    assert (ended.outcome, ended.room, ended.last_dealer) == ("STOPPED", "b" * 32, table.state.dealer)
    assert "winner" not in repr(ended) or ended.winner is not None


def test_backend_E1_an_illegal_command_does_not_touch_the_next_games_turn(sit: Sit) -> None:
    table = sit(2, dealer=0, bestOf=3)
    refused(table, PlayCard(hand(table, 0)[0]), table.actor(0))
    refused(table, PlayCard(Card("0X")), table.actor(1))
    table.do(AbandonGame(), table.actor(1))
    rematch = sit(2, dealer=(table.state.dealer + 1) % 2, game_no=2)
    assert rematch.state.turn == 0
    refused(rematch, PlayCard(hand(rematch, 1)[0]), rematch.actor(1))
    assert rematch.state.turn == 0
    rematch.play(hand(rematch, 0)[0])
    assert rematch.state.turn == 1
