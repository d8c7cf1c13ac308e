"""What lies on the table in a patience, whichever of the two it is, and what a patience must say to be played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from circolo_contracts.cards import SUITS, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import (
    CardMoved,
    CardsRemoved,
    MoveCard,
    RemoveCards,
    StockTurned,
    TurnStock,
    WasteTurned,
)
from msgspec import Struct
from msgspec.structs import replace

Move = RemoveCards | MoveCard | TurnStock
"""What the player may ask for."""
Played = CardsRemoved | CardMoved | StockTurned | WasteTurned
"""What becomes of it."""


class Position(Struct, frozen=True):
    """Also what is face down. Every one of the 40 cards is somewhere in it, once."""

    stock: tuple[Card, ...]
    """The top card first."""
    redeals: int
    """How often the waste may still be turned over."""
    waste: tuple[Card, ...] = ()
    """The top card last."""
    pyramid: tuple[Card | None, ...] = ()
    """Piramide: 28 places, row by row from the top; None where the card is gone."""
    removed: tuple[Card, ...] = ()
    """Piramide: in the order in which they went."""
    columns: tuple[tuple[Card, ...], ...] = ()
    """Anonimo: each with the card that may be moved last."""
    bases: tuple[int, ...] = ()
    """Anonimo: how many cards lie on each, in the order of ``SUITS``."""
    shifts: int = 0
    """Anonimo: moves from column to column since anything else was done."""

    def on_bases(self) -> list[Card]:
        bases = zip(SUITS, self.bases, strict=False)
        return [Card(f"{rank}{suit}") for suit, count in bases for rank in range(1, count + 1)]

    def cards(self) -> list[Card]:
        """All forty."""
        lying = [card for card in self.pyramid if card is not None]
        in_columns = [card for column in self.columns for card in column]
        return [*self.stock, *self.waste, *lying, *self.removed, *in_columns, *self.on_bases()]


class PatienceRules(Protocol):
    """One patience. Positions change only by events; ``played`` makes the event of a move that is not refused."""

    def deal(self, deck: Sequence[Card], redeals: int) -> Position:
        """The opening position from a shuffled deck."""
        ...

    def opened(self, deck: Sequence[Card]) -> list[Card]:
        """What the deal turns face up."""
        ...

    def free(self, position: Position) -> list[Card]:
        """The cards on the table that may be taken, without those of the waste."""
        ...

    def legal_moves(self, position: Position) -> list[Move]:
        """Each once, in an order that does not depend on what is face down."""
        ...

    def refusal(self, position: Position, move: Move) -> RefusalCode | None:
        """CARD_NOT_FREE before anything else, and alike for every card that is not."""
        ...

    def played(self, position: Position, move: Move, at: int) -> Played: ...

    def evolve(self, position: Position, event: Played) -> Position: ...

    def is_won(self, position: Position) -> bool: ...

    def is_blocked(self, position: Position) -> bool:
        """Nothing more can come of it. A position that is won is not asked about."""
        ...


# ---------------------------------------------------------------- stock and waste, alike in both


def can_turn(position: Position) -> bool:
    return turn_refusal(position) is None


def turn_refusal(position: Position) -> RefusalCode | None:
    """Turning the waste over needs a waste and a redeal."""
    if position.stock:
        return None
    if not position.waste:
        return RefusalCode.ILLEGAL_MOVE
    return None if position.redeals > 0 else RefusalCode.NO_REDEALS


def turned_over(position: Position) -> Position:
    """In the same order: the first card that was turned is the first again."""
    return replace(position, stock=position.waste, waste=(), redeals=position.redeals - 1)
