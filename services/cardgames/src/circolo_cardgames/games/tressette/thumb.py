"""How a sensible player chooses a card in tressette: he remembers what was played and drawn, and who is out of a suit.

Everything is weighed in thirds of a point. A trick that one's own side takes is worth its cards, one that the others
take costs them; against that stands what the card would still have been good for. Out of it come the habits of the
card table: cash the sure tricks and bring the asso home, lead from the long suit with the three in it and keep that
three, load the partner's trick with an asso or a figure, throw worthless cards on what is lost, want the last trick.
"""

from __future__ import annotations

from math import prod

from circolo_contracts.cardgames import PlayCard, PlayedCard
from circolo_contracts.cards import RANK_OF, SUIT_OF, Card
from msgspec import UNSET, Struct

from circolo_cardgames.following.cards import IN_A_POINT, STRENGTH, THIRDS, holder, thirds_of
from circolo_cardgames.following.memory import Memory
from circolo_cardgames.sight import Sight


class Weights(Struct, frozen=True):
    """In thirds of a point, but for the shares."""

    thrown: float = 0.7
    """What each of the others adds to a trick, on average."""
    master: float = 1.6
    """A card that nothing can beat any more takes a trick whenever it is led."""
    guard: float = 0.9
    """A two or three that can still be beaten, or that guards the asso."""
    asso: float = 1.2
    figure: float = 0.2
    long_suit: float = 0.25
    """For each card of a suit beside the one that is led, if the suit is strong."""
    lead: float = 0.4
    """To lead the next trick with sure tricks in hand."""
    partner_takes: float = 0.5
    """The share of tricks that the partner takes, of those in which both he and an opponent can beat a card."""


WEIGHTS = Weights()


def choose(sight: Sight) -> PlayCard:
    """The card that is worth most. The seat must be on turn."""
    return weighed(sight, WEIGHTS)


def weighed(sight: Sight, weights: Weights) -> PlayCard:
    moves = sight.view.legal_moves
    assert moves is not UNSET
    if len(moves) == 1:
        return PlayCard(moves[0].card)
    table = _Table(sight, weights)
    return PlayCard(max((move.card for move in moves), key=table.weigh))


class _Table:
    """One choice at the table."""

    def __init__(self, sight: Sight, weights: Weights) -> None:
        self.weights = weights
        self.seat = sight.seat
        self.trick = sight.deal.trick
        self.memory = Memory(sight)
        seats = len(sight.view.seats)
        team = [seat.team for seat in sight.view.seats]
        to_come = [(self.seat + step) % seats for step in range(1, seats - len(self.trick))]
        self.foes = [seat for seat in to_come if team[seat] != sight.team]
        self.friends = [seat for seat in to_come if team[seat] == sight.team]
        self.ours = {seat for seat in range(seats) if team[seat] == sight.team}
        self.is_last_trick = len(self.memory.hand) == 1
        self.sure = [card for card in self.memory.hand if not self.memory.stronger(card)]

    def weigh(self, card: Card) -> float:
        trick = [*self.trick, PlayedCard(card, self.seat)]
        chance, mine = self._chance(trick)
        later = len(self.foes) + len(self.friends)
        stake = thirds_of(each.card for each in trick) + self.weights.thrown * later
        if self.is_last_trick:
            stake += IN_A_POINT
        to_cash = min(2, len(self.sure) - (card in self.sure))
        value = stake * (2 * chance - 1) - self._keep(card) + self.weights.lead * mine * to_cash
        return value if self.trick else value + self._from_strength(card)

    def _chance(self, trick: list[PlayedCard]) -> tuple[float, float]:
        """That the own side takes the trick, and that this seat does."""
        best = holder(trick)
        no_foe = prod(1.0 - self.memory.beats(seat, best.card) for seat in self.foes)
        rescued = max((self.memory.beats(seat, best.card) for seat in self.friends), default=0.0)
        if best.seat in self.ours:
            ours = no_foe + (1.0 - no_foe) * rescued * self.weights.partner_takes
            return ours, no_foe * (best.seat == self.seat)
        return rescued * (no_foe + (1.0 - no_foe) * self.weights.partner_takes), 0.0

    def _keep(self, card: Card) -> float:
        """What it is good for if it is not played now."""
        if not self.memory.stronger(card):
            return self.weights.master
        if RANK_OF[card] in (2, 3):
            return self.weights.guard
        if RANK_OF[card] == 1:
            return self.weights.asso
        return self.weights.figure * THIRDS[card] + 0.02 * STRENGTH[card]

    def _from_strength(self, card: Card) -> float:
        """A small card from a long suit with its three or two calls for the rest of that suit."""
        suit = [other for other in self.memory.hand if SUIT_OF[other] == SUIT_OF[card] and other != card]
        strong = any(RANK_OF[other] in (2, 3) for other in (*suit, card))
        return self.weights.long_suit * len(suit) * (1 if strong else -0.3)
