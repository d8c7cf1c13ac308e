"""A deal of the family: tricks in which suit must be followed, with or without a stock to draw from."""

from __future__ import annotations

from circolo_contracts.cardgames import CardPlayed, Declared, Declarer, LegalMove, PlayedCard, TrickEnded
from circolo_contracts.cards import SUIT_OF
from circolo_contracts.refusals import RefusalCode
from msgspec.structs import replace

from circolo_cardgames.deck.dealing import in_play_order
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.rules import JUST_LAID, CardRules, DealEvent

from .cards import holder, playable, thirds_of


class FollowSuit(CardRules):
    """What tressette and vinciperdi share. Draws, where there are any, are shown to everybody."""

    draws_are_shown = True

    def legal_moves(self, deal: Deal) -> list[LegalMove]:
        """Cards of the suit led if the hand has any, else any card. There is no duty to beat."""
        if deal.turn == NOBODY:
            return []
        return [JUST_LAID[card] for card in playable(deal.hands[deal.turn], deal.trick)]

    def refusal(self, deal: Deal, move: Move) -> RefusalCode | None:
        hand = deal.hands[move.seat]
        if move.card not in hand:
            return RefusalCode.CARD_NOT_IN_HAND
        if move.capture:
            return RefusalCode.ILLEGAL_CAPTURE
        if deal.trick:
            led = SUIT_OF[deal.trick[0].card]
            if SUIT_OF[move.card] != led and any(SUIT_OF[card] == led for card in hand):
                return RefusalCode.MUST_FOLLOW_SUIT
        return None

    def follows(self, deal: Deal) -> TrickEnded | None:
        """``points`` are thirds: of the trick, and with the last one of what was set aside."""
        seats = len(deal.hands)
        if len(deal.trick) < seats:
            return None
        aside = () if any(deal.hands) else deal.aside
        return TrickEnded(
            drawn=list(deal.stock[:seats]),
            points=thirds_of(played.card for played in deal.trick) + thirds_of(aside),
            trick_no=deal.tricks_taken + 1,
            winner=holder(deal.trick).seat,
        )

    def evolve(self, deal: Deal, event: DealEvent) -> Deal:
        if isinstance(event, CardPlayed):
            return _play(deal, event)
        if isinstance(event, TrickEnded):
            return _take_trick(deal, event)
        assert isinstance(event, Declared)
        return replace(deal, declared=(*deal.declared, Declarer(event.declaration, event.seat)))

    def is_over(self, deal: Deal) -> bool:
        return not deal.trick and not any(deal.hands)


def _play(deal: Deal, event: CardPlayed) -> Deal:
    hands = list(deal.hands)
    hands[event.seat] = tuple([card for card in hands[event.seat] if card != event.card])
    played = PlayedCard(event.card, event.seat)
    trick = (*deal.trick, played)
    complete = len(trick) == len(hands)
    return replace(
        deal,
        hands=tuple(hands),
        drawn=(),
        played=(*deal.played, played),
        trick=trick,
        turn=NOBODY if complete else (event.seat + 1) % len(hands),
    )


def _take_trick(deal: Deal, event: TrickEnded) -> Deal:
    """The winner draws first, then the others in play order; with the last trick goes what was set aside."""
    hands, piles = list(deal.hands), list(deal.piles)
    drawn = tuple(
        PlayedCard(card, seat)
        for seat, card in zip(in_play_order(event.winner, len(hands)), event.drawn, strict=False)
    )  # fmt: skip
    for each in drawn:
        hands[each.seat] += (each.card,)
    goes_on = any(hands)
    piles[event.winner] += tuple(played.card for played in deal.trick) + (() if goes_on else deal.aside)
    return replace(
        deal,
        hands=tuple(hands),
        piles=tuple(piles),
        aside=deal.aside if goes_on else (),
        drawn=drawn,
        known=deal.known + drawn,
        last_trick=deal.trick,
        last_trick_winner=event.winner,
        stock=deal.stock[len(drawn) :],
        trick=(),
        tricks_taken=event.trick_no,
        turn=event.winner if goes_on else NOBODY,
    )
