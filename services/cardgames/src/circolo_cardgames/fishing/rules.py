"""Scopa and the games made of it: one deal. What differs is how many cards are dealt, and what an ace takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from circolo_contracts.cardgames import CardPlayed, DealScore, HandsDealt, LegalMove, PlayedCard, TablePlay, TableTaken
from circolo_contracts.cards import DECK, RANK_OF, Card
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET
from msgspec.structs import replace

from circolo_cardgames.deck.dealing import deal_blocks
from circolo_cardgames.games.deal import NOBODY, Deal, Move
from circolo_cardgames.games.rules import CardRules, Count, DealEvent, Settings, Standing
from circolo_cardgames.games.score import alone_ahead, to_the_target

from . import scoring
from .captures import Capture, captures

FinalSweep = Literal["NEVER", "COUNTS", "NOT_IN_LAST_HAND"]

KING = 10
KINGS_FOR_A_VOID = 3

_LAID = {card: LegalMove(card) for card in DECK}


def final_sweep(settings: Settings) -> FinalSweep:
    """The setting of that name, which the descriptor has checked."""
    return cast(FinalSweep, settings["finalSweep"])


@dataclass(frozen=True, slots=True)
class Fishing(CardRules):
    """As it stands, scopa: three cards each and four on the table."""

    target: int = 11
    final_sweep: FinalSweep = "NEVER"
    """NEVER: the last play of a deal is no scopa. NOT_IN_LAST_HAND: nor is any with the last cards that are dealt."""

    def layout(self, seats: int) -> tuple[int, int]:
        """(cards in each block that is dealt, cards that are opened on the table)."""
        return 3, 4

    def deal(self, deck: Sequence[Card], leader: int, seats: int) -> Deal:
        size, opened = self.layout(seats)
        hands, rest = deal_blocks(deck, leader, seats, size)
        nothing: tuple[tuple[Card, ...], ...] = ((),) * seats
        return Deal(
            hands=hands, piles=nothing, turn=leader, leader=leader, stock=rest[opened:], sweeps=nothing,
            table=rest[:opened],
        )  # fmt: skip

    def is_void(self, deal: Deal) -> bool:
        """Three or four kings are opened: only kings take kings, so that the table could never be cleared."""
        return sum(RANK_OF[card] == KING for card in deal.table) >= KINGS_FOR_A_VOID

    def takes(self, table: tuple[Card, ...], card: Card) -> Sequence[Capture]:
        """Every capture that the card has the choice of; none: it is laid. An empty one: its player takes it itself."""
        return captures(table)[RANK_OF[card]]

    def clears(self, table: tuple[Card, ...], card: Card, capture: Capture) -> bool:
        """Whether the capture leaves the table empty in the way that makes a scopa."""
        return 0 < len(capture) == len(table)

    def scopa_counts(self, plays: int, stock: int) -> bool:
        """With so many cards in all hands, the one that is played included, and so many in the stock."""
        if stock or self.final_sweep == "COUNTS":
            return True
        return plays > 1 and self.final_sweep == "NEVER"

    def forbidden(self, deal: Deal, card: Card) -> bool:
        """Whether a card of the hand may not be played at all now."""
        return False

    def legal_moves(self, deal: Deal) -> list[LegalMove]:
        """Any card: who holds one that captures may still play another."""
        if deal.turn == NOBODY:
            return []
        moves = []
        for card in deal.hands[deal.turn]:
            if self.forbidden(deal, card):
                continue
            taken = self.takes(deal.table, card)
            moves.append(LegalMove(card, list(map(list, taken))) if taken else _LAID[card])
        return moves

    def refusal(self, deal: Deal, move: Move) -> RefusalCode | None:
        """A card with one capture takes it unasked; with several, nothing is guessed."""
        if move.card not in deal.hands[move.seat]:
            return RefusalCode.CARD_NOT_IN_HAND
        if self.forbidden(deal, move.card):
            return RefusalCode.CARD_NOT_ALLOWED
        taken = self.takes(deal.table, move.card)
        if move.capture is None:
            legal = len(taken) <= 1
        elif taken:
            legal = _chosen(taken, move.capture) is not None
        else:
            legal = not move.capture
        return None if legal else RefusalCode.ILLEGAL_CAPTURE

    def automatic(self, deal: Deal) -> Move:
        """The capture that brings most cards, coins and primiera; without one the card that is worth least."""
        seat = deal.turn
        best: tuple[int, Move] | None = None
        for legal in self.legal_moves(deal):
            own = scoring.worth(legal.card)
            for capture in legal.captures or (None,):
                worth = -own if capture is None else own + sum(map(scoring.worth, capture))
                if best is None or worth > best[0]:
                    best = worth, Move(legal.card, seat, None if capture is None else tuple(capture))
        assert best is not None
        return best[1]

    def played(self, deal: Deal, move: Move, at: int, *, automatic: bool = False) -> CardPlayed:
        taken = self.takes(deal.table, move.card)
        capture = None
        if taken:
            capture = taken[0] if move.capture is None else _chosen(taken, move.capture)
        if capture is None:
            return CardPlayed(at, move.card, move.seat, automatic)
        sweep = self.clears(deal.table, move.card, capture) and self.scopa_counts(
            sum(map(len, deal.hands)), len(deal.stock)
        )
        return CardPlayed(at, move.card, move.seat, automatic, list(capture), sweep or UNSET)

    def follows(self, deal: Deal) -> HandsDealt | TableTaken | None:
        """New hands when all are empty, not when the first one is; at the end the table goes to who captured last."""
        if deal.turn != NOBODY:
            return None
        if deal.stock:
            size, _ = self.layout(len(deal.hands))
            return HandsDealt(list(deal.stock[: size * len(deal.hands)]), deal.hand_no + 1)
        if deal.table and deal.taker != NOBODY:
            return TableTaken(list(deal.table), deal.taker)
        return None

    def evolve(self, deal: Deal, event: DealEvent) -> Deal:
        if isinstance(event, CardPlayed):
            return _play(deal, event)
        if isinstance(event, HandsDealt):
            return _next_hands(deal, event)
        assert isinstance(event, TableTaken)
        piles = list(deal.piles)
        piles[event.seat] += tuple(event.cards)
        return replace(deal, piles=tuple(piles), table=())

    def is_over(self, deal: Deal) -> bool:
        """What lies on the table when nobody has captured in the whole deal stays there, and is nobody's."""
        return deal.turn == NOBODY and not deal.stock and (not deal.table or deal.taker == NOBODY)

    def count(self, deal: Deal, teams: Sequence[int]) -> Count:
        sheet = scoring.sheet(deal.piles, deal.sweeps, teams)
        points = scoring.total(sheet)
        return Count(points, alone_ahead(points), sheet)

    def standing(self, deals: Sequence[DealScore], sides: int) -> Standing:
        return to_the_target(deals, sides, self.target)


def _chosen(taken: Sequence[Capture], wanted: Capture) -> Capture | None:
    """The capture with exactly these cards, in whatever order they are named."""
    if wanted in taken:
        return wanted
    cards = sorted(wanted)
    return next((capture for capture in taken if sorted(capture) == cards), None)


def _play(deal: Deal, event: CardPlayed) -> Deal:
    seat, card, captured = event.seat, event.card, event.captured
    hands, seats = list(deal.hands), len(deal.hands)
    hands[seat] = tuple([held for held in hands[seat] if held != card])
    turn = (seat + 1) % seats
    played = (*deal.played, PlayedCard(card, seat))
    if captured is UNSET:
        return replace(
            deal, hands=tuple(hands), played=played, table=(*deal.table, card), turn=turn if hands[turn] else NOBODY,
            last_play=TablePlay([], card, seat, False),
        )  # fmt: skip
    piles, sweeps = list(deal.piles), deal.sweeps
    piles[seat] = (*piles[seat], *captured, card)
    if event.sweep is True:
        sweeps = (*sweeps[:seat], (*sweeps[seat], card), *sweeps[seat + 1 :])
    return replace(
        deal,
        hands=tuple(hands),
        last_play=TablePlay(captured, card, seat, event.sweep is True),
        piles=tuple(piles),
        played=played,
        sweeps=sweeps,
        table=tuple([lying for lying in deal.table if lying not in captured]),
        taker=seat,
        turn=turn if hands[turn] else NOBODY,
    )


def _next_hands(deal: Deal, event: HandsDealt) -> Deal:
    seats = len(deal.hands)
    hands, _ = deal_blocks(event.cards, deal.leader, seats, len(event.cards) // seats)
    return replace(
        deal, hand_no=event.hand_no, hands=hands, stock=deal.stock[len(event.cards) :], turn=deal.leader,
    )  # fmt: skip
