"""Vinciperdi, one deal: tressette's cards and tricks, each for himself, and nobody wants the points.

Rules in words: README.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from circolo_contracts.cardgames import DealScore
from circolo_contracts.cards import SUIT_OF, Card

from circolo_cardgames.deck.dealing import deal_blocks
from circolo_cardgames.following.cards import STRENGTH, THIRDS, holder, playable
from circolo_cardgames.following.rules import FollowSuit
from circolo_cardgames.games.deal import Deal, Move
from circolo_cardgames.games.rules import Count, Settings, Standing

from . import scoring


@dataclass(frozen=True, slots=True)
class Vinciperdi(FollowSuit):
    """Without declarations. Three players get thirteen cards each and one lies aside until the last trick."""

    limit: int = 21

    @staticmethod
    def of(settings: Settings) -> Vinciperdi:
        return Vinciperdi(int(settings["limit"]))

    def deal(self, deck: Sequence[Card], leader: int, seats: int) -> Deal:
        hands, aside = deal_blocks(deck, leader, seats, len(deck) // seats)
        return Deal(hands=hands, piles=((),) * seats, turn=leader, aside=aside, leader=leader)

    def automatic(self, deal: Deal) -> Move:
        """Leads the weakest card, stays below as high as it can, throws away the most thirds."""
        cards = playable(deal.hands[deal.turn], deal.trick)
        if not deal.trick:
            return Move(min(cards, key=STRENGTH.__getitem__), deal.turn)
        best = holder(deal.trick).card
        if SUIT_OF[cards[0]] != SUIT_OF[best]:
            return Move(max(cards, key=lambda card: (THIRDS[card], STRENGTH[card])), deal.turn)
        below = [card for card in cards if STRENGTH[card] < STRENGTH[best]]
        card = max(below, key=STRENGTH.__getitem__) if below else min(cards, key=STRENGTH.__getitem__)
        return Move(card, deal.turn)

    def count(self, deal: Deal, teams: Sequence[int]) -> Count:
        return scoring.count(deal, teams)

    def standing(self, deals: Sequence[DealScore], sides: int) -> Standing:
        return scoring.standing(deals, sides, self.limit)
