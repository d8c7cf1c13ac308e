"""What a seat sees and has seen: all that a CPU player is handed. It could not cheat if it wanted to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from circolo_contracts.cardgames import MatchView
from circolo_contracts.cards import DECK, Card
from msgspec import Struct
from msgspec.structs import replace

from .games.deal import Deal

if TYPE_CHECKING:
    from .games.rules import CardRules


class Sight(Struct, frozen=True):
    """Of one seat, at one moment."""

    deal: Deal
    """The present deal without what is hidden: other hands and the stock hold only the cards that everybody knows to be
    there. Piles are whole, for every card in them was seen when it was won."""
    rules: CardRules
    seat: int
    view: MatchView

    @staticmethod
    def of(deal: Deal, rules: CardRules, seat: int, view: MatchView) -> Sight:
        """``view`` is the seat's own. An allow-list, like the view."""
        known = {shown.card: shown.seat for shown in rules.shown(deal)}
        hands = [
            hand if place == seat else tuple(card for card in hand if known.get(card) == place)
            for place, hand in enumerate(deal.hands)
        ]
        exposed = tuple(card for card in deal.stock if card == deal.trump_card)
        return Sight(replace(deal, aside=(), hands=tuple(hands), stock=exposed), rules, seat, view)

    @property
    def team(self) -> int:
        return self.view.seats[self.seat].team

    def hand_counts(self) -> list[int]:
        """By seat."""
        return [seat.hand_count for seat in self.view.seats]

    def unseen(self) -> list[Card]:
        """Cards that may be in another hand, in the stock or aside, in the order of the deck."""
        seen = set(self.deal.cards())
        return [card for card in DECK if card not in seen]
