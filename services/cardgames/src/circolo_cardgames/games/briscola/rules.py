"""Briscola, one deal: 3 cards each, an exposed trump, draw after every trick. Rules in words: README.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from circolo_contracts.cardgames import CardPlayed, DealScore, LegalMove, PlayedCard, TrickEnded
from circolo_contracts.cards import RANK_OF, SUIT_OF, Card
from circolo_contracts.refusals import RefusalCode
from msgspec.structs import replace

from circolo_cardgames.deck.dealing import deal_blocks, in_play_order
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.rules import JUST_LAID, CardRules, Count, DealEvent, Settings, Standing

from . import scoring

HAND_SIZE = 3

STRENGTH: dict[int, int] = {rank: place for place, rank in enumerate((2, 4, 5, 6, 7, 8, 9, 10, 3, 1))}
"""Of a rank within its suit, 0 (two) to 9 (asso)."""


def beats(challenger: Card, best: Card, trump: str) -> bool:
    """Whether a card played later takes the trick from the card that holds it now."""
    if SUIT_OF[challenger] == SUIT_OF[best]:
        return STRENGTH[RANK_OF[challenger]] > STRENGTH[RANK_OF[best]]
    return SUIT_OF[challenger] == trump


def trick_winner(trick: Sequence[PlayedCard], trump: str) -> int:
    """The seat that takes it: the highest trump, else the highest card of the suit led."""
    best = trick[0]
    for played in trick[1:]:
        if beats(played.card, best.card, trump):
            best = played
    return best.seat


@dataclass(frozen=True, slots=True)
class Briscola(CardRules):
    """The exposed trump is the last card of the stock, so it is drawn last by itself."""

    best_of: int = 1

    @staticmethod
    def of(settings: Settings) -> Briscola:
        return Briscola(int(settings["bestOf"]))

    def deal(self, deck: Sequence[Card], leader: int, seats: int) -> Deal:
        hands, rest = deal_blocks(deck, leader, seats, HAND_SIZE)
        exposed, hidden = rest[0], rest[1:]
        return Deal(
            hands=hands, piles=((),) * seats, turn=leader, leader=leader, stock=(*hidden, exposed), trump_card=exposed,
        )  # fmt: skip

    def legal_moves(self, deal: Deal) -> list[LegalMove]:
        """Any card: nobody has to follow suit or to trump."""
        return [] if deal.turn == NOBODY else [JUST_LAID[card] for card in deal.hands[deal.turn]]

    def refusal(self, deal: Deal, move: Move) -> RefusalCode | None:
        if move.card not in deal.hands[move.seat]:
            return RefusalCode.CARD_NOT_IN_HAND
        if move.capture:
            return RefusalCode.ILLEGAL_CAPTURE
        return None

    def automatic(self, deal: Deal) -> Move:
        """The card with the fewest points, no trump if possible, then the weakest."""
        hand = deal.hands[deal.turn]
        trump = trump_of(deal)
        card = min(hand, key=lambda c: (scoring.points_of(c), SUIT_OF[c] == trump, STRENGTH[RANK_OF[c]], hand.index(c)))
        return Move(card, deal.turn)

    def follows(self, deal: Deal) -> TrickEnded | None:
        if len(deal.trick) < len(deal.hands):
            return None
        return TrickEnded(
            drawn=list(deal.stock[: len(deal.hands)]),
            points=sum([scoring.points_of(played.card) for played in deal.trick]),
            trick_no=deal.tricks_taken + 1,
            winner=trick_winner(deal.trick, trump_of(deal)),
        )

    def evolve(self, deal: Deal, event: DealEvent) -> Deal:
        if isinstance(event, CardPlayed):
            return _play(deal, event)
        assert isinstance(event, TrickEnded)
        return _take_trick(deal, event)

    def is_over(self, deal: Deal) -> bool:
        """Every card is always played, also when a side has passed 61."""
        return not deal.trick and not any(deal.hands)

    def count(self, deal: Deal, teams: Sequence[int]) -> Count:
        points = scoring.points_by_team(deal.piles, teams)
        return Count(points, scoring.winner(points))

    def standing(self, deals: Sequence[DealScore], sides: int) -> Standing:
        return scoring.standing(deals, sides, self.best_of)


def trump_of(deal: Deal) -> str:
    """The suit letter of the exposed card."""
    assert deal.trump_card is not None
    return SUIT_OF[deal.trump_card]


def _play(deal: Deal, event: CardPlayed) -> Deal:
    hands = list(deal.hands)
    hands[event.seat] = tuple([card for card in hands[event.seat] if card != event.card])
    played = PlayedCard(event.card, event.seat)
    trick = (*deal.trick, played)
    complete = len(trick) == len(hands)
    turn = NOBODY if complete else (event.seat + 1) % len(hands)
    return replace(deal, hands=tuple(hands), played=(*deal.played, played), trick=trick, turn=turn)


def _take_trick(deal: Deal, event: TrickEnded) -> Deal:
    hands, piles = list(deal.hands), list(deal.piles)
    piles[event.winner] += tuple([played.card for played in deal.trick])
    for seat, card in zip(in_play_order(event.winner, len(hands)), event.drawn, strict=False):
        hands[seat] += (card,)
    return replace(
        deal,
        hands=tuple(hands),
        piles=tuple(piles),
        stock=deal.stock[len(event.drawn) :],
        trick=(),
        tricks_taken=event.trick_no,
        turn=event.winner if any(hands) else NOBODY,
        last_trick=deal.trick,
        last_trick_winner=event.winner,
    )
