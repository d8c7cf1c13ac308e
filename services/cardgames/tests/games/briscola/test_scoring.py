from __future__ import annotations

import pytest
from circolo_cardgames.games.briscola.scoring import points_by_team, standing, winner
from circolo_contracts.cardgames import DealScore
from circolo_contracts.cards import Card
from msgspec import UNSET

FIRST = DealScore(1, [61, 59], 0)
SECOND = DealScore(1, [59, 61], 1)
TIE = DealScore(1, [60, 60])


@pytest.mark.parametrize(("points", "team"), [((61, 59), 0), ((60, 60), None), ((120, 0), 0), ((0, 120), 1)])
def test_cards_B13_61_win_and_60_each_is_a_tie(points: tuple[int, int], team: int | None) -> None:
    assert winner(points) == team


def test_cards_B17_partners_count_together() -> None:
    seat_0 = tuple(map(Card, ["1D", "1C", "8D", "8C", "8S", "9D"]))
    seat_2 = tuple(map(Card, ["3D", "3C", "3S"]))
    piles = [seat_0, (), seat_2, ()]
    assert points_by_team(piles, (0, 1, 0, 1)) == (31 + 30, 0)
    assert winner(points_by_team(piles, (0, 1, 0, 1))) == 0


def test_a_single_game_ends_with_its_first_deal() -> None:
    assert standing([FIRST], 2, 1).winner == 0
    assert standing([TIE], 2, 1).outcome == "TIED"
    assert standing([TIE], 2, 1).winner is None


def test_best_of_three_is_won_by_two_games_and_a_tie_counts_for_nobody() -> None:
    assert standing([FIRST], 2, 3).outcome is None
    assert standing([FIRST, TIE], 2, 3).outcome is None
    assert standing([FIRST, TIE, SECOND], 2, 3).score == (1, 1)
    assert standing([FIRST, TIE, SECOND, TIE, SECOND], 2, 3).winner == 1
    assert standing([FIRST, FIRST], 2, 3).outcome == "WON"
    assert TIE.winner is UNSET


def test_best_of_five_is_won_by_three_games() -> None:
    assert standing([FIRST, FIRST, SECOND, SECOND], 2, 5).outcome is None
    assert standing([FIRST, FIRST, SECOND, SECOND, FIRST], 2, 5).winner == 0
    assert standing([SECOND] * 3, 2, 5).winner == 1
