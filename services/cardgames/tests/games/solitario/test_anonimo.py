from __future__ import annotations

import pytest
from circolo_cardgames.games.solitario.anonimo import MOST_SHIFTS, Anonimo
from circolo_cardgames.games.solitario.notation import move_from, written
from circolo_cardgames.games.solitario.position import Position
from circolo_contracts.cards import DECK, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import CardMoved, MoveCard, RemoveCards, StockTurned, TurnStock, WasteTurned
from msgspec.structs import replace

ANONIMO = Anonimo()


def laid(
    *columns: str, bases: tuple[int, ...] = (0, 0, 0, 0), stock: str = "", waste: str = "", redeals: int = 2,
    shifts: int = 0,
) -> Position:  # fmt: skip
    """Four columns, the card that may be moved last. Bases: denari, coppe, spade, bastoni."""
    return Position(
        stock=tuple(map(Card, stock.split())), waste=tuple(map(Card, waste.split())), redeals=redeals, bases=bases,
        columns=tuple(tuple(map(Card, column.split())) for column in columns), shifts=shifts,
    )  # fmt: skip


def do(position: Position, *moves: str) -> Position:
    for move in moves:
        asked = move_from(move)
        assert ANONIMO.refusal(position, asked) is None, move
        position = ANONIMO.evolve(position, ANONIMO.played(position, asked, 1))
    return position


def refused(position: Position, move: str) -> RefusalCode | None:
    return ANONIMO.refusal(position, move_from(move))


def columns(position: Position) -> list[str]:
    return [" ".join(column) for column in position.columns]


def test_the_deal_opens_a_card_for_each_column_and_the_rest_is_stock() -> None:
    deck = (*DECK[4:], *DECK[:4])
    position = ANONIMO.deal(deck, 1)
    assert columns(position) == ["5D", "6D", "7D", "8D"]
    assert (len(position.stock), position.redeals, position.bases) == (36, 1, (0, 0, 0, 0))


def test_an_ace_among_the_first_four_goes_to_its_base_and_leaves_its_column_empty() -> None:
    position = ANONIMO.deal(DECK, 2)
    assert ANONIMO.opened(DECK) == ["1D", "2D", "3D", "4D"]
    assert columns(position) == ["", "2D", "3D", "4D"]
    assert position.bases == (1, 0, 0, 0)
    assert sorted(position.cards()) == sorted(DECK)


def test_an_ace_that_is_turned_goes_to_its_base_by_itself() -> None:
    position = laid("5C", "6D", "7S", "8B", stock="1S 4C", waste="9D")
    event = ANONIMO.played(position, TurnStock(), 5)
    assert event == StockTurned(at=5, card=Card("1S"), to_base=True)
    after = ANONIMO.evolve(position, event)
    assert (after.bases, after.waste, after.stock) == ((0, 0, 1, 0), ("9D",), ("4C",))
    assert ANONIMO.played(after, TurnStock(), 6) == StockTurned(at=6, card=Card("4C"))


@pytest.mark.parametrize("onto", ["6D", "6S", "6B"])
def test_a_card_goes_on_one_that_is_one_higher_and_of_another_suit(onto: str) -> None:
    position = do(laid("9D 5C", onto, "", ""), "5C>2")
    assert columns(position) == ["9D", f"{onto} 5C", "", ""]


@pytest.mark.parametrize("onto", ["6C", "4D", "5D", "7D", "10D"])
def test_it_goes_on_no_other(onto: str) -> None:
    assert refused(laid("9D 5C", onto, "9S", "9B"), "5C>2") is RefusalCode.ILLEGAL_MOVE


def test_only_the_last_card_of_a_column_and_the_top_of_the_waste_can_be_moved() -> None:
    position = laid("5C 4D", "6D", "8S", "9B", waste="5B 7D", stock="3C", bases=(0, 2, 0, 0))
    for card in ("5C", "5B", "3C", "2C", "10D", "0X"):
        assert ANONIMO.refusal(position, MoveCard(Card(card), 1)) is RefusalCode.CARD_NOT_FREE
        assert ANONIMO.refusal(position, MoveCard(Card(card))) is RefusalCode.CARD_NOT_FREE
    assert refused(position, "7D>3") is None


def test_a_base_grows_by_one_in_its_suit_up_to_the_king() -> None:
    position = laid("3S", "9D 2S", "10B", "4D", bases=(0, 0, 1, 9), waste="2D")
    for move in ("3S^", "2D^", "4D^"):
        assert refused(position, move) is RefusalCode.ILLEGAL_MOVE
    after = do(position, "2S^", "3S^", "10B^")
    assert after.bases == (0, 0, 3, 10)
    assert columns(after) == ["", "9D", "", "4D"]


def test_the_waste_gives_to_bases_and_columns() -> None:
    position = laid("5C", "6D", "8S", "9B", waste="5B 2C", bases=(0, 1, 0, 0))
    assert do(position, "2C^", "5B>2").waste == ()


def test_any_card_goes_to_an_empty_column() -> None:
    position = laid("", "6D 3S", "8S", "9B", waste="5B 2C")
    assert columns(do(position, "2C>1")) == ["2C", "6D 3S", "8S", "9B"]
    assert columns(do(position, "3S>1")) == ["3S", "6D", "8S", "9B"]


def test_a_card_with_a_column_for_itself_gains_nothing_by_another_empty_one() -> None:
    assert refused(laid("", "6D", "8S", "9B"), "6D>1") is RefusalCode.ILLEGAL_MOVE


def test_a_column_that_is_not_there_takes_no_card() -> None:
    position = laid("", "6D 3S", "8S", "9B")
    for column in (-1, 1, 4, 99):
        assert ANONIMO.refusal(position, MoveCard(Card("3S"), column)) is RefusalCode.ILLEGAL_MOVE


def test_there_are_no_pairs_to_remove() -> None:
    assert ANONIMO.refusal(laid("6D", "4C", "", ""), RemoveCards([Card("6D"), Card("4C")])) is RefusalCode.ILLEGAL_MOVE


def test_the_waste_is_turned_over_in_its_order() -> None:
    position = laid("5C", "6D", "8S", "9B", waste="7S 8C 2B", redeals=1)
    event = ANONIMO.played(position, TurnStock(), 5)
    assert event == WasteTurned(at=5, redeals_left=0)
    after = ANONIMO.evolve(position, event)
    assert (after.stock, after.waste) == (("7S", "8C", "2B"), ())
    assert refused(laid("5C", "6D", "8S", "9B", waste="7S", redeals=0), "T") is RefusalCode.NO_REDEALS
    assert refused(laid("5C", "6D", "8S", "9B"), "T") is RefusalCode.ILLEGAL_MOVE


def test_nobody_moves_a_card_to_and_fro_for_ever() -> None:
    position = laid("9D 5C", "6D", "6S", "10B", stock="2S")
    for _ in range(MOST_SHIFTS // 2):
        position = do(position, "5C>2", "5C>3")
    assert refused(position, "5C>2") is RefusalCode.ILLEGAL_MOVE
    assert ANONIMO.legal_moves(position) == [TurnStock()]
    assert refused(do(position, "T"), "5C>2") is None, "something else was done"


def test_moves_to_bases_and_from_the_waste_count_as_something_else() -> None:
    position = laid("9D 5C", "6D 2S", "6S", "", bases=(0, 0, 1, 0), waste="5B", shifts=MOST_SHIFTS)
    assert do(position, "2S^").shifts == do(position, "5B>3").shifts == 0


def test_it_is_won_when_every_base_has_its_king() -> None:
    position = laid("", "", "", "10B", bases=(10, 10, 10, 9))
    assert not ANONIMO.is_won(position)
    assert ANONIMO.is_won(do(position, "10B^"))


def test_it_is_blocked_when_no_card_can_go_anywhere() -> None:
    stuck = laid("9D", "9C", "9S", "9B", waste="7D", redeals=0)
    assert ANONIMO.legal_moves(stuck) == []
    assert ANONIMO.is_blocked(stuck)
    assert not ANONIMO.is_blocked(replace(stuck, redeals=1))


def test_it_is_blocked_when_cards_can_only_go_to_and_fro() -> None:
    idle = laid("9D 5C", "6D", "6S", "9B", waste="4D 2C", redeals=0)
    assert ANONIMO.legal_moves(idle) != []
    assert ANONIMO.is_blocked(idle)


def test_it_is_not_blocked_while_moves_between_columns_make_room() -> None:
    helps = laid("2D 5C", "6S", "9C", "9B", bases=(1, 0, 0, 0), waste="7D", redeals=0)
    assert not ANONIMO.is_blocked(helps)
    in_two = laid("2D 5C 4S", "6S", "10S 5B", "9B", bases=(1, 0, 0, 0), waste="7D", redeals=0)
    assert not ANONIMO.is_blocked(in_two), "4S to 5B, then 5C to 6S"
    assert not ANONIMO.is_blocked(replace(in_two, shifts=MOST_SHIFTS - 2))
    assert ANONIMO.is_blocked(replace(in_two, shifts=MOST_SHIFTS - 1)), "one move is not enough"


@pytest.mark.parametrize("text", ["4D+6C", "10S", "T", "5C>1", "5C>4", "10B^"])
def test_a_move_is_written_as_it_is_read(text: str) -> None:
    assert written(move_from(text)) == text


@pytest.mark.parametrize("text", ["", "t", "4D+", "4D+6C+1S", "11S", "5C>0", "5C>5", "5C>", "^", "5C^ ", "5C>1\n"])
def test_what_is_no_move_is_not_read_as_one(text: str) -> None:
    with pytest.raises(ValueError, match="is no move"):
        move_from(text)


def test_what_became_of_a_move_is_written_alike() -> None:
    assert written(CardMoved(1, Card("5C"), 0)) == "5C>1"
    assert written(CardMoved(1, Card("5C"))) == "5C^"
    assert written(WasteTurned(1, 0)) == written(StockTurned(1, Card("5C"))) == "T"
