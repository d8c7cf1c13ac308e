from __future__ import annotations

import pytest
from circolo_cardgames.games.deal import NOBODY, Deal
from circolo_cardgames.games.tressette.rules import Tressette
from circolo_cardgames.games.tressette.scoring import points_of
from circolo_contracts.cardgames import Category, DealScore, Declaration, Declarer
from circolo_contracts.cards import DECK, Card
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

TWO, FOUR = (0, 1), (0, 1, 0, 1)
RULES, PLAIN = Tressette(), Tressette(21, declarations=False)


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def played(*piles: str, last: int) -> Deal:
    return Deal(
        hands=((),) * len(piles), piles=tuple(map(cards, piles)), turn=NOBODY, last_trick_winner=last, tricks_taken=10
    )  # fmt: skip


def worth(thirds: int) -> list[Card]:
    """A pile of that many thirds, out of the whole deck."""
    pile: list[Card] = []
    for card in (*cards("1D 1C 1S 1B"), *(card for card in DECK if card[:-1] in ("2", "3", "8", "9", "10"))):
        value = 3 if card[:-1] == "1" else 1
        if value <= thirds:
            pile.append(card)
            thirds -= value
    assert thirds == 0
    return pile


def split(thirds: int, *, last: int) -> Deal:
    """Seat 0 has so many thirds, seat 1 all the rest."""
    mine = worth(thirds)
    rest = " ".join(card for card in DECK if card not in mine)
    return played(" ".join(mine), rest, last=last)


@pytest.mark.parametrize(("thirds", "last", "points"), [(17, 0, (6, 5)), (16, 0, (6, 5)), (16, 1, (5, 6))])
def test_cards_T11_T12_the_last_trick_is_three_thirds_for_its_winner(
    thirds: int, last: int, points: tuple[int, int]
) -> None:
    assert PLAIN.count(split(thirds, last=last), TWO).points == points


def test_cards_T13_the_last_trick_counts_for_who_won_it_and_not_for_who_won_most() -> None:
    assert PLAIN.count(split(30, last=1), TWO).points == (10, 1)
    assert PLAIN.count(split(30, last=0), TWO).points == (11, 0)


def test_cards_T14_the_sheet_names_points_and_thirds_with_the_last_trick() -> None:
    assert PLAIN.count(split(17, last=0), TWO).sheet == (Category("CARD_POINTS", [6, 5], [20, 15]),)


def test_cards_T15_partners_thirds_are_added_before_they_are_divided() -> None:
    eight_thirds = "1D 1C 2D 2C"
    rest = [card for card in DECK if card not in cards(f"{eight_thirds} 1S 1B 2S 2B")]
    deal = played(eight_thirds, " ".join(rest), "1S 1B 2S 2B", "", last=1)
    assert PLAIN.count(deal, FOUR).points == (16 // 3, 19 // 3)


def test_cards_T16_however_the_thirds_fall_ten_points_come_out_of_them() -> None:
    for mine in range(33):
        assert sum(points_of([mine, 32 - mine])) == 10


@given(st.integers(0, 32), st.integers(0, 1))
def test_every_deal_is_worth_eleven(thirds: int, last: int) -> None:
    count = PLAIN.count(split(thirds, last=last), TWO)
    assert sum(count.points) == 11
    assert count.winner == count.points.index(max(count.points))


def test_all_eleven_points_are_a_cappotto_and_bring_nothing_more() -> None:
    count = PLAIN.count(split(32, last=0), TWO)
    assert count.points == (11, 0)
    assert count.sheet[-1] == Category("CAPPOTTO", [0, 0], [1, 0])


def test_a_cappotto_does_not_need_every_trick() -> None:
    count = PLAIN.count(split(30, last=0), TWO)
    assert count.sheet == (Category("CARD_POINTS", [11, 0], [33, 2]), Category("CAPPOTTO", [0, 0], [1, 0]))


def test_all_thirds_without_the_last_trick_are_no_cappotto() -> None:
    assert [line.name for line in PLAIN.count(split(32, last=1), TWO).sheet] == ["CARD_POINTS"]


def test_cards_T25_declarations_are_whole_points_beside_the_eleven() -> None:
    napoletana = Declarer(Declaration("NAPOLETANA", 3, suit="D"), 1)
    count = RULES.count(replace(split(17, last=0), declared=(napoletana,)), TWO)
    assert count.points == (6, 8)
    assert count.winner == 1
    assert count.sheet == (Category("CARD_POINTS", [6, 5], [20, 15]), Category("DECLARATIONS", [0, 3]))


def test_a_deal_that_declarations_make_level_has_no_winner() -> None:
    buongioco = Declarer(Declaration("BUONGIOCO", 3, 3, "B"), 1)
    level = replace(split(18, last=0), declared=(buongioco,))
    assert RULES.count(level, TWO).points == (7, 7)
    assert RULES.count(level, TWO).winner is None


def rows(*deals: tuple[int, int]) -> list[DealScore]:
    return [DealScore(number, list(points)) for number, points in enumerate(deals, 1)]


def test_cards_T27_both_over_the_target_the_higher_wins() -> None:
    assert PLAIN.standing(rows((20, 19), (6, 5)), 2).winner == 0
    assert PLAIN.standing(rows((20, 19), (6, 5)), 2).score == (26, 24)


def test_cards_T27_level_at_the_target_another_deal_is_played() -> None:
    level = rows((16, 15), (5, 6))
    assert PLAIN.standing(level, 2).outcome is None
    assert PLAIN.standing(level, 2).score == (21, 21)
    assert PLAIN.standing([*level, *rows((5, 6))], 2).winner == 1


def test_cards_bug_15_tied_leaders_over_the_target_have_not_both_won() -> None:
    assert PLAIN.standing(rows((25, 25)), 2).outcome is None


def test_one_side_at_the_target_has_won_and_one_short_of_it_has_not() -> None:
    assert PLAIN.standing(rows((21, 12)), 2).outcome == "WON"
    assert PLAIN.standing(rows((20, 12)), 2).outcome is None
    assert PLAIN.standing([], 2).score == (0, 0)
