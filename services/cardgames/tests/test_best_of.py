"""More than one game: who deals, who leads, what a tie is worth."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from circolo_cardgames.cpu import choose
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import AbandonGame, DealEnded, DealStarted, MatchEnded, PlayCard, TrickEnded
from circolo_events.decider import Rejection
from msgspec import UNSET

Sit = Callable[..., Rehearsal]


def by_habit(sight: Sight) -> PlayCard:
    view = sight.view
    command = choose(sight, "EASY", f"{view.game_id}{view.version}{view.commitment}")
    assert command is not None
    return command


def deals(table: Rehearsal) -> list[DealStarted]:
    return [event for event in table.events if isinstance(event, DealStarted)]


@pytest.mark.parametrize("best_of", [1, 3, 5])
def test_the_majority_of_the_games_wins_the_match(sit: Sit, best_of: int) -> None:
    for seed_no in range(20):
        table = sit(2, seed_no=seed_no, bestOf=best_of)
        table.play_on(by_habit)
        ended = table.events[-2]
        assert isinstance(ended, MatchEnded)
        if ended.outcome == "WON":
            assert ended.winner is not UNSET
            assert table.state.score[ended.winner] == best_of // 2 + 1
        else:
            assert best_of == 1
            assert table.state.deals[0].points == [60, 60]


def test_cards_bug_44_the_dealer_moves_on_after_every_deal_whoever_won(sit: Sit) -> None:
    table = sit(4, seed_no=4, dealer=2, bestOf=5)
    table.play_on(by_habit)
    assert len(deals(table)) >= 3
    assert [deal.dealer for deal in deals(table)] == [(2 + n) % 4 for n in range(len(deals(table)))]
    ended = table.events[-2]
    assert isinstance(ended, MatchEnded)
    assert ended.last_dealer == deals(table)[-1].dealer


def test_cards_bug_1_the_next_deal_is_led_by_the_dealers_right_not_by_the_last_tricks_winner(sit: Sit) -> None:
    different = 0
    for seed_no in range(10):
        table = sit(2, seed_no=seed_no, bestOf=3)
        table.play_on(by_habit)
        for place, event in enumerate(table.events):
            if isinstance(event, DealStarted):
                assert event.leader == (event.dealer + 1) % 2
                before = table.events[place - 2]
                different += isinstance(before, TrickEnded) and before.winner != event.leader
    assert different > 0


def test_cards_B13_a_tie_in_a_best_of_is_played_again_and_counts_for_nobody(sit: Sit) -> None:
    for seed_no in range(400):
        table = sit(2, seed_no=seed_no, bestOf=3)
        table.play_on(by_habit)
        ties = [e for e in table.events if isinstance(e, DealEnded) and e.winner is UNSET]
        if ties:
            break
    else:
        pytest.fail("no tie in 400 matches")
    assert ties[0].points == [60, 60]
    assert sum(table.state.score) == len(table.state.deals) - len(ties)
    assert [deal.dealer for deal in deals(table)] == [
        (deals(table)[0].dealer + n) % 2 for n in range(len(deals(table)))
    ]
    assert max(table.state.score) == 2


def test_cards_B15_every_card_is_played_also_when_a_side_has_61(sit: Sit) -> None:
    for seed_no in range(5):
        table = sit(2, seed_no=seed_no)
        table.play_on(by_habit)
        assert sum(isinstance(event, TrickEnded) for event in table.events) == 20


def test_cards_B16_worthless_last_cards_are_played_although_all_120_points_are_made(sit: Sit) -> None:
    """The match does not look at the points until every hand is empty."""
    made_early = 0
    for seed_no in range(60):
        table = sit(2, seed_no=seed_no)
        table.play_on(by_habit)
        tricks = [event for event in table.events if isinstance(event, TrickEnded)]
        assert len(tricks) == 20
        made_early += tricks[-1].points == 0
    assert made_early > 0


def test_cards_bug_9_the_deal_goes_on_while_the_follower_has_a_card(sit: Sit) -> None:
    table = sit(2)
    table.play_on(by_habit, plays=39)
    assert sorted(len(hand) for hand in table.state.on_turn().hands) == [0, 1]
    assert table.state.is_running
    assert not any(isinstance(event, DealEnded) for event in table.events)


def test_cards_bug_17_leaving_after_the_last_card_changes_nothing(sit: Sit) -> None:
    """The last card, the score and the end are one append: there is no moment in between."""
    table = sit(2)
    table.play_on(by_habit)
    result = table.state.result
    assert isinstance(table.do(AbandonGame(), table.actor(0)), Rejection)
    assert table.state.result is result
    assert sum(isinstance(event, MatchEnded) for event in table.events) == 1


def test_cards_bug_35_every_deal_has_its_own_shuffle(sit: Sit) -> None:
    table = sit(2, seed_no=1, bestOf=5)
    table.play_on(by_habit)
    assert [deal.shuffle_no for deal in deals(table)] == list(range(1, len(deals(table)) + 1))
    assert len({tuple(deal.deck) for deal in deals(table)}) == len(deals(table))


def test_the_last_trick_of_a_deal_can_still_be_seen_when_the_next_is_dealt(sit: Sit) -> None:
    table = sit(2, bestOf=3)
    while table.state.deal_no == 1:
        trick = [*table.state.on_turn().trick]
        table.play_on(by_habit, plays=1)
    view = table.view(0)
    assert view.last_trick is not UNSET
    assert [played.card for played in view.last_trick[:-1]] == [played.card for played in trick]
    assert [seat.pile_count for seat in view.seats] == [0, 0]
