"""Declarations (accuse): which cards count when they are announced, and until when.

In the first trick a seat declares what it was dealt. Later it declares only what a drawn card completes (two players),
as long as it holds all the cards. A declared set is never declared again; a fourth card drawn to three declared ones
that are still held is worth four points more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circolo_contracts.cardgames import Declaration, PlayedCard
from circolo_contracts.cards import RANK_OF, SUITS, Card
from msgspec import UNSET

from circolo_cardgames.games.deal import Deal

RANKS = (1, 2, 3)
THREE_CARDS, FOUR_CARDS = 3, 4
"""Points."""
_NAPOLETANE = {suit: frozenset(Card(f"{rank}{suit}") for rank in RANKS) for suit in SUITS}
_BUONGIOCHI = {rank: frozenset(Card(f"{rank}{suit}") for suit in SUITS) for rank in RANKS}


def declarable(deal: Deal) -> list[Declaration]:
    """By the seat on turn, before its card: napoletane in the order of the suits, then aces, twos, threes."""
    seat = deal.turn
    drawn = frozenset(each.card for each in deal.known if each.seat == seat)
    first_trick = not deal.tricks_taken
    if not (first_trick or drawn):
        return []
    held = frozenset(card for card in deal.hands[seat] if RANK_OF[card] in RANKS)
    if len(held) < THREE_CARDS:
        return []
    made = [each.declaration for each in deal.declared if each.seat == seat]
    return [
        declaration
        for declaration, cards in _held(held)
        if (first_trick or cards & drawn) and not _is_made(declaration, made)
    ]


def _held(held: frozenset[Card]) -> Iterator[tuple[Declaration, frozenset[Card]]]:
    """Every set in the hand. Four of a rank are one set of four and none of three."""
    for suit, cards in _NAPOLETANE.items():
        if cards <= held:
            yield Declaration("NAPOLETANA", THREE_CARDS, suit=suit), cards
    for rank, cards in _BUONGIOCHI.items():
        mine = cards & held
        if len(mine) == FOUR_CARDS:
            yield Declaration("BUONGIOCO", FOUR_CARDS, rank), mine
        elif len(mine) == THREE_CARDS:
            (missing,) = cards - mine
            yield Declaration("BUONGIOCO", THREE_CARDS, rank, missing[-1]), mine


def _is_made(declaration: Declaration, made: list[Declaration]) -> bool:
    """A buongioco counts once for its rank, whichever card is missing; but four count after three of them."""
    if declaration.kind == "NAPOLETANA":
        return declaration in made
    return any(declaration.rank == other.rank and declaration.points <= other.points for other in made)


def cards_of(declaration: Declaration) -> frozenset[Card]:
    if declaration.rank is UNSET:
        return _NAPOLETANE[str(declaration.suit)]
    return frozenset(card for card in _BUONGIOCHI[declaration.rank] if card[-1] != declaration.suit)


def announced(deal: Deal) -> Iterator[PlayedCard]:
    """The cards that were declared in this deal, with who held them."""
    for each in deal.declared:
        for card in sorted(cards_of(each.declaration)):
            yield PlayedCard(card, each.seat)


def points_by_team(deal: Deal, teams: Sequence[int]) -> list[int]:
    points = [0] * (max(teams) + 1)
    for each in deal.declared:
        points[teams[each.seat]] += each.declaration.points
    return points
