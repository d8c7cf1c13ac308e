"""Tressette, one deal: ten cards each, follow suit; two players show what they draw after each of ten tricks.

Rules in words: README.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from circolo_contracts.cardgames import DealScore, Declaration, PlayedCard
from circolo_contracts.cards import Card

from circolo_cardgames.deck.dealing import deal_blocks
from circolo_cardgames.following.cards import STRENGTH, THIRDS, playable
from circolo_cardgames.following.rules import FollowSuit
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.rules import Count, Settings, Standing
from circolo_cardgames.games.score import to_the_target

from . import declarations, scoring

BLOCK = 5
"""Cards are dealt five to each seat, and five again."""


@dataclass(frozen=True, slots=True)
class Tressette(FollowSuit):
    """Two teams of two, or two players with the rest of the deck as a stock."""

    target: int = 31
    declarations: bool = True

    @staticmethod
    def of(settings: Settings) -> Tressette:
        return Tressette(int(settings["target"]), bool(settings["declarations"]))

    def deal(self, deck: Sequence[Card], leader: int, seats: int) -> Deal:
        first, rest = deal_blocks(deck, leader, seats, BLOCK)
        second, stock = deal_blocks(rest, leader, seats, BLOCK)
        hands = tuple(one + two for one, two in zip(first, second, strict=True))
        return Deal(hands=hands, piles=((),) * seats, turn=leader, leader=leader, stock=stock)

    def declarable(self, deal: Deal) -> list[Declaration]:
        if not self.declarations or deal.turn == NOBODY:
            return []
        return declarations.declarable(deal)

    def shown(self, deal: Deal) -> Sequence[PlayedCard]:
        """Draws, and the cards that were declared."""
        return (*deal.known, *declarations.announced(deal)) if deal.declared else deal.known

    def automatic(self, deal: Deal) -> Move:
        """The card with the fewest thirds, then the weakest."""
        cards = playable(deal.hands[deal.turn], deal.trick)
        return Move(min(cards, key=lambda card: (THIRDS[card], STRENGTH[card])), deal.turn)

    def count(self, deal: Deal, teams: Sequence[int]) -> Count:
        return scoring.count(deal, teams, with_declarations=self.declarations)

    def standing(self, deals: Sequence[DealScore], sides: int) -> Standing:
        return to_the_target(deals, sides, self.target)
