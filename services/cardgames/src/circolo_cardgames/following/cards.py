"""What a card is worth in tressette and vinciperdi: its strength within its suit, and thirds of a point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from circolo_contracts.cardgames import PlayedCard
from circolo_contracts.cards import DECK, RANK_OF, SUIT_OF, Card

STRENGTH: dict[Card, int] = {card: (4, 5, 6, 7, 8, 9, 10, 1, 2, 3).index(RANK_OF[card]) for card in DECK}
"""Within its suit, 0 (four) to 9 (three); there are no trumps."""
THIRDS: dict[Card, int] = {card: {1: 3, 4: 0, 5: 0, 6: 0, 7: 0}.get(RANK_OF[card], 1) for card in DECK}
"""Of a point: an asso three, a two, three or figure one, the others none. 32 in the deck."""
IN_A_POINT = 3
DEAL_POINTS = 11
"""Of a deal: 32 thirds and three for the last trick are 35, of which the remainders are dropped."""


def thirds_of(cards: Iterable[Card]) -> int:
    return sum(map(THIRDS.__getitem__, cards))


def holder(trick: Sequence[PlayedCard]) -> PlayedCard:
    """Who holds the trick so far, with the highest card of the suit led."""
    best = trick[0]
    suit, strength = SUIT_OF[best.card], STRENGTH[best.card]
    for played in trick[1:]:
        if SUIT_OF[played.card] == suit and STRENGTH[played.card] > strength:
            best, strength = played, STRENGTH[played.card]
    return best


def playable(hand: Sequence[Card], trick: Sequence[PlayedCard]) -> Sequence[Card]:
    """The cards of the suit led if there are any, else the whole hand; in the order of the hand."""
    if not trick:
        return hand
    suit = SUIT_OF[trick[0].card]
    return [card for card in hand if SUIT_OF[card] == suit] or hand
