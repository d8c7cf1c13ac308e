"""The family of scopa played through in thought: table and piles are sets of cards in one integer each.

Within such a set a rank is four bits, denari the lowest: what lies of a rank is one nibble, and of equal cards the
coin is the lowest bit. Which ranks add up to a card depends on how many of each rank lie and not on their suits, so
that a small table of such counts answers for nearly every position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import sqrt, tanh
from typing import Self

from circolo_contracts.cards import DECK, RANK_OF, SUIT_OF, SUITS, Card

from circolo_cardgames.games.deal import NOBODY
from circolo_cardgames.games.playout import CARD_BITS, CARD_MASK, NUMBER_OF, Whim, World
from circolo_cardgames.sight import Sight

from .captures import HIGHEST
from .rules import Fishing
from .scoring import PRIMIERA, PRIMIERA_OF, SETTEBELLO

SOLVED_FROM = 4
"""The last plays before new hands, or of the deal."""
WHIM = 0.06
"""The share of cards that are played without sense."""
SCOPA = 1.0
RISK = [0.0] + [0.35] * HIGHEST + [0.0] * 90
"""By the sum of what lies on the table: what a scopa of the next player costs by the chance that he can make it."""
HORIZON = 8
"""Plays after which a long hand is judged as it lies: further on, mostly the guesses would be added up."""
NEAR_THE_END = 6
NO_PRIME = 4
INVITES = [0.0] + [0.3] * HIGHEST + [0.1] * 90
"""By the sum of what lies on the table: what it is worth to the side on turn."""
SEVEN_LIES = 0.4


def _ahead(spread: float, most: int) -> list[list[float]]:
    """``[untaken][difference]``: which side's point it will be, from 1 to -1, the less certain the more is untaken.

    The spreads fit what became of such differences in deals among CPUs. A negative difference counts from the end.
    """
    return [
        [tanh(each / (spread * sqrt(untaken + 0.3))) for each in (*range(most + 1), *range(-most, 0))]
        for untaken in range(41)
    ]


CARDS_AHEAD, COINS_AHEAD, PRIMES_AHEAD = _ahead(2.4, 40), _ahead(1.5, 10), _ahead(6.8, 84)
KEEP_ACE = 0.3
"""What an ace that takes everything is good for later."""
LAID = 0.4
"""The share of a laid card's worth that the others will get."""

INNER_OF = [4 * (RANK_OF[card] - 1) + SUITS.index(SUIT_OF[card]) for card in DECK]
"""By the card's number in the deck: its place in these sets."""
OUTER_OF = sorted(range(40), key=INNER_OF.__getitem__)
UNIT = [1 << 3 * rank for rank in range(HIGHEST)]
"""By rank, ace 0: one more of it in the counts of what lies."""


def bits_of(cards: Iterable[Card]) -> int:
    return sum(1 << INNER_OF[NUMBER_OF[card]] for card in cards)


COINS = sum(1 << inner for inner in range(0, 40, 4))
THE_SETTEBELLO = bits_of([SETTEBELLO])
PRIMES = [
    [
        (bits_of(card for card in DECK if SUIT_OF[card] == suit and PRIMIERA_OF[card] == value), value)
        for value in sorted(set(PRIMIERA.values()), reverse=True)
    ]
    for suit in SUITS
]
"""By suit, the dearest first: the cards of a value in the primiera, and the value."""
WORTH = [
    0.05
    + 0.13 * (SUIT_OF[DECK[outer]] == "D")
    + 1.0 * (DECK[outer] == SETTEBELLO)
    + 0.012 * (PRIMIERA_OF[DECK[outer]] - 8)
    for outer in OUTER_OF
]
"""Of a card that is taken, as in ``thumb`` at the start of a deal, in points."""


@lru_cache(maxsize=100_000)
def rank_sums(counts: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """By the rank played (ace 0): every set of two or more of the lying ranks that adds up to it."""
    lying = [rank for rank in range(HIGHEST) for _ in range(counts >> 3 * rank & 7)]
    sums: list[set[tuple[int, ...]]] = [set() for _ in range(HIGHEST + 1)]
    sums[0].add(())
    for rank in lying:
        for total in range(HIGHEST - rank - 1, -1, -1):
            sums[total + rank + 1] |= {(*ranks, rank) for ranks in sums[total]}
    return tuple(tuple(sorted(ranks for ranks in each if len(ranks) > 1)) for each in sums[1:])


@lru_cache(maxsize=20_000)
def _outer(inner: int) -> int:
    """The same set by the numbers of the deck."""
    return sum(1 << OUTER_OF[place] for place in range(40) if inner >> place & 1)


@lru_cache(maxsize=20_000)
def _inner(outer: int) -> int:
    return sum(1 << INNER_OF[number] for number in range(40) if outer >> number & 1)


class FishingPlayout:
    """``games.playout.Playout`` of the family, with scopa's captures."""

    __slots__ = (
        "_block", "_counts", "_drawn", "_hands", "_held", "_leader", "_piles", "_rules", "_scope", "_stock", "_sum",
        "_table", "_taker", "_team", "turn",
    )  # fmt: skip

    def __init__(self, sight: Sight, world: World) -> None:
        deal, rules = sight.deal, sight.rules
        assert isinstance(rules, Fishing)
        self.turn, self._leader = deal.turn, deal.leader
        self._team = [seat.team for seat in sight.view.seats]
        self._rules = rules
        self._hands = [[INNER_OF[number] for number in hand] for hand in world.hands]
        self._held = sum(map(len, self._hands))
        self._block = rules.layout(len(self._hands))[0]
        self._stock = [INNER_OF[number] for number in world.stock]
        self._drawn = self._table = self._counts = self._sum = 0
        self._put(INNER_OF[NUMBER_OF[card]] for card in deal.table)
        sides = max(self._team) + 1
        self._piles, self._scope = [0] * sides, [0] * sides
        for team, pile, scope in zip(self._team, deal.piles, deal.sweeps, strict=True):
            self._piles[team] |= bits_of(pile)
            self._scope[team] += len(scope)
        self._taker = self._team[deal.taker] if deal.taker != NOBODY else NOBODY

    def _put(self, cards: Iterable[int]) -> None:
        for card in cards:
            self._table |= 1 << card
            self._counts += UNIT[card >> 2]
            self._sum += (card >> 2) + 1

    def left(self) -> int:
        return self._held

    def copy(self) -> Self:
        other = object.__new__(type(self))
        other.turn, other._leader, other._team, other._rules = self.turn, self._leader, self._team, self._rules
        other._hands = [hand[:] for hand in self._hands]
        other._held, other._block, other._stock, other._drawn = self._held, self._block, self._stock, self._drawn
        other._table, other._counts, other._sum = self._table, self._counts, self._sum
        other._piles, other._scope, other._taker = self._piles[:], self._scope[:], self._taker
        return other

    def moves(self) -> list[int]:
        if self.turn == NOBODY:
            return []
        return [
            OUTER_OF[card] | _outer(taken) << CARD_BITS for card in self._playable() for taken in self._captures(card)
        ]

    def play(self, move: int) -> None:
        self._play(INNER_OF[move & CARD_MASK], _inner(move >> CARD_BITS))

    # ------------------------------------------------------------ captures; scopa d'assi has other ones for its aces

    def _playable(self) -> list[int]:
        """The cards that the seat on turn may play."""
        return self._hands[self.turn]

    def _captures(self, card: int) -> Sequence[int]:
        """Every set of table cards that it may take; (0,) when it is laid."""
        rank = card >> 2
        nibble = self._table >> 4 * rank & 15
        if nibble:
            return [1 << 4 * rank + suit for suit in range(4) if nibble >> suit & 1]
        found = [taken for ranks in rank_sums(self._counts)[rank] for taken in self._sets(ranks)]
        return found or (0,)

    def _sets(self, ranks: tuple[int, ...]) -> list[int]:
        """Every choice of lying cards with these ranks, which are in order."""
        found = [0]
        previous = -1
        for rank in ranks:
            lying = [1 << place for place in range(4 * rank, 4 * rank + 4) if self._table >> place & 1]
            if rank == previous:  # of equal ranks in rising order, so that no set comes twice
                found = [taken | card for taken in found for card in lying if card > taken]
            else:
                found = [taken | card for taken in found for card in lying]
            previous = rank
        return found

    def _keeps_itself(self, card: int) -> bool:
        """Whether a card that takes nothing still goes to its player's pile."""
        return False

    def _clears(self, card: int, taken: int) -> bool:
        """Whether taking these cards empties the table in the way that makes a scopa."""
        return taken == self._table

    # ------------------------------------------------------------ a play

    def _play(self, card: int, taken: int) -> None:
        seat = self.turn
        team = self._team[seat]
        hand = self._hands[seat]
        hand.remove(card)
        if taken:
            if self._clears(card, taken) and self._rules.scopa_counts(self._held, len(self._stock) - self._drawn):
                self._scope[team] += 1
            self._piles[team] |= taken | 1 << card
            self._taker = team
            if taken == self._table:
                self._table = self._counts = self._sum = 0
            else:
                self._table ^= taken
                while taken:
                    rank = (taken & -taken).bit_length() - 1 >> 2
                    taken &= taken - 1
                    self._counts -= UNIT[rank]
                    self._sum -= rank + 1
        elif self._keeps_itself(card):
            self._piles[team] |= 1 << card
            self._taker = team
        else:
            self._table |= 1 << card
            self._counts += UNIT[card >> 2]
            self._sum += (card >> 2) + 1
        self._held -= 1
        if self._held:
            self.turn = (seat + 1) % len(self._hands)
        else:
            self._deal_on()

    def _deal_on(self) -> None:
        """The next hands, or the end: the table goes to who captured last."""
        seats = len(self._hands)
        if self._drawn < len(self._stock):
            for step in range(seats):
                start = self._drawn + step * self._block
                self._hands[(self._leader + step) % seats] = self._stock[start : start + self._block]
            self._drawn += seats * self._block
            self._held = seats * self._block
            self.turn = self._leader
            return
        if self._taker != NOBODY:
            self._piles[self._taker] |= self._table
            self._table = self._counts = self._sum = 0
        self.turn = NOBODY

    # ------------------------------------------------------------ playing on

    def finish(self, whim: Whim) -> tuple[float, ...]:
        """To the end of these hands where more are dealt, and not much further than ``HORIZON`` plays in any case."""
        drawn, held = self._drawn, self._held
        until = held - HORIZON if held > HORIZON + NEAR_THE_END else 0
        while self.turn != NOBODY and self._drawn == drawn and self._held >= until:
            hand = self._playable()
            if whim() < WHIM:
                card = hand[int(whim() * len(hand))]
                choices = self._captures(card)
                self._play(card, choices[int(whim() * len(choices))])
            else:
                self._play(*self._sensible(hand))
        return self.judged()

    def _sensible(self, hand: Sequence[int]) -> tuple[int, int]:
        """What brings most cards, coins and scope, and leaves the next one least: a glance, where ``thumb`` counts."""
        table, total, sums = self._table, self._sum, None
        best, best_taken, most = hand[0], 0, -100.0
        for card in hand:
            rank = card >> 2
            if not rank and self._special(card):
                taken = self._captures(card)[0]
                is_laid = not taken and not self._keeps_itself(card)
                value = -LAID * WORTH[card] - RISK[total + 1] if is_laid else self._value(card, taken) - KEEP_ACE
            elif nibble := table >> 4 * rank & 15:
                taken = (nibble & -nibble) << 4 * rank
                value = WORTH[card] + WORTH[taken.bit_length() - 1]
                value += SCOPA if taken == table else -RISK[total - rank - 1]
            else:
                if sums is None:
                    sums = rank_sums(self._counts)
                taken = 0
                if sums[rank]:
                    value = -100.0
                    for ranks in sums[rank]:
                        candidate = self._dearest(ranks)
                        worth = self._value(card, candidate)
                        if worth > value:
                            value, taken = worth, candidate
                else:
                    value = -LAID * WORTH[card] - RISK[total + rank + 1]
            if value > most:
                best, best_taken, most = card, taken, value
        return best, best_taken

    def _special(self, card: int) -> bool:
        """Whether an ace takes by a rule of its own."""
        return False

    def _value(self, card: int, taken: int) -> float:
        value, rest, sums = WORTH[card], taken, 0
        while rest:
            place = (rest & -rest).bit_length() - 1
            rest &= rest - 1
            value += WORTH[place]
            sums += (place >> 2) + 1
        if taken and self._clears(card, taken):
            return value + SCOPA
        return value - RISK[self._sum - sums]

    def _dearest(self, ranks: tuple[int, ...]) -> int:
        """Of the lying cards with these ranks, coins first."""
        taken = 0
        for rank in ranks:
            free = (self._table & ~taken) & 15 << 4 * rank
            taken |= free & -free
        return taken

    # ------------------------------------------------------------ points

    def judged(self) -> tuple[float, ...]:
        return self._counted() if self.turn == NOBODY else self._outlook()

    def _counted(self) -> tuple[int, ...]:
        """One for most cards, coins, the settebello and the primiera, and the scope; between two sides."""
        one, two = self._piles
        first, second = self._scope
        for ours, theirs in (
            (one.bit_count(), two.bit_count()),
            ((one & COINS).bit_count(), (two & COINS).bit_count()),
            (one & THE_SETTEBELLO, two & THE_SETTEBELLO),
            (_primiera(one), _primiera(two)),
        ):
            first += ours > theirs
            second += theirs > ours
        return first, second

    def _outlook(self) -> tuple[float, ...]:
        """What may be expected of the deal, from what is taken and from what invites who is on turn."""
        one, two = self._piles
        untaken = 40 - one.bit_count() - two.bit_count()
        coins = one & COINS, two & COINS
        ahead = CARDS_AHEAD[untaken][one.bit_count() - two.bit_count()]
        ahead += COINS_AHEAD[10 - coins[0].bit_count() - coins[1].bit_count()][
            coins[0].bit_count() - coins[1].bit_count()
        ]
        ahead += PRIMES_AHEAD[untaken][_best_primes(one) - _best_primes(two)]
        if (one | two) & THE_SETTEBELLO:
            ahead += 1 if one & THE_SETTEBELLO else -1
        invites = INVITES[self._sum] + (SEVEN_LIES if self._table & THE_SETTEBELLO else 0.0)
        ahead += -invites if self._team[self.turn] else invites
        return 2.0 + self._scope[0] + ahead / 2, 2.0 + self._scope[1] - ahead / 2


def _best_primes(pile: int) -> int:
    """The primiera so far, with little for a suit that is still missing."""
    total = 0
    for suit in PRIMES:
        for cards, value in suit:
            if pile & cards:
                total += value
                break
        else:
            total += NO_PRIME
    return total


def _primiera(pile: int) -> int:
    total = 0
    for suit in PRIMES:
        for cards, value in suit:
            if pile & cards:
                total += value
                break
        else:
            return 0
    return total
