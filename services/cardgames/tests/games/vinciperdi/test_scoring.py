from __future__ import annotations

from itertools import pairwise

import pytest
from circolo_cardgames.games.deal import NOBODY, Deal
from circolo_cardgames.games.vinciperdi.rules import Vinciperdi
from circolo_cardgames.games.vinciperdi.scoring import penalties, standing
from circolo_contracts.cardgames import Category, DealScore
from circolo_contracts.cards import DECK, Card
from hypothesis import given
from hypothesis import strategies as st

RULES = Vinciperdi()
WORTH = {1: 3, 2: 1, 3: 1, 8: 1, 9: 1, 10: 1}


def shared_out(thirds: tuple[int, ...], last: int) -> Deal:
    """Piles of so many thirds, of all the cards of the deck."""
    left = sorted(DECK, key=lambda card: -WORTH.get(int(card[:-1]), 0))
    piles: list[tuple[Card, ...]] = []
    pile: list[Card]
    for share in thirds:
        wanted, pile = share, []
        for card in left:
            value = WORTH.get(int(card[:-1]), 0)
            if 0 < value <= wanted:
                pile.append(card)
                wanted -= value
        assert wanted == 0
        left = [card for card in left if card not in pile]
        piles.append(tuple(pile))
    piles[last] += tuple(left)
    return Deal(hands=((),) * len(thirds), piles=tuple(piles), turn=NOBODY, last_trick_winner=last, tricks_taken=10)


@pytest.mark.parametrize(
    ("thirds", "last", "points"),
    [
        pytest.param((20, 7, 3, 2), 1, (6, 4, 1, 0), id="cards_V1-remainders-go-with-the-last-trick"),
        pytest.param((2, 1, 0, 29), 3, (11, 11, 11, 0), id="cards_V2-cappotto-although-two-hold-thirds"),
        pytest.param((0, 0, 32, 0), 0, (1, 0, 10, 0), id="cards_V3-all-thirds-without-the-last-trick-are-none"),
        pytest.param((8, 8, 8, 8), 0, (5, 2, 2, 2), id="cards_V4-eleven-less-what-the-others-have"),
        pytest.param((0, 0, 0, 32), 3, (11, 11, 11, 0), id="cards_V5-cappotto"),
        pytest.param((3, 0, 0, 29), 3, (1, 0, 0, 10), id="ten-of-eleven-are-no-cappotto"),
        pytest.param((2, 2, 28), 2, (11, 11, 0), id="cappotto-of-three"),
        pytest.param((10, 11, 11), 2, (3, 3, 5), id="three"),
    ],
)
def test_cards_V_penalties(thirds: tuple[int, ...], last: int, points: tuple[int, ...]) -> None:
    deal = shared_out(thirds, last)
    count = RULES.count(deal, range(len(thirds)))
    assert count.points == points
    assert tuple(sum(each) for each in zip(*(line.points for line in count.sheet), strict=True)) == points
    assert count.sheet[0].amounts == list(thirds)


def test_a_cappotto_is_a_line_of_the_sheet_that_turns_the_eleven_round() -> None:
    sheet = RULES.count(shared_out((2, 1, 0, 29), 3), range(4)).sheet
    assert sheet == (
        Category("CARD_POINTS", [0, 0, 0, 11], [2, 1, 0, 29]),
        Category("CAPPOTTO", [11, 11, 11, -11], [0, 0, 0, 1]),
    )


@given(st.lists(st.integers(0, 32), min_size=2, max_size=3), st.integers(0, 3))
def test_a_deal_without_cappotto_is_eleven_whoever_has_the_last_trick(cuts: list[int], last: int) -> None:
    marks = [0, *sorted(cuts), 32]
    thirds = [after - before for before, after in pairwise(marks)]
    points = penalties(thirds, last % len(thirds))
    assert sum(points) == 11
    assert min(points) >= 0


def test_a_deal_is_won_by_who_alone_has_the_fewest_penalties() -> None:
    assert RULES.count(shared_out((20, 7, 3, 2), 1), range(4)).winner == 3
    assert RULES.count(shared_out((8, 8, 8, 8), 0), range(4)).winner is None
    assert RULES.count(shared_out((2, 1, 0, 29), 3), range(4)).winner == 3


def rows(*deals: tuple[int, ...]) -> list[DealScore]:
    return [DealScore(number, list(points)) for number, points in enumerate(deals, 1)]


def test_the_match_ends_when_somebody_reaches_the_limit_and_the_lowest_total_wins() -> None:
    before = rows((18, 12, 9, 15))
    assert standing(before, 4, 21).outcome is None
    after = standing([*before, *rows((5, 2, 2, 2))], 4, 21)
    assert (after.score, after.outcome, after.winner) == ((23, 14, 11, 17), "WON", 2)


def test_exactly_the_limit_ends_it_and_one_less_does_not() -> None:
    assert standing(rows((21, 3, 4, 5)), 4, 21).winner == 1
    assert standing(rows((20, 3, 4, 5)), 4, 21).outcome is None
    assert standing(rows((21, 3, 4, 5)), 4, 31).outcome is None


def test_when_two_are_lowest_another_deal_is_played() -> None:
    level = rows((21, 4, 4, 5))
    assert standing(level, 4, 21).outcome is None
    assert standing([*level, *rows((0, 3, 2, 6))], 4, 21).winner == 2
    assert standing(rows((22, 11, 11)), 3, 21).outcome is None


def test_nobody_has_anything_before_the_first_deal() -> None:
    assert standing([], 3, 21).score == (0, 0, 0)
