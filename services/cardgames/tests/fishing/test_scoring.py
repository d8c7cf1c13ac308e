"""The score sheet and the end of a match. "primieraMissingSuit=zero" is no setting of the house: it is not built."""

from __future__ import annotations

import pytest
from circolo_cardgames.fishing import scoring
from circolo_cardgames.fishing.rules import Fishing
from circolo_contracts.cardgames import Category, DealScore
from circolo_contracts.cards import DECK, Card
from hypothesis import given
from hypothesis import strategies as st


def cards(text: str) -> tuple[Card, ...]:
    return tuple(Card(card) for card in text.split())


def lines(*piles: str, sweeps: tuple[str, ...] = ("", "", "", "")) -> dict[str, Category]:
    teams = tuple(seat % 2 for seat in range(len(piles)))
    sheet = scoring.sheet([cards(pile) for pile in piles], [cards(made) for made in sweeps[: len(piles)]], teams)
    return {line.name: line for line in sheet}


def primiera(*piles: str) -> tuple[list[int], list[int]]:
    line = lines(*piles)["PRIMIERA"]
    assert isinstance(line.amounts, list)
    return line.amounts, line.points


def sheet_of(mine: str, sweeps: tuple[str, str] = ("", "")) -> dict[str, Category]:
    """One side has these cards, the other all the rest."""
    return lines(mine, " ".join(card for card in DECK if card not in cards(mine)), sweeps=sweeps)


def test_cards_P1_three_sevens_lose_against_three_sixes_and_a_seven() -> None:
    assert primiera("7D 7C 7S 10B", "6D 6C 6S 7B") == ([73, 75], [0, 1])


def test_cards_P2_two_sevens_and_two_aces_lose_against_two_sixes_and_two_sevens() -> None:
    assert primiera("7D 7C 1S 1B", "6D 6C 7S 7B") == ([74, 78], [0, 1])


def test_cards_P3_an_equal_primiera_is_nobodys() -> None:
    assert primiera("7D 7C 6S 2B", "6D 6C 7S 5B") == ([72, 72], [0, 0])


def test_cards_P5_three_sevens_without_the_fourth_suit_lose_against_the_lowest_primiera() -> None:
    assert primiera("7D 7C 7S", "10D 10C 10S 7B") == ([0, 51], [0, 1])


def test_cards_P6_when_both_lack_a_suit_nobody_has_the_primiera() -> None:
    assert primiera("7D 7C 7B", "7S 6C 6B") == ([0, 0], [0, 0])


def test_cards_P9_four_sevens_are_the_highest_primiera_and_four_figures_the_lowest() -> None:
    assert scoring.primiera(cards("7D 7C 7S 7B 6D")) == 84
    assert scoring.primiera(cards("8D 9C 10S 8B")) == 40


def test_cards_P10_partners_make_one_primiera() -> None:
    assert primiera("7D 7C", "10D", "7S 6B", "10C") == ([81, 0], [1, 0])


def test_the_scale_of_the_primiera() -> None:
    assert [scoring.PRIMIERA[rank] for rank in (7, 6, 1, 5, 4, 3, 2, 8, 9, 10)] == [
        21,
        18,
        16,
        15,
        14,
        13,
        12,
        10,
        10,
        10,
    ]


@pytest.mark.parametrize(("mine", "points"), [(21, [1, 0]), (20, [0, 0]), (19, [0, 1])])
def test_cards_C1_C2_most_cards_are_a_point_and_twenty_each_are_nobodys(mine: int, points: list[int]) -> None:
    line = lines(" ".join(DECK[:mine]), " ".join(DECK[mine:]))["CARDS"]
    assert (line.amounts, line.points) == ([mine, 40 - mine], points)


@pytest.mark.parametrize(("mine", "points"), [(6, [1, 0]), (5, [0, 0]), (4, [0, 1])])
def test_cards_C3_C4_most_coins_are_a_point_and_five_each_are_nobodys(mine: int, points: list[int]) -> None:
    line = lines(" ".join(DECK[:mine]), " ".join(DECK[mine:10]))["COINS"]
    assert (line.amounts, line.points) == ([mine, 10 - mine], points)


def test_the_settebello_is_a_point() -> None:
    assert lines("7C", "7D")["SETTEBELLO"] == Category("SETTEBELLO", [0, 1], [0, 1])


def test_cards_C5_three_to_two() -> None:
    mine = "7D 1D 5D 4D 3D 7C 6C 1C 5C 4C 3C 8C 9C 10C 6S 1S 5S 4S 2B 8B 9B 10B"
    sheet = sheet_of(mine, ("7C", "7S 6B"))
    assert list(sheet.values()) == [
        Category("CARDS", [1, 0], [22, 18]),
        Category("COINS", [0, 0], [5, 5]),
        Category("SETTEBELLO", [1, 0], [1, 0]),
        Category("PRIMIERA", [0, 0], [72, 72]),
        Category("SWEEPS", [1, 2], [1, 2]),
    ]
    assert scoring.total(list(sheet.values())) == (3, 2)


def test_cards_C6_two_all() -> None:
    sheet = sheet_of("6D 1D 5D 4D 3D 2D 7C 7S 6S 1S 5S 4S 5B 4B 3B 2B 8B 9B")
    assert list(sheet.values()) == [
        Category("CARDS", [0, 1], [18, 22]),
        Category("COINS", [1, 0], [6, 4]),
        Category("SETTEBELLO", [0, 1], [0, 1]),
        Category("PRIMIERA", [1, 0], [75, 73]),
        Category("SWEEPS", [0, 0], [0, 0]),
    ]
    assert scoring.total(list(sheet.values())) == (2, 2)


@given(st.permutations(DECK), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_partners_are_counted_as_one_pile_and_no_point_is_given_twice(
    deck: list[Card], one: int, two: int, three: int
) -> None:
    first, second, third = sorted((one, two, three))
    piles = [deck[:first], deck[first:second], deck[second:third], deck[third:]]
    nothing: list[tuple[Card, ...]] = [()] * 4
    apart = scoring.sheet(piles, nothing, (0, 1, 0, 1))
    together = scoring.sheet([piles[0] + piles[2], piles[1] + piles[3]], nothing[:2], (0, 1))
    assert apart == together
    assert all(sum(line.points) <= 1 for line in apart)
    amounts = {line.name: line.amounts for line in apart}
    assert sum(amounts["CARDS"] or []) == 40
    assert sum(amounts["COINS"] or []) == 10
    assert sum(amounts["SETTEBELLO"] or []) == 1


def standing(*deals: tuple[int, int], target: int = 11) -> tuple[tuple[int, ...], int | None]:
    scores = [DealScore(number, list(points)) for number, points in enumerate(deals, 1)]
    now = Fishing(target).standing(scores, 2)
    assert now.outcome == (None if now.winner is None else "WON")
    return now.score, now.winner


def test_cards_M1_twelve_to_eleven_wins() -> None:
    assert standing((10, 10), (2, 1)) == ((12, 11), 0)


def test_cards_M2_M3_M4_level_beyond_the_target_another_deal_is_played_until_one_is_ahead() -> None:
    deals = [(10, 9), (1, 2)]
    assert standing(*deals) == ((11, 11), None)
    deals.append((2, 2))
    assert standing(*deals) == ((13, 13), None)
    deals.append((1, 3))
    assert standing(*deals) == ((14, 16), 1)


def test_cards_M5_eleven_to_ten_ends_the_match() -> None:
    assert standing((11, 10)) == ((11, 10), 0)
    assert standing((10, 11)) == ((10, 11), 1)
    assert standing((10, 10)) == ((10, 10), None)


@pytest.mark.parametrize("target", [11, 16, 21])
def test_nobody_has_won_below_the_target(target: int) -> None:
    assert standing((target - 1, 0), target=target)[1] is None
    assert standing((target, 0), target=target)[1] == 0
