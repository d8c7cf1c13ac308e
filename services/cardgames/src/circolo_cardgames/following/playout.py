"""Tressette and vinciperdi played through in thought: hands are sets of cards in one integer each.

Within such a set a suit is ten bits in the order of strength, so that of two cards of a suit the greater number takes
the trick, and the highest card of a suit is the highest bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from circolo_contracts.cards import DECK, SUIT_OF, SUITS

from circolo_cardgames.games.deal import NOBODY
from circolo_cardgames.games.playout import CARD_MASK, NUMBER_OF, Whim, World
from circolo_cardgames.sight import Sight

from .cards import STRENGTH, THIRDS, thirds_of

WHIM = 0.08
"""The share of cards that are played without sense."""

BIT_OF = [1 << SUITS.index(SUIT_OF[card]) * 10 + STRENGTH[card] for card in DECK]
"""By the card's number."""
CARD_OF: dict[int, int] = {bit: number for number, bit in enumerate(BIT_OF)}
SUIT = [0x3FF << 10 * suit for suit in range(4)]
SUIT_AT = [SUIT[max(0, length - 1) // 10] for length in range(41)]
"""The suit of a card by the length of its number in bits."""


def _all(thirds: int) -> int:
    return sum(BIT_OF[NUMBER_OF[card]] for card in DECK if THIRDS[card] == thirds)


ACES, ONES, NONE = _all(3), _all(1), _all(0)
"""Cards by what they are worth, in thirds."""


def lowest(cards: int) -> int:
    """The weakest of one suit; of several, one of the first suit."""
    return cards & -cards


def highest(cards: int) -> int:
    return 1 << cards.bit_length() - 1


def bits_of(numbers: Sequence[int]) -> int:
    return sum(BIT_OF[number] for number in numbers)


class FollowSuitPlayout:
    """``games.playout.Playout`` of the family; what is sensible, and the points, are each game's own."""

    __slots__ = (
        "_answered", "_aside", "_best", "_drawn", "_hands", "_holder", "_last", "_led", "_out", "_stake", "_stock",
        "_team", "_thirds", "turn",
    )  # fmt: skip

    def __init__(self, sight: Sight, world: World) -> None:
        deal = sight.deal
        self.turn = deal.turn
        self._team = [seat.team for seat in sight.view.seats]
        self._hands = [bits_of(hand) for hand in world.hands]
        self._stock = [BIT_OF[number] for number in world.stock]
        self._drawn = 0
        self._aside = sum(THIRDS[DECK[number]] for number in world.aside)
        self._out = sum(self._hands) + sum(self._stock)
        """Every card that is still to be played."""
        self._thirds = [0] * (max(self._team) + 1)
        for team, pile in zip(self._team, deal.piles, strict=True):
            self._thirds[team] += thirds_of(pile)
        self._last = deal.last_trick_winner
        self._answered = self._best = self._holder = self._led = self._stake = 0
        for played in deal.trick:
            self._lay(BIT_OF[NUMBER_OF[played.card]], played.seat)

    def left(self) -> int:
        return self._out.bit_count()

    def moves(self) -> list[int]:
        if self.turn == NOBODY:
            return []
        hand = self._hands[self.turn]
        cards = hand & self._led if self._answered and hand & self._led else hand
        found = []
        while cards:
            bit = cards & -cards
            cards ^= bit
            found.append(CARD_OF[bit])
        return found

    def copy(self) -> Self:
        other = object.__new__(type(self))
        other.turn, other._team, other._stock, other._aside = self.turn, self._team, self._stock, self._aside
        other._hands, other._thirds = self._hands[:], self._thirds[:]
        other._drawn, other._out, other._last = self._drawn, self._out, self._last
        other._answered, other._best, other._holder = self._answered, self._best, self._holder
        other._led, other._stake = self._led, self._stake
        return other

    def play(self, move: int) -> None:
        self._play(BIT_OF[move & CARD_MASK])

    def _play(self, card: int) -> None:
        seat, hands = self.turn, self._hands
        hands[seat] ^= card
        self._out ^= card
        self._lay(card, seat)
        if self._answered == len(hands):
            self._end_trick()
        else:
            self.turn = (seat + 1) % len(hands)

    def _lay(self, card: int, seat: int) -> None:
        if not self._answered:
            self._led = SUIT_AT[card.bit_length()]
            self._best, self._holder = card, seat
        elif card & self._led and card > self._best:
            self._best, self._holder = card, seat
        self._answered += 1
        self._stake += 3 if card & ACES else 1 if card & ONES else 0

    def _end_trick(self) -> None:
        winner, hands = self._holder, self._hands
        self._thirds[self._team[winner]] += self._stake
        self._answered = self._stake = 0
        self._last = self.turn = winner
        if self._drawn < len(self._stock):
            for step in range(len(hands)):
                hands[(winner + step) % len(hands)] |= self._stock[self._drawn + step]
            self._drawn += len(hands)
        elif not self._out:
            self._thirds[self._team[winner]] += self._aside
            self.turn = NOBODY

    def judged(self) -> tuple[int, ...]:
        raise NotImplementedError

    def finish(self, whim: Whim) -> tuple[float, ...]:
        while self.turn != NOBODY:
            hand = self._hands[self.turn]
            legal = (hand & self._led or hand) if self._answered else hand
            if not legal & (legal - 1):
                card = legal
            elif whim() < WHIM:
                card = _any(legal, whim)
            else:
                card = self._answer(hand, legal) if self._answered else self._lead(hand)
            self._play(card)
        return self.judged()

    def _lead(self, hand: int) -> int:
        raise NotImplementedError

    def _answer(self, hand: int, legal: int) -> int:
        raise NotImplementedError


def _any(cards: int, whim: Whim) -> int:
    for _ in range(int(whim() * cards.bit_count())):
        cards &= cards - 1
    return cards & -cards
