"""One deal as it lies on the table, with everything that is hidden: the state that every card game shares."""

from __future__ import annotations

from circolo_contracts.cardgames import LegalMove, PlayedCard
from circolo_contracts.cards import Card
from msgspec import Struct

NOBODY = -1
"""No seat: a trick is complete and not yet taken, or the deal is over."""


class Deal(Struct, frozen=True):
    """Stock, hands, trick, table and piles together are the 40 cards, at every moment."""

    hands: tuple[tuple[Card, ...], ...]
    """By seat."""
    piles: tuple[tuple[Card, ...], ...]
    """By seat: what each has taken, in that order."""
    turn: int
    """The seat that must play, or ``NOBODY`` while something else follows first."""
    last_trick: tuple[PlayedCard, ...] = ()
    last_trick_winner: int = NOBODY
    stock: tuple[Card, ...] = ()
    """From the top."""
    table: tuple[Card, ...] = ()
    """Cards lying face up, in games that capture."""
    trick: tuple[PlayedCard, ...] = ()
    """In play order."""
    tricks_taken: int = 0
    trump_card: Card | None = None
    """The exposed card, also after it was drawn."""

    def cards(self) -> list[Card]:
        """All cards of the deal, wherever they are: always the 40, each once."""
        held = [card for group in (*self.hands, *self.piles, self.stock, self.table) for card in group]
        return held + [played.card for played in self.trick]


class Move(Struct, frozen=True):
    """What a seat wants to do. ``capture`` is None when it named no capture."""

    card: Card
    seat: int
    capture: tuple[Card, ...] | None = None

    @staticmethod
    def of(legal: LegalMove, seat: int) -> Move:
        """A legal move, with its first capture if it has any."""
        return Move(legal.card, seat, tuple(legal.captures[0]) if legal.captures else None)
