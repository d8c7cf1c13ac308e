"""How a sensible player of scopa chooses a card: rules of thumb and memory, no search.

Everything is weighed in points of the deal. A capture brings the scopa, the settebello and a share of the points for
cards, coins and primiera as long as these are open; against it stands what the next player can take of the table that
it leaves, with cards that have not been seen yet. Out of it come the habits of the card table: leave no sum of ten or
less that makes a scopa, lay a card whose equals are gone, take coins, sevens and sixes, try for the last capture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import comb

from circolo_contracts.cardgames import PlayCard
from circolo_contracts.cards import DECK, RANK_OF, SUIT_OF, SUITS, Card
from msgspec import UNSET, Struct

from circolo_cardgames.sight import Sight

from .captures import Capture
from .rules import Fishing
from .scoring import COINS, PRIMIERA_OF, SETTEBELLO

Table = tuple[Card, ...]

CARD, COIN, PRIME, SCOPA = 0.05, 0.13, 0.012, 1.0
"""Of a card, a coin, each point of primiera above the best that a side has in the suit, and a scopa."""
NO_PRIME = 14
"""What a suit of which a side has nothing counts as in that comparison: something middling will come."""
REPLY, OWN_NEXT, STAYS = 0.9, 0.2, 0.5
"""How much counts of what the next player may take and of what the own hand could take after him; and the chance that
a play leaves the last capture where it is."""


class Habits(Struct, frozen=True):
    """What is minded beside the cards that are won and left, in points of the deal."""

    keep_ace: float = 0.0
    """What an ace is good for later, where it takes everything."""
    pairs: float = 0.0
    """What it is worth to the dealer's side that the taken cards of each rank are even in number, and to the other side
    that they are not: the dealer plays last, and finds the equal of what is laid before him."""


PLAIN = Habits()


def choose(sight: Sight, habits: Habits = PLAIN) -> PlayCard:
    """The card, with its capture, that is worth most. The seat must be on turn."""
    moves = sight.view.legal_moves
    assert moves is not UNSET
    thought = _Thought(sight, habits)
    best, most = None, 0.0
    for move in moves:
        for capture in move.captures or (None,):
            worth = thought.weigh(move.card, None if capture is None else tuple(capture))
            if best is None or worth > most:
                best, most = PlayCard(move.card, UNSET if capture is None else capture), worth
    assert best is not None
    return best


class _Thought:
    """All that is reckoned once for a turn."""

    def __init__(self, sight: Sight, habits: Habits) -> None:
        assert isinstance(sight.rules, Fishing)
        deal, counts = sight.deal, sight.hand_counts()
        self._habits = habits
        self._hand = deal.hands[sight.seat]
        self._plays, self._stock = sum(counts), sight.view.stock_count
        self._rules = sight.rules
        self._table = deal.table
        teams = [seat.team for seat in sight.view.seats]
        ours = [card for seat, pile in enumerate(deal.piles) if teams[seat] == sight.team for card in pile]
        theirs = [card for seat, pile in enumerate(deal.piles) if teams[seat] != sight.team for card in pile]
        self._worth = _worth(ours, theirs)
        self._last_is_ours = 0 if deal.taker < 0 else 1 if teams[deal.taker] == sight.team else -1
        self._odd = _odd_ranks([*ours, *theirs])
        self._dealers = 1 if teams[sight.view.dealer] == sight.team else -1
        following = counts[(sight.seat + 1) % len(counts)] or self._rules.layout(len(counts))[0]
        self._may_hold = _may_hold(sight.unseen(), following, self._worth)

    def weigh(self, card: Card, capture: Capture | None) -> float:
        left = self._plays - 1
        gain, taker = 0.0, self._last_is_ours
        if capture is None:
            table: Table = (*self._table, card)
        else:
            table = tuple(lying for lying in self._table if lying not in capture)
            gain, taker = self._worth[card] + self._taken(self._table, card, capture, self._plays), 1
            gain -= self._habits.pairs * self._dealers * self._change_of_pairs(card, capture)
        if RANK_OF[card] == 1:
            gain -= self._habits.keep_ace
        if not self._stock:
            gain += taker * STAYS**left * sum(self._worth[lying] for lying in table)
        if not left and not self._stock:
            return gain
        return gain - REPLY * self._reply(table, left) + OWN_NEXT * self._own_next(table, card, left - 1)

    def _taken(self, table: Table, card: Card, capture: Capture, plays: int) -> float:
        """What the card takes, without its own worth."""
        gain = sum(self._worth[taken] for taken in capture)
        if self._rules.clears(table, card, capture) and self._rules.scopa_counts(plays, self._stock):
            gain += SCOPA
        return gain

    def _best(self, table: Table, card: Card, own: float, plays: int) -> float:
        """What a play of the card brings at best, its own worth included; 0 when it takes nothing."""
        captures = self._rules.takes(table, card)
        return own + max(self._taken(table, card, each, plays) for each in captures) if captures else 0.0

    def _reply(self, table: Table, plays: int) -> float:
        """What the next player takes on average, if he takes the best that he can."""
        offers = [(self._best(table, card, own, plays), chance) for card, own, chance in self._may_hold]
        expected, otherwise = 0.0, 1.0
        for gain, chance in sorted(offers, reverse=True):
            expected += otherwise * chance * gain
            otherwise *= 1 - chance
        return expected

    def _own_next(self, table: Table, played: Card, plays: int) -> float:
        kept = [card for card in self._hand if card != played]
        return max((self._best(table, card, self._worth[card], plays) for card in kept), default=0.0)

    def _change_of_pairs(self, card: Card, capture: Capture) -> int:
        """By how many more ranks an odd number of cards will be taken."""
        changed = _odd_ranks((card, *capture))
        return len(changed - self._odd) - len(changed & self._odd)


def _worth(ours: list[Card], theirs: list[Card]) -> Mapping[Card, float]:
    """Of each card, to whoever takes it: what is decided already is worth nothing."""
    card_worth = CARD if max(len(ours), len(theirs)) <= 20 else 0.0
    coins = max(sum(SUIT_OF[card] == COINS for card in pile) for pile in (ours, theirs))
    coin_worth = COIN if coins <= 5 else 0.0
    best = [
        {suit: max((PRIMIERA_OF[card] for card in pile if SUIT_OF[card] == suit), default=NO_PRIME) for suit in SUITS}
        for pile in (ours, theirs)
    ]
    return {
        card: card_worth
        + coin_worth * (SUIT_OF[card] == COINS)
        + (card == SETTEBELLO)
        + PRIME * sum(max(0, PRIMIERA_OF[card] - side[SUIT_OF[card]]) for side in best)
        for card in DECK
    }


def _odd_ranks(cards: Iterable[Card]) -> set[int]:
    odd: set[int] = set()
    for card in cards:
        odd ^= {RANK_OF[card]}
    return odd


def _may_hold(unseen: list[Card], size: int, worth: Mapping[Card, float]) -> list[tuple[Card, float, float]]:
    """For each rank: an unseen card of it, what such a card is worth on average, and the chance that a hand of that
    size holds one."""
    all_hands = comb(len(unseen), size)
    by_rank: dict[int, list[Card]] = {}
    for card in unseen:
        by_rank.setdefault(RANK_OF[card], []).append(card)
    return [
        (
            cards[0],
            sum(worth[card] for card in cards) / len(cards),
            1 - comb(len(unseen) - len(cards), size) / all_hands,
        )
        for cards in by_rank.values()
    ]
