"""How a sensible player chooses a card in vinciperdi: he stays below, gets rid of what is dangerous, and counts cards.

Everything is weighed in thirds of a point. A trick costs its cards if he takes it; a card that he keeps costs what it
will probably take later, so that a trick which goes to somebody else is a chance to be rid of it. Two things turn this
round: a player who has taken everything so far may be after the cappotto, so a trick with a point in it is worth
taking from him; and who has himself taken nearly everything, with sure tricks in hand, goes on.
"""

from __future__ import annotations

from math import prod

from circolo_contracts.cardgames import PlayCard, PlayedCard
from circolo_contracts.cards import SUIT_OF, Card
from msgspec import UNSET, Struct

from circolo_cardgames.following.cards import STRENGTH, THIRDS, holder, thirds_of
from circolo_cardgames.following.memory import Memory
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.sight import Sight


class Weights(Struct, frozen=True):
    """In thirds of a point, but for the shares."""

    thrown: float = 0.8
    """What each of the others adds to a trick, on average."""
    danger: float = 3.0
    """A kept card that is bound to take a trick."""
    burden: float = 0.5
    """For each third of a kept card: a trick that it cannot duck brings it home."""
    willing: float = 0.25
    """The share of those who could stay below and still take the trick."""
    last_trick: float = 4.5
    """The last trick's point, and the remainders that go with it."""


WEIGHTS = Weights()
CAPPOTTO_LOOMS = 17
"""Thirds, all in one pile."""


def choose(sight: Sight) -> PlayCard:
    """The card that costs least. The seat must be on turn."""
    return weighed(sight, WEIGHTS)


def weighed(sight: Sight, weights: Weights) -> PlayCard:
    moves = sight.view.legal_moves
    assert moves is not UNSET
    if len(moves) == 1:
        return PlayCard(moves[0].card)
    table = _Table(sight, weights)
    return PlayCard(min((move.card for move in moves), key=table.cost))


def after_the_cappotto(deal: Deal) -> int | None:
    """The seat that has taken every third so far, if they are many."""
    thirds = [thirds_of(pile) for pile in deal.piles]
    best = max(thirds)
    return thirds.index(best) if best == sum(thirds) and best >= CAPPOTTO_LOOMS else None


class _Table:
    """One choice at the table."""

    def __init__(self, sight: Sight, weights: Weights) -> None:
        self.weights = weights
        self.seat = sight.seat
        self.trick = sight.deal.trick
        self.memory = Memory(sight)
        seats = len(sight.view.seats)
        self.to_come = [(self.seat + step) % seats for step in range(1, seats - len(self.trick))]
        self.is_last_trick = len(self.memory.hand) == 1
        greedy = after_the_cappotto(sight.deal)
        sure = sum(not self.memory.stronger(card) for card in self.memory.hand)
        self.goes_for_all = greedy == self.seat and 2 * sure >= len(self.memory.hand)
        self.spoils = greedy not in (None, self.seat)

    def cost(self, card: Card) -> float:
        trick = [*self.trick, PlayedCard(card, self.seat)]
        stake = thirds_of(each.card for each in trick) + self.weights.thrown * len(self.to_come)
        if self.is_last_trick:
            stake += self.weights.last_trick
        takes = self._chance(trick)
        if self.goes_for_all:
            return -takes * (1 + stake) + 0.01 * STRENGTH[card]
        if self.spoils and stake >= 1:
            return -takes * 6 - 0.1 * self._to_keep(card)
        return takes * stake - self._to_keep(card)

    def _chance(self, trick: list[PlayedCard]) -> float:
        """That this seat takes the trick: those who can stay below mostly do."""
        best = holder(trick)
        if best.seat != self.seat:
            return 0.0
        return prod(1.0 - self._goes_over(seat, best.card) for seat in self.to_come)

    def _goes_over(self, seat: int, card: Card) -> float:
        forced = self.memory.must_beat(seat, card)
        return forced + (self.memory.beats(seat, card) - forced) * self.weights.willing

    def _to_keep(self, card: Card) -> float:
        """What it may cost if it is not played now: a high card with few higher ones out and none low beside it."""
        out = self.memory.out[SUIT_OF[card]]
        if not out:
            return self.weights.danger * 0.5 + self.weights.burden * THIRDS[card]
        over = len(self.memory.weaker(card)) / len(out)
        mine = [other for other in self.memory.hand if SUIT_OF[other] == SUIT_OF[card]]
        covered = sum(STRENGTH[other] < STRENGTH[card] for other in mine)
        return self.weights.danger * over / (1 + 0.5 * covered) + self.weights.burden * THIRDS[card]
