"""The family of scopa played through in thought: table and piles are ``sets``, a play is a few sums and bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

from circolo_contracts.cards import DECK, SUIT_OF

from circolo_cardgames.games.deal import NOBODY
from circolo_cardgames.games.playout import CARD_BITS, CARD_MASK, NUMBER_OF, Whim, World
from circolo_cardgames.sight import Sight

from .captures import HIGHEST
from .outlook import SUMS, ahead, invites
from .rules import Fishing
from .scoring import PRIMIERA_OF, SETTEBELLO
from .sets import COINS, INNER_OF, OUTER_OF, THE_SETTEBELLO, UNIT, bits_of, inner, outer, primes, rank_sums

SOLVED_FROM = 4
"""The last plays before new hands, or of the deal."""
NEAR_THE_END = 6
"""So many plays more are no reason to stop before the end."""
WHIM = 0.06
"""The share of cards that are played without sense."""
SCOPA = 1.0
RISK = [0.0] + [0.35] * HIGHEST + [0.0] * (SUMS - HIGHEST)
"""By the sum of what lies on the table: what a scopa of the next player costs by the chance that he can make it."""
LAID = 0.4
"""The share of a laid card's worth that the others will get."""
KEEP_ACE = 0.3
"""What an ace that takes everything is good for later."""
WORTH = [
    0.05
    + 0.13 * (SUIT_OF[DECK[number]] == "D")
    + 1.0 * (DECK[number] == SETTEBELLO)
    + 0.012 * (PRIMIERA_OF[DECK[number]] - 8)
    for number in OUTER_OF
]
"""Of a card that is taken, as in ``thumb`` at the start of a deal, in points."""


class FishingPlayout:
    """``games.playout.Playout`` of the family, with scopa's captures."""

    __slots__ = (
        "_block", "_counts", "_drawn", "_hands", "_held", "_leader", "_piles", "_rules", "_scope", "_stock", "_sum",
        "_table", "_taker", "_team", "turn",
    )  # fmt: skip

    horizon: ClassVar[int] = 8
    """Plays after which a long hand is judged as it lies: further on, mostly the guesses would be added up."""

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
            OUTER_OF[card] | outer(taken) << CARD_BITS for card in self._playable() for taken in self._captures(card)
        ]

    def play(self, move: int) -> None:
        self._play(INNER_OF[move & CARD_MASK], inner(move >> CARD_BITS))

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
        """To the end of these hands where more are dealt, and not much further than ``horizon`` plays in any case."""
        drawn, held = self._drawn, self._held
        until = held - self.horizon if held > self.horizon + NEAR_THE_END else 0
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
        difference = ahead(*self._piles)
        lies = invites(self._table, self._sum)
        difference += -lies if self._team[self.turn] else lies
        return 2.0 + self._scope[0] + difference / 2, 2.0 + self._scope[1] - difference / 2


def _primiera(pile: int) -> int:
    total, complete = primes(pile, 0)
    return total if complete else 0
