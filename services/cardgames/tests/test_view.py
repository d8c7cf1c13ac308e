from __future__ import annotations

from collections.abc import Callable

from circolo_cardgames.match import Match
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight
from circolo_contracts.cardgames import AbandonGame, DealEnded, PlayCard
from circolo_events.decider import PUBLIC, Viewer
from msgspec import UNSET

Sit = Callable[..., Rehearsal]
MATCH = Match()


def first(sight: Sight) -> PlayCard:
    assert sight.view.legal_moves
    return PlayCard(sight.view.legal_moves[0].card)


def test_a_view_goes_to_every_seat_and_to_the_public(sit: Sit) -> None:
    table = sit(4, cpus=(3,))
    assert [v.audience for v in MATCH.audiences(table.state)] == ["seat-0", "seat-1", "seat-2", "seat-3", "public"]


def test_a_seat_sees_its_hand_the_counts_and_the_exposed_trump(sit: Sit) -> None:
    table = sit(4, dealer=0, seed_no=1)
    deal = table.state.on_turn()
    view = table.view(1)
    assert view.hand == list(deal.hands[1])
    assert [seat.hand_count for seat in view.seats] == [3, 3, 3, 3]
    assert [seat.team for seat in view.seats] == [0, 1, 0, 1]
    assert (view.stock_count, view.trump_card, view.trump) == (28, deal.trump_card, deal.trump_card[-1])  # type: ignore[index]
    assert (view.turn, view.dealer, view.seat, view.status) == (1, 0, 1, "RUNNING")
    assert (view.trick, view.table, view.last_trick) == ([], [], UNSET)


def test_only_the_seat_on_turn_is_told_its_legal_moves(sit: Sit) -> None:
    table = sit(2, dealer=1)
    assert [move.card for move in table.view(0).legal_moves] == table.view(0).hand  # type: ignore[union-attr]
    assert table.view(1).legal_moves is UNSET
    table.play_on(first, plays=1)
    assert table.view(0).legal_moves is UNSET
    assert table.view(1).legal_moves is not UNSET


def test_right_after_a_trick_the_table_is_empty_and_the_trick_is_the_last_one(sit: Sit) -> None:
    table = sit(2)
    table.play_on(first, plays=2)
    view = MATCH.view(table.state, PUBLIC)
    assert view.trick == []
    assert view.last_trick is not UNSET
    assert len(view.last_trick) == 2
    assert view.last_trick_winner == view.turn
    assert sorted(seat.pile_count for seat in view.seats) == [0, 2]
    assert (view.stock_count, [seat.hand_count for seat in view.seats]) == (32, [3, 3])


def test_the_points_of_a_running_deal_are_not_shown(sit: Sit) -> None:
    table = sit(2)
    table.play_on(first, plays=38)
    view = MATCH.view(table.state, PUBLIC)
    assert (view.score, view.deals) == ([0, 0], [])


def test_the_score_sheet_of_a_complete_deal_is_shown(sit: Sit) -> None:
    table = sit(2, bestOf=3)
    table.play_on(first, plays=40)
    sheet = next(event for event in table.events if isinstance(event, DealEnded))
    view = MATCH.view(table.state, PUBLIC)
    assert view.deals[0].points == sheet.points
    assert sum(sheet.points) == 120
    assert view.score == sheet.won
    assert view.deal_no == 2


def test_after_the_end_the_view_names_the_result_and_nobody_is_on_turn(sit: Sit) -> None:
    table = sit(2)
    table.do(AbandonGame(), table.actor(0))
    view = table.view(1)
    assert (view.status, view.turn, view.legal_moves, view.deadline) == ("ENDED", UNSET, UNSET, UNSET)
    assert view.result is not UNSET
    assert (view.result.outcome, view.result.abandoned_by, view.result.winner) == ("ABANDONED", 0, 1)
    assert view.hand == list(table.state.on_turn().hands[1])


def test_a_match_is_told_as_its_events_in_order(sit: Sit) -> None:
    table = sit(2, dealer=0, seed_no=3)
    table.play_on(first)
    state, told = MATCH.initial, []
    for event in table.events:
        after = MATCH.evolve(state, event)
        told += MATCH.tell(event, state, after, Viewer.of_seat(0, 0))
        state = after
    kinds = [happening.kind for happening in told]
    assert kinds[:2] == ["MatchStarted", "DealStarted"]
    assert kinds[2:6] == ["CardPlayed", "CardPlayed", "TrickEnded", "CardDrawn"]
    assert kinds[-3:] == ["DealEnded", "MatchEnded", "SeedRevealed"]
    assert (told[1].seat, told[1].card) == (0, table.state.on_turn().trump_card)
    assert [h.at_version for h in told] == sorted(h.at_version for h in told)
    assert told[-1].at_version == table.state.version
