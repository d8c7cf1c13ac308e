"""How a sensible person plays the two patiences, from what everybody sees: rules of thumb, no memory, no search."""

from __future__ import annotations

from circolo_contracts.cards import RANK_OF, Card
from circolo_contracts.solitaire import MoveCard, RemoveCards, SolitaireMove, SolitaireView, TurnStock
from msgspec import UNSET

from .position import Move

HARDLY = 0.5
"""What a move must be worth to be better than turning the stock's next card."""


def choose(view: SolitaireView) -> Move:
    """The move that is worth most; among equals the first. There must be one."""
    weigh = _weigh_removal if view.pyramid else _weigh_shift
    return _command(max(view.legal_moves, key=lambda move: HARDLY if move.kind == "TURN" else weigh(view, move)))


def _command(move: SolitaireMove) -> Move:
    if move.kind == "TURN":
        return TurnStock()
    return RemoveCards(move.cards) if move.kind == "REMOVE" else MoveCard(move.cards[0], move.to)


# ---------------------------------------------------------------- piramide


def _weigh_removal(view: SolitaireView, move: SolitaireMove) -> float:
    """What it uncovers, then what it takes from the pyramid; two cards of the waste are kept for better use."""
    gone = {
        (row, place)
        for row, places in enumerate(view.pyramid)
        for place, lying in enumerate(places)
        if lying.card in move.cards
    }
    if not gone:
        return 1.0 if RANK_OF[move.cards[0]] == 10 or not view.stock_count else 0.0
    return 2.0 * len(gone) + 3.0 * _uncovers(view, gone) + 0.1 * max(6 - row for row, _ in gone)


def _uncovers(view: SolitaireView, gone: set[tuple[int, int]]) -> int:
    """Places that have nothing on them any more once these are empty."""

    def bare(row: int, place: int) -> bool:
        return (row, place) in gone or view.pyramid[row][place].state == "EMPTY"

    above = {(row - 1, place - side) for row, place in gone for side in (0, 1) if 0 <= place - side < row}
    return sum(bare(row + 1, place) and bare(row + 1, place + 1) for row, place in above)


# ---------------------------------------------------------------- anonimo


def _weigh_shift(view: SolitaireView, move: SolitaireMove) -> float:
    """The bases first. A card of the waste goes on a column; into an empty one a high card rather, and only when there
    is little to turn. Between columns only what empties a column or sets free a card for its base."""
    (card,) = move.cards
    if move.to is UNSET:
        return 10.0
    empty = not view.columns[move.to]
    if card in view.waste[-1:]:
        if not empty:
            return 5.0
        return 0.3 * RANK_OF[card] if view.stock_count else 2.0
    if empty:
        return 1.0 if _frees_for_base(view, card) else 0.0
    return 4.0 if _frees_for_base(view, card) else 3.0 if _is_alone(view, card) else 0.0


def _is_alone(view: SolitaireView, card: Card) -> bool:
    return [card] in view.columns


def _frees_for_base(view: SolitaireView, card: Card) -> bool:
    column = next(column for column in view.columns if column[-1:] == [card])
    counts = {base.suit: base.count for base in view.bases}
    return len(column) > 1 and RANK_OF[column[-2]] == counts[column[-2][-1]] + 1
