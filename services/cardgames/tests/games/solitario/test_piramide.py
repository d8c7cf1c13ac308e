from __future__ import annotations

import pytest
from circolo_cardgames.games.solitario.notation import move_from
from circolo_cardgames.games.solitario.piramide import COVERERS, PLACES, Piramide
from circolo_cardgames.games.solitario.position import Position
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import CardsRemoved, MoveCard, RemoveCards, StockTurned, TurnStock, WasteTurned
from msgspec.structs import replace

PIRAMIDE = Piramide()
LAST_ROW = PLACES - 7


def pyramid(*rows: str, stock: str = "", waste: str = "", redeals: int = 2) -> Position:
    """The lower end of a pyramid, whose rows above are gone; ``.`` is an empty place. The top card of the stock comes
    first, that of the waste last."""
    lying = [None if card == "." else Card(card) for row in rows for card in row.split()]
    return Position(
        stock=tuple(map(Card, stock.split())), waste=tuple(map(Card, waste.split())), redeals=redeals,
        pyramid=(None,) * (PLACES - len(lying)) + tuple(lying),
    )  # fmt: skip


def do(position: Position, *moves: str) -> Position:
    for move in moves:
        asked = move_from(move)
        assert PIRAMIDE.refusal(position, asked) is None, move
        position = PIRAMIDE.evolve(position, PIRAMIDE.played(position, asked, 1))
    return position


def refused(position: Position, *cards: str) -> RefusalCode | None:
    return PIRAMIDE.refusal(position, RemoveCards([Card(card) for card in cards]))


BASE = "4D 6C 10S 5C 3D 2D 9B"


def test_a_pyramid_has_seven_rows_and_the_last_one_lies_open() -> None:
    position = PIRAMIDE.deal(DECK, 2)
    assert [len(position.pyramid), len(position.stock), len(position.waste), position.redeals] == [28, 12, 0, 2]
    assert PIRAMIDE.free(position) == PIRAMIDE.opened(DECK) == list(DECK[21:28])
    assert position.stock == DECK[28:]
    assert (COVERERS[0], COVERERS[1], COVERERS[2], COVERERS[20], COVERERS[21]) == ((1, 2), (3, 4), (4, 5), (26, 27), ())
    covered = [coverer for pair in COVERERS for coverer in pair]
    assert sorted(set(covered)) == list(range(1, PLACES)), "each but the top lies on something"


def test_cards_R1_two_free_cards_that_make_ten_are_removed() -> None:
    position = do(pyramid(BASE), "4D+6C")
    assert position.removed == ("4D", "6C")
    assert PIRAMIDE.free(position) == ["10S", "5C", "3D", "2D", "9B"]


def test_cards_R2_a_free_king_is_removed_alone_and_with_nothing_else() -> None:
    position = pyramid(BASE, waste="10D")
    assert do(position, "10S").removed == ("10S",)
    assert do(position, "10D").waste == ()
    for other in ("4D", "5C", "10D"):
        assert refused(position, "10S", other) is RefusalCode.ILLEGAL_MOVE
    assert refused(position, "10S", "10S") is RefusalCode.ILLEGAL_MOVE


def test_cards_R3_four_and_five_make_nine_and_stay() -> None:
    assert refused(pyramid(BASE), "4D", "5C") is RefusalCode.ILLEGAL_MOVE


@pytest.mark.parametrize("cards", [[], ["4D"], ["5C"], ["5C", "5C"], ["4D", "6C", "10S"], ["4D", "3D", "2D"]])
def test_only_a_king_or_two_different_cards_can_go(cards: list[str]) -> None:
    assert refused(pyramid(BASE), *cards) is RefusalCode.ILLEGAL_MOVE


TWO_ROWS = ("7C 8D 1S 9S 1B 4S", BASE)


def test_cards_R4_a_card_with_one_coverer_gone_is_still_face_down() -> None:
    position = do(pyramid(*TWO_ROWS, waste="6D"), "4D+6D")
    assert "7C" not in PIRAMIDE.free(position)
    assert refused(position, "7C", "3D") is RefusalCode.CARD_NOT_FREE


def test_cards_R5_a_card_that_loses_both_coverers_turns_over_and_the_event_names_it() -> None:
    position = pyramid(*TWO_ROWS)
    event = PIRAMIDE.played(position, RemoveCards([Card("4D"), Card("6C")]), 5)
    assert event == CardsRemoved(at=5, cards=[Card("4D"), Card("6C")], revealed=[Card("7C")])
    after = PIRAMIDE.evolve(position, event)
    assert PIRAMIDE.free(after)[0] == "7C"
    assert refused(after, "7C", "3D") is None
    alone = PIRAMIDE.played(pyramid(*TWO_ROWS), RemoveCards([Card("10S")]), 5)
    assert alone == CardsRemoved(at=5, cards=[Card("10S")], revealed=[])


def test_one_removal_may_uncover_several_cards() -> None:
    position = pyramid("7C 8D 1S 9S 1B 4S", ". 6C 4D . 3D 2D 9B")
    event = PIRAMIDE.played(position, RemoveCards([Card("6C"), Card("4D")]), 5)
    assert isinstance(event, CardsRemoved)
    assert event.revealed == ["7C", "8D", "1S"]


def test_cards_R6_the_waste_gives_its_top_card_to_the_pyramid_and_not_the_second() -> None:
    position = pyramid("7D 2C 10C 5C 3D 6D 9B", waste="1S 3B")
    assert refused(position, "3B", "7D") is None
    assert refused(position, "1S", "9B") is RefusalCode.CARD_NOT_FREE
    assert do(position, "3B+7D", "1S+9B").removed == ("3B", "7D", "1S", "9B")


def test_the_second_card_of_the_waste_cannot_go_alone() -> None:
    assert refused(pyramid(BASE, waste="10D 3B"), "10D") is RefusalCode.CARD_NOT_FREE


def test_cards_R7_the_top_two_of_the_waste_go_together() -> None:
    position = pyramid(BASE, waste="7S 8C 2B")
    assert do(position, "8C+2B").waste == ("7S",)
    assert do(position, "2B+8C").waste == ("7S",)
    assert refused(pyramid(BASE, waste="8C 7S 2B"), "8C", "2B") is RefusalCode.CARD_NOT_FREE
    assert refused(pyramid(BASE, waste="8C 1B"), "8C", "1B") is RefusalCode.ILLEGAL_MOVE


def test_a_turned_card_lies_on_the_waste_and_the_event_names_it() -> None:
    position = pyramid(BASE, stock="7S 8C", waste="2B")
    event = PIRAMIDE.played(position, TurnStock(), 5)
    assert event == StockTurned(at=5, card=Card("7S"))
    after = PIRAMIDE.evolve(position, event)
    assert (after.stock, after.waste) == (("8C",), ("2B", "7S"))


def test_cards_R8_the_waste_is_turned_over_in_its_order_and_a_redeal_is_gone() -> None:
    position = pyramid(BASE, waste="7S 8C 2B", redeals=2)
    event = PIRAMIDE.played(position, TurnStock(), 5)
    assert event == WasteTurned(at=5, redeals_left=1)
    after = PIRAMIDE.evolve(position, event)
    assert (after.stock, after.waste, after.redeals) == (("7S", "8C", "2B"), (), 1)


def test_the_waste_is_not_turned_over_while_there_is_a_stock() -> None:
    after = do(pyramid(BASE, stock="7S", waste="2B"), "T")
    assert (after.redeals, after.waste) == (2, ("2B", "7S"))


def test_without_a_redeal_or_a_waste_nothing_is_turned_over() -> None:
    assert PIRAMIDE.refusal(pyramid(BASE, waste="7S", redeals=0), TurnStock()) is RefusalCode.NO_REDEALS
    assert PIRAMIDE.refusal(pyramid(BASE, redeals=2), TurnStock()) is RefusalCode.ILLEGAL_MOVE
    assert PIRAMIDE.refusal(pyramid(BASE, redeals=0), TurnStock()) is RefusalCode.ILLEGAL_MOVE


def test_cards_R9_and_bug_40_it_is_blocked_when_nothing_goes_together_and_nothing_can_be_turned() -> None:
    stuck = pyramid("4D 3C 8S 4B 3D 3B 9B", waste="4C 3S", redeals=0)
    assert PIRAMIDE.is_blocked(stuck)
    assert not PIRAMIDE.is_won(stuck)
    assert not PIRAMIDE.is_blocked(replace(stuck, redeals=1)), "the waste can be turned over"
    assert not PIRAMIDE.is_blocked(replace(stuck, stock=(Card("1D"),))), "a card can be turned"
    assert not PIRAMIDE.is_blocked(pyramid("4D 3C 8S 4B 3D 3B 9B", waste="4C 1S", redeals=0)), "9B goes with 1S"
    assert not PIRAMIDE.is_blocked(pyramid("4D 3C 8S 4B 3D 3B 9B", waste="7C 3S", redeals=0)), "the waste's own two"
    assert PIRAMIDE.is_blocked(pyramid("4D 3C 8S 4B 3D 3B 9B", redeals=2)), "with an empty waste no redeal helps"


def test_cards_R10_and_bug_40_it_is_won_with_the_pyramid_whatever_is_left_beside_it() -> None:
    position = pyramid("3B . . . . . .", stock="7S 8C 1D 2S 4B", waste="9D 7D", redeals=0)
    assert not PIRAMIDE.is_won(position)
    after = do(position, "3B+7D")
    assert PIRAMIDE.is_won(after)
    assert len(after.stock) == 5
    assert PIRAMIDE.is_won(do(pyramid("3B . . . . . .", waste="7D", redeals=0), "3B+7D")), "with the waste's last card"


def test_cards_R11_a_card_does_not_go_with_the_one_that_covers_it() -> None:
    position = pyramid("6B 8D 1S 9S 1B 4S", "4D . 10S 5C 3D 2D 9B")
    assert refused(position, "6B", "4D") is RefusalCode.CARD_NOT_FREE
    assert refused(position, "4D", "6B") is RefusalCode.CARD_NOT_FREE


def test_cards_bug_39_a_guess_at_a_hidden_card_is_answered_like_any_card_that_is_not_free() -> None:
    position = do(pyramid(*TWO_ROWS, stock="6D 1D", waste="7S 8C"), "T")
    face_down, in_the_stock, below_in_the_waste, nowhere, no_card = "7C", "1D", "7S", "10B", "0X"
    for card in (face_down, in_the_stock, below_in_the_waste, nowhere, no_card):
        assert refused(position, card) is RefusalCode.CARD_NOT_FREE
        assert refused(position, "3D", card) is RefusalCode.CARD_NOT_FREE
    assert refused(do(position, "4D+6D"), "6D", "4D") is RefusalCode.CARD_NOT_FREE, "what is gone"


def test_there_are_no_columns_in_a_pyramid() -> None:
    assert PIRAMIDE.refusal(pyramid(BASE), MoveCard(Card("4D"))) is RefusalCode.ILLEGAL_MOVE


def test_what_may_be_done_is_listed_once_each() -> None:
    position = pyramid(BASE, stock="1S", waste="6S 4B")
    assert PIRAMIDE.legal_moves(position) == [
        RemoveCards([Card("4D"), Card("6C")]),
        RemoveCards([Card("6C"), Card("4B")]),
        RemoveCards([Card("10S")]),
        RemoveCards([Card("4B"), Card("6S")]),
        TurnStock(),
    ]
