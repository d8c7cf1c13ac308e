"""Briscola played through in thought, by the rules of thumb of ``thumb.py``, from tables made once for each trump."""

from __future__ import annotations

from collections.abc import Sequence
from math import tanh

from circolo_contracts.cards import DECK, SUITS
from msgspec import Struct

from circolo_cardgames.games.deal import NOBODY
from circolo_cardgames.games.playout import NUMBER_OF, Whim, World, Worth
from circolo_cardgames.sight import Sight

from .rules import beats, trump_of
from .scoring import TOTAL, points_of
from .thumb import chance_to_hold, keep, weigh_lead

WHIM = 0.08
"""The share of cards that are played without sense, so that no playout is like another."""
SOLVED_FROM = 8
"""The last four tricks of two players; of four players the last two."""

VALUE = [points_of(card) for card in DECK]


class Table(Struct, frozen=True):
    """By card number, under one trump."""

    beats: list[list[bool]]
    """``beats[holding][played]``: whether the card played takes the trick from the one that holds it."""
    hold: list[float]
    keep: list[float]
    lead: list[float]
    drop: list[float]
    """What answering with the card is worth, beside the trick's points, when the others take it: with certainty."""
    take: list[float]
    """The same when the own side takes it."""

    @staticmethod
    def of(trump: str) -> Table:
        kept = [keep(card, trump) for card in DECK]
        return Table(
            beats=[[beats(played, holding, trump) for played in DECK] for holding in DECK],
            hold=[chance_to_hold(card, trump) for card in DECK],
            keep=kept,
            lead=[weigh_lead(card, trump) for card in DECK],
            drop=[-value - held for value, held in zip(VALUE, kept, strict=True)],
            take=[value - held for value, held in zip(VALUE, kept, strict=True)],
        )


TABLES: dict[str, Table] = {trump: Table.of(trump) for trump in SUITS}


class BriscolaPlayout:
    """``games.playout.Playout``. A seat's team is its parity, for two as for four."""

    __slots__ = ("_answered", "_best", "_drawn", "_hands", "_holder", "_points", "_stake", "_stock", "_table", "turn")

    def __init__(self, sight: Sight, world: World) -> None:
        deal = sight.deal
        self.turn = deal.turn
        self._table = TABLES[trump_of(deal)]
        self._hands = [list(hand) for hand in world.hands]
        self._stock = tuple(world.stock)
        self._drawn = 0
        self._points = [0, 0]
        for seat, pile in enumerate(deal.piles):
            self._points[seat % 2] += sum(map(points_of, pile))
        self._answered = self._best = self._holder = self._stake = 0
        for played in deal.trick:
            self._lay(NUMBER_OF[played.card], played.seat)

    def left(self) -> int:
        return sum(map(len, self._hands)) + len(self._stock) - self._drawn

    def moves(self) -> list[int]:
        return [] if self.turn == NOBODY else list(self._hands[self.turn])

    def copy(self) -> BriscolaPlayout:
        other = object.__new__(BriscolaPlayout)
        other.turn = self.turn
        other._table, other._stock, other._drawn = self._table, self._stock, self._drawn
        other._hands = [hand[:] for hand in self._hands]
        other._points = self._points[:]
        other._answered, other._best, other._holder = self._answered, self._best, self._holder
        other._stake = self._stake
        return other

    def judged(self) -> tuple[int, ...]:
        return tuple(self._points)

    def play(self, move: int) -> None:
        seat = self.turn
        self._hands[seat].remove(move)
        self._lay(move, seat)
        if self._answered == len(self._hands):
            self._end_trick()
        else:
            self.turn = (seat + 1) % len(self._hands)

    def _lay(self, card: int, seat: int) -> None:
        if not self._answered or self._table.beats[self._best][card]:
            self._best, self._holder = card, seat
        self._answered += 1
        self._stake += VALUE[card]

    def _end_trick(self) -> None:
        winner, hands = self._holder, self._hands
        self._points[winner % 2] += self._stake
        self._answered = self._stake = 0
        if self._drawn < len(self._stock):
            for step in range(len(hands)):
                hands[(winner + step) % len(hands)].append(self._stock[self._drawn + step])
            self._drawn += len(hands)
        self.turn = winner if hands[winner] else NOBODY

    def finish(self, whim: Whim) -> tuple[float, ...]:
        hands, seats = self._hands, len(self._hands)
        lead = self._table.lead
        while self.turn != NOBODY:
            for seat in [(self.turn + step) % seats for step in range(seats - self._answered)]:
                hand = hands[seat]
                if len(hand) == 1:
                    card = hand[0]
                elif whim() < WHIM:
                    card = hand[int(whim() * len(hand))]
                elif not self._answered:
                    card = max(hand, key=lead.__getitem__)
                else:
                    card = self._answer(hand, seat)
                hand.remove(card)
                self._lay(card, seat)
            self._end_trick()
        return self.judged()

    def _answer(self, hand: Sequence[int], seat: int) -> int:
        """As ``thumb``: what the trick is worth by the chance to take it, less what the card is good for later."""
        table, stake = self._table, self._stake
        beaten, take = table.beats[self._best], table.take
        ours = self._holder % 2 == seat % 2
        best, best_weight = hand[0], -1000.0
        if self._answered == len(self._hands) - 1:  # nobody plays after it: no chance in it
            otherwise, drop = (stake, take) if ours else (-stake, table.drop)
            for card in hand:
                weight = stake + take[card] if beaten[card] else otherwise + drop[card]
                if weight > best_weight:
                    best, best_weight = card, weight
            return best
        hold = table.hold
        chance = hold[self._best] if ours else 1.0 - hold[self._best] if self._answered == 1 else 0.0
        for card in hand:
            held = hold[card] if beaten[card] else chance
            weight = (stake + VALUE[card]) * (2 * held - 1) - table.keep[card]
            if weight > best_weight:
                best, best_weight = card, weight
        return best


def worth(sight: Sight) -> Worth:
    """A game is won with 61 and no better with 120: near the middle each point counts, far from it hardly any."""
    own = sight.team

    def worth_of(points: tuple[float, ...]) -> float:
        ahead = points[own] - TOTAL / 2
        won = (ahead > 0) - (ahead < 0)
        return won + tanh(ahead / 20)

    return worth_of
