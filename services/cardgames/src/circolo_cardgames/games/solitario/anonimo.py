"""Anonimo: four columns down in other suits, four bases up in one suit. In words: README.md."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from circolo_contracts.cards import RANK_OF, SUIT_OF, SUITS, Card
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.solitaire import CardMoved, MoveCard, StockTurned, TurnStock, WasteTurned
from msgspec import UNSET
from msgspec.structs import replace

from .position import Move, PatienceRules, Played, Position, can_turn, turn_refusal, turned_over

COLUMNS = 4
TOP = 10
"""Cards on a base that is complete."""
MOST_SHIFTS = 20
"""Moves from column to column in a row: after so many something else has to follow, so that nobody plays for ever."""

Columns = tuple[tuple[Card, ...], ...]
_PLACE = {suit: place for place, suit in enumerate(SUITS)}


class Anonimo(PatienceRules):
    """An ace is never on the waste, and in no column but at the deal: it goes to its base as soon as it is seen."""

    def deal(self, deck: Sequence[Card], redeals: int) -> Position:
        opened = deck[:COLUMNS]
        return Position(
            stock=tuple(deck[COLUMNS:]), redeals=redeals,
            columns=tuple(() if RANK_OF[card] == 1 else (card,) for card in opened),
            bases=tuple(int(f"1{suit}" in opened) for suit in SUITS),
        )  # fmt: skip

    def opened(self, deck: Sequence[Card]) -> list[Card]:
        return list(deck[:COLUMNS])

    def free(self, position: Position) -> list[Card]:
        return [column[-1] for column in position.columns if column]

    def legal_moves(self, position: Position) -> list[Move]:
        """To the bases first, then from the waste, then between columns, then the stock."""
        available = [*self.free(position), *position.waste[-1:]]
        moves: list[Move] = [MoveCard(card) for card in available if _fits_base(position.bases, card)]
        moves += [MoveCard(card, column) for card in position.waste[-1:] for column in _takers(position.columns, card)]
        if position.shifts < MOST_SHIFTS:
            moves += [MoveCard(card, column) for card, column in _shifts(position.columns)]
        if can_turn(position):
            moves.append(TurnStock())
        return moves

    def refusal(self, position: Position, move: Move) -> RefusalCode | None:
        if isinstance(move, TurnStock):
            return turn_refusal(position)
        if not isinstance(move, MoveCard):
            return RefusalCode.ILLEGAL_MOVE
        on_waste = move.card in position.waste[-1:]
        if not on_waste and move.card not in self.free(position):
            return RefusalCode.CARD_NOT_FREE
        if move.to is UNSET:
            fits = _fits_base(position.bases, move.card)
        elif on_waste:
            fits = move.to in _takers(position.columns, move.card)
        else:
            fits = position.shifts < MOST_SHIFTS and (move.card, move.to) in _shifts(position.columns)
        return None if fits else RefusalCode.ILLEGAL_MOVE

    def played(self, position: Position, move: Move, at: int) -> Played:
        if isinstance(move, MoveCard):
            return CardMoved(at, move.card, move.to)
        if not position.stock:
            return WasteTurned(at, position.redeals - 1)
        card = position.stock[0]
        return StockTurned(at, card, True if RANK_OF[card] == 1 else UNSET)

    def evolve(self, position: Position, event: Played) -> Position:
        if isinstance(event, CardMoved):
            return _moved(position, event)
        if isinstance(event, WasteTurned):
            return replace(turned_over(position), shifts=0)
        assert isinstance(event, StockTurned)
        rest = replace(position, stock=position.stock[1:], shifts=0)
        if event.to_base is UNSET:
            return replace(rest, waste=(*rest.waste, event.card))
        return replace(rest, bases=_with_one_more(rest.bases, event.card))

    def is_won(self, position: Position) -> bool:
        return all(count == TOP for count in position.bases)

    def is_blocked(self, position: Position) -> bool:
        """No card of the columns, however they are moved among themselves, makes room for anything else.

        Looks ahead only when nothing is left to turn: cards that only go to and fro between columns are no progress.
        """
        if can_turn(position):
            return False
        first = _alike(position.columns)
        ahead, seen = deque([(position.columns, position.shifts)]), {first}
        while ahead:
            columns, shifts = ahead.popleft()
            if _goes_on(columns, position):
                return False
            if shifts == MOST_SHIFTS:
                continue
            for card, to in _shifts(columns):
                after = _shifted(columns, card, to)
                if (same := _alike(after)) not in seen:
                    seen.add(same)
                    ahead.append((after, shifts + 1))
        return True


def _takers(columns: Columns, card: Card) -> list[int]:
    """The columns on which it may be laid: an empty one, or one that ends with the next higher rank in another suit."""
    return [
        place
        for place, column in enumerate(columns)
        if not column or (RANK_OF[column[-1]] == RANK_OF[card] + 1 and SUIT_OF[column[-1]] != SUIT_OF[card])
    ]


def _shifts(columns: Columns) -> Iterator[tuple[Card, int]]:
    """From column to column. A card that has a column for itself gains nothing by another empty one."""
    for column in columns:
        for to in _takers(columns, column[-1]) if column else ():
            if columns[to] or len(column) > 1:
                yield column[-1], to


def _shifted(columns: Columns, card: Card, to: int) -> Columns:
    return tuple(
        (*column, card) if place == to else column[:-1] if column[-1:] == (card,) else column
        for place, column in enumerate(columns)
    )


def _goes_on(columns: Columns, position: Position) -> bool:
    """Whether, with the columns like this, a card can go to its base or leave the waste."""
    top = position.waste[-1:]
    free = [column[-1] for column in columns if column]
    to_base = any(_fits_base(position.bases, card) for card in (*free, *top))
    return to_base or any(_takers(columns, card) for card in top)


def _alike(columns: Columns) -> tuple[tuple[Card, ...], ...]:
    """The same for columns that differ only in their order."""
    return tuple(sorted(columns))


def _fits_base(bases: Sequence[int], card: Card) -> bool:
    return bases[_PLACE[SUIT_OF[card]]] == RANK_OF[card] - 1


def _with_one_more(bases: Sequence[int], card: Card) -> tuple[int, ...]:
    return tuple(count + (place == _PLACE[SUIT_OF[card]]) for place, count in enumerate(bases))


def _moved(position: Position, event: CardMoved) -> Position:
    card = event.card
    from_waste = position.waste[-1:] == (card,)
    waste = position.waste[:-1] if from_waste else position.waste
    columns = _shifted(position.columns, card, -1 if event.to is UNSET else event.to)
    if event.to is UNSET:
        return replace(position, waste=waste, columns=columns, bases=_with_one_more(position.bases, card), shifts=0)
    return replace(position, waste=waste, columns=columns, shifts=0 if from_waste else position.shifts + 1)
