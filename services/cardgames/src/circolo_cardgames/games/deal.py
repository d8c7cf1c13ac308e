"""One deal as it lies on the table, with everything that is hidden: the state that every card game shares."""

from __future__ import annotations

from circolo_contracts.cardgames import Declarer, LegalMove, PlayedCard, TablePlay
from circolo_contracts.cards import Card
from msgspec import Struct

NOBODY = -1
"""No seat: a trick is complete and not yet taken, or the deal is over."""


class Deal(Struct, frozen=True, gc=False):
    """Stock, hands, trick, table, piles and what is set aside together are the 40 cards, at every moment.

    Every card in a pile, in the trick and on the table has been seen by everybody; hands, stock and ``aside`` are
    hidden but for ``known`` and the exposed trump.
    """

    hands: tuple[tuple[Card, ...], ...]
    """By seat."""
    piles: tuple[tuple[Card, ...], ...]
    """By seat: what each has taken, in that order."""
    turn: int
    """The seat that must play, or ``NOBODY`` while something else follows first."""
    aside: tuple[Card, ...] = ()
    """Dealt to nobody, face down; who wins the last trick gets them."""
    declared: tuple[Declarer, ...] = ()
    drawn: tuple[PlayedCard, ...] = ()
    """Draws after the last trick that everybody was shown; empty again when the next card is led."""
    hand_no: int = 1
    """Of the hands that are dealt one after another within a deal."""
    known: tuple[PlayedCard, ...] = ()
    """Every draw of this deal that everybody was shown, played since or not: a card and who drew it."""
    last_play: TablePlay | None = None
    last_trick: tuple[PlayedCard, ...] = ()
    last_trick_winner: int = NOBODY
    leader: int = 0
    """Who led the deal; a hand within it is dealt and led from there."""
    played: tuple[PlayedCard, ...] = ()
    """Every card of this deal in the order of play; kept by games whose CPU players need it."""
    stock: tuple[Card, ...] = ()
    """From the top."""
    sweeps: tuple[tuple[Card, ...], ...] = ()
    """By seat: the cards that made a scopa. Empty in games without sweeps."""
    table: tuple[Card, ...] = ()
    """Cards lying face up, in games that capture."""
    taker: int = NOBODY
    """Who captured last."""
    trick: tuple[PlayedCard, ...] = ()
    """In play order."""
    tricks_taken: int = 0
    trump_card: Card | None = None
    """The exposed card, also after it was drawn."""

    def cards(self) -> list[Card]:
        """All cards of the deal, wherever they are: always the 40, each once."""
        held = [card for group in (*self.hands, *self.piles, self.stock, self.table, self.aside) for card in group]
        return held + [played.card for played in self.trick]


class Move(Struct, frozen=True, gc=False):
    """What a seat wants to do. ``capture`` is None when it named no capture."""

    card: Card
    seat: int
    capture: tuple[Card, ...] | None = None

    @staticmethod
    def of(legal: LegalMove, seat: int) -> Move:
        """A legal move, with its first capture if it has any."""
        return Move(legal.card, seat, tuple(legal.captures[0]) if legal.captures else None)
