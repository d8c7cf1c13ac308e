"""How a move of a patience is written, for golden hands and records.

``4D+6C`` removes two cards, ``10S`` a king; ``T`` turns the stock's next card, or the waste. ``5C>2`` moves a card to
the second column (counted from 1, as people do), ``5C^`` to its base.
"""

from __future__ import annotations

import re

from circolo_contracts.cards import Card
from circolo_contracts.solitaire import CardMoved, CardsRemoved, MoveCard, RemoveCards, TurnStock
from msgspec import UNSET

from .position import Move, Played

_CARD = r"(?:10|[1-9])[DCSB]"
_REMOVAL = re.compile(rf"{_CARD}(?:\+{_CARD})?")
_MOVE = re.compile(rf"({_CARD})(?:\^|>([1-4]))")


def move_from(text: str) -> Move:
    """Raises ValueError for what is no move."""
    if text == "T":
        return TurnStock()
    if _REMOVAL.fullmatch(text):
        return RemoveCards([Card(card) for card in text.split("+")])
    moved = _MOVE.fullmatch(text)
    if moved is None:
        raise ValueError(f"{text!r} is no move")
    card, column = moved.groups()
    return MoveCard(Card(card), UNSET if column is None else int(column) - 1)


def written(move: Move | Played) -> str:
    """The same as text: of what the player wants, or of what became of it."""
    if isinstance(move, (RemoveCards, CardsRemoved)):
        return "+".join(move.cards)
    if isinstance(move, (MoveCard, CardMoved)):
        return f"{move.card}^" if move.to is UNSET else f"{move.card}>{move.to + 1}"
    return "T"
