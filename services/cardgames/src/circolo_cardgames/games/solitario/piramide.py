"""Piramide with 40 cards: what is free, which cards go together, what a removal uncovers. In words: README.md."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cards import RANK_OF, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import CardsRemoved, RemoveCards, StockTurned, TurnStock, WasteTurned
from msgspec.structs import replace

from .position import Move, PatienceRules, Played, Position, can_turn, turn_refusal, turned_over

ROWS = 7
PLACES = ROWS * (ROWS + 1) // 2
SUM, KING = 10, 10


def row_of(place: int) -> int:
    """0, the top, to 6."""
    return next(row for row in range(ROWS) if place < (row + 1) * (row + 2) // 2)


COVERERS: tuple[tuple[int, ...], ...] = tuple(
    () if row_of(place) == ROWS - 1 else (place + row_of(place) + 1, place + row_of(place) + 2)
    for place in range(PLACES)
)
"""The two places of the row below that lie on each place; none of the last row's."""


class Piramide(PatienceRules):
    """A card is face up exactly when it is free: the last row at once, any other when its two coverers are gone."""

    def deal(self, deck: Sequence[Card], redeals: int) -> Position:
        return Position(stock=tuple(deck[PLACES:]), redeals=redeals, pyramid=tuple(deck[:PLACES]))

    def opened(self, deck: Sequence[Card]) -> list[Card]:
        return list(deck[PLACES - ROWS : PLACES])

    def free(self, position: Position) -> list[Card]:
        return [card for place, card in enumerate(position.pyramid) if card and _is_uncovered(position.pyramid, place)]

    def legal_moves(self, position: Position) -> list[Move]:
        """Of the pyramid first, from the top row down; then with the waste; then the stock."""
        usable = [*self.free(position), *position.waste[-1:]]
        moves: list[Move] = []
        for place, card in enumerate(usable):
            if RANK_OF[card] == KING:
                moves.append(RemoveCards([card]))
            moves += [RemoveCards([card, other]) for other in usable[place + 1 :] if _make_ten(card, other)]
        if len(position.waste) > 1 and _make_ten(*position.waste[-2:]):
            moves.append(RemoveCards(list(position.waste[:-3:-1])))
        if can_turn(position):
            moves.append(TurnStock())
        return moves

    def refusal(self, position: Position, move: Move) -> RefusalCode | None:
        if isinstance(move, TurnStock):
            return turn_refusal(position)
        if not isinstance(move, RemoveCards):
            return RefusalCode.ILLEGAL_MOVE
        if not self._are_free(position, move.cards):
            return RefusalCode.CARD_NOT_FREE
        ranks = [RANK_OF[card] for card in move.cards]
        right = ranks == [KING] or (len(set(move.cards)) == len(ranks) == 2 and sum(ranks) == SUM)
        return None if right else RefusalCode.ILLEGAL_MOVE

    def _are_free(self, position: Position, cards: Sequence[Card]) -> bool:
        """The second card of the waste is free only for the top one."""
        usable = {*self.free(position), *position.waste[-1:]}
        return all(card in usable for card in cards) or set(cards) == set(position.waste[-2:])

    def played(self, position: Position, move: Move, at: int) -> Played:
        if isinstance(move, RemoveCards):
            before, left = position.pyramid, _without(position.pyramid, move.cards)
            revealed = [
                card
                for place, card in enumerate(left)
                if card and _is_uncovered(left, place) and not _is_uncovered(before, place)
            ]
            return CardsRemoved(at, list(move.cards), revealed)
        if position.stock:
            return StockTurned(at, position.stock[0])
        return WasteTurned(at, position.redeals - 1)

    def evolve(self, position: Position, event: Played) -> Position:
        if isinstance(event, CardsRemoved):
            return replace(
                position,
                pyramid=_without(position.pyramid, event.cards),
                waste=tuple(card for card in position.waste if card not in event.cards),
                removed=(*position.removed, *event.cards),
            )
        if isinstance(event, StockTurned):
            return replace(position, stock=position.stock[1:], waste=(*position.waste, event.card))
        return turned_over(position)

    def is_won(self, position: Position) -> bool:
        """Whatever is left in stock and waste."""
        return not any(position.pyramid)

    def is_blocked(self, position: Position) -> bool:
        return not self.legal_moves(position)


def _is_uncovered(pyramid: Sequence[Card | None], place: int) -> bool:
    return not any(pyramid[coverer] for coverer in COVERERS[place])


def _without(pyramid: Sequence[Card | None], cards: Sequence[Card]) -> tuple[Card | None, ...]:
    return tuple(None if card in cards else card for card in pyramid)


def _make_ten(one: Card, other: Card) -> bool:
    return RANK_OF[one] + RANK_OF[other] == SUM
