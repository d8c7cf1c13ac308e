"""A deal that is played through in thought: what the search asks of a game, thousands of times for one card.

Cards are numbers here, 0 to 39 in the order of ``DECK``; so a set of cards fits into one integer. A move is a number
too: the card in its low bits, the set of cards that it takes above them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from circolo_contracts.cardgames import LegalMove
from circolo_contracts.cards import DECK, Card
from msgspec import Struct

from .deal import Move

NUMBER_OF: dict[Card, int] = {card: number for number, card in enumerate(DECK)}
CARD_BITS = 6
CARD_MASK = (1 << CARD_BITS) - 1
Whim = Callable[[], float]
"""Chance from outside, from 0 up to 1: rules have none of their own."""


class World(Struct, frozen=True):
    """Where every hidden card may lie, the own hand included: one of the ways that a seat's sight allows."""

    hands: Sequence[Sequence[int]]
    """By seat."""
    stock: Sequence[int]
    """From the top."""
    aside: Sequence[int] = ()


class Playout(Protocol):
    """One deal in one world, changed by each play. The same moves, captures and points as the game's ``CardRules``.

    It is fast because it keeps no events and nothing that is only shown; tests hold it against the rules.
    """

    turn: int
    """The seat that must play, or ``NOBODY`` when the deal is over."""

    def left(self) -> int:
        """Cards that are still to be played until the deal is over or luck comes in: the next hands are dealt."""
        ...

    def moves(self) -> Sequence[int]:
        """Of the seat on turn, every card with every capture."""
        ...

    def play(self, move: int) -> None:
        """And whatever follows from it, up to the next choice of somebody."""
        ...

    def copy(self) -> Playout: ...

    def finish(self, whim: Whim) -> tuple[float, ...]:
        """Play on as sensible players would, more or less, with a whim now and then, to the end of the deal or to where
        the choices of now no longer tell; ``judged()`` there."""
        ...

    def judged(self) -> tuple[float, ...]:
        """Points by team: of a complete deal those of ``CardRules.count``, whole; else what may be expected."""
        ...


Worth = Callable[[tuple[float, ...]], float]
"""What points by team are worth to one's own team: the more the better. Whole points are those of a complete deal."""


def bits(cards: Iterable[Card]) -> int:
    """The set of these cards."""
    return sum(1 << NUMBER_OF[card] for card in cards)


def cards_in(mask: int) -> list[Card]:
    """The set's cards in the order of the deck."""
    return [card for number, card in enumerate(DECK) if mask >> number & 1]


def move_number(card: Card, capture: Iterable[Card] = ()) -> int:
    return NUMBER_OF[card] | bits(capture) << CARD_BITS


def move_of(number: int, seat: int) -> Move:
    captured = number >> CARD_BITS
    return Move(DECK[number & CARD_MASK], seat, tuple(cards_in(captured)) if captured else None)


def numbers_of(legal: Sequence[LegalMove]) -> list[int]:
    """Every choice there is among legal moves, in their order."""
    return [move_number(move.card, capture) for move in legal for capture in (move.captures or [[]])]
