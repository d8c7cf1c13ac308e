"""What a player who has watched every card knows: who is out of a suit, what is still out, what a card may meet.

Chances are those of unseen cards lying anywhere with equal chance, but where a seat has shown that it holds none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from circolo_contracts.cards import DECK, SUIT_OF, SUITS, Card

from circolo_cardgames.sight import Sight

from .cards import STRENGTH

SUIT_CARDS = {suit: frozenset(card for card in DECK if SUIT_OF[card] == suit) for suit in SUITS}


def excluded(sight: Sight) -> Sequence[frozenset[Card]]:
    """A seat that did not follow suit holds none of it, but for what everybody has seen it draw since."""
    deal = sight.deal
    seats = len(deal.hands)
    out: list[frozenset[Card]] = [frozenset()] * seats
    for place, played in enumerate(deal.played):
        led = SUIT_OF[deal.played[place - place % seats].card]
        if SUIT_OF[played.card] != led:
            out[played.seat] |= SUIT_CARDS[led]
    return [cards.difference(hand) if cards else cards for cards, hand in zip(out, deal.hands, strict=True)]


class Memory:
    """Of one seat at one moment; counts chances for the others."""

    def __init__(self, sight: Sight) -> None:
        self.hand = sight.deal.hands[sight.seat]
        self.others = [seat for seat in range(len(sight.deal.hands)) if seat != sight.seat]
        self.out: dict[str, list[Card]] = {suit: [] for suit in SUITS}
        """By suit: the cards that somebody else may still play or draw."""
        self._known = sight.deal.hands
        self._excluded = excluded(sight)
        self._free = [max(0, count - len(hand)) for count, hand in zip(sight.hand_counts(), self._known, strict=True)]
        self._unseen = sight.unseen()
        self._hidden = set(self._unseen)
        for card in (*self._unseen, *(card for seat in self.others for card in self._known[seat])):
            self.out[SUIT_OF[card]].append(card)

    def stronger(self, card: Card) -> list[Card]:
        """Cards of its suit still out that beat it."""
        return [other for other in self.out[SUIT_OF[card]] if STRENGTH[other] > STRENGTH[card]]

    def weaker(self, card: Card) -> list[Card]:
        return [other for other in self.out[SUIT_OF[card]] if STRENGTH[other] < STRENGTH[card]]

    def holds_any(self, seat: int, cards: Sequence[Card]) -> float:
        """The chance (0 to 1) that the seat holds one of these cards at least."""
        if any(card in self._known[seat] for card in cards):
            return 1.0
        possible = sum(card in self._hidden and card not in self._excluded[seat] for card in cards)
        unseen, free = len(self._unseen), self._free[seat]
        if not possible or not free:
            return 0.0
        return 1.0 - prod(max(0, unseen - free - n) / (unseen - n) for n in range(possible))

    def beats(self, seat: int, card: Card) -> float:
        """The chance that the seat can play a higher card of that card's suit."""
        return self.holds_any(seat, self.stronger(card))

    def must_beat(self, seat: int, card: Card) -> float:
        """The chance that it can do nothing else: it holds higher cards of the suit and no lower one."""
        return self.beats(seat, card) * (1.0 - self.holds_any(seat, self.weaker(card)))
