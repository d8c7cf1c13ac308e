"""Where the hidden cards may lie: worlds drawn evenly from all that agree with what a seat has seen."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import comb

from circolo_contracts.cards import Card

from circolo_cardgames.games.playout import NUMBER_OF, World
from circolo_cardgames.sight import Sight

Room = tuple[int, ...]
"""Free places by holder: the seats, then the stock, then what is aside."""


class Worlds:
    """Every way to lay the unseen cards that ``excluded`` allows is equally likely.

    Cards that the same holders may have are alike; how many of each kind a holder has is drawn by the exact number of
    ways to fill the rest, so no world is ever thrown away and the drawing cannot get stuck.
    """

    def __init__(self, sight: Sight, excluded: Sequence[frozenset[Card]], chance: random.Random) -> None:
        self._chance = chance
        deal, unseen = sight.deal, sight.unseen()
        self._known = [[NUMBER_OF[card] for card in hand] for hand in deal.hands]
        self._bottom = [NUMBER_OF[card] for card in deal.stock]
        places = [max(0, count - len(hand)) for count, hand in zip(sight.hand_counts(), deal.hands, strict=True)]
        stock = sight.view.stock_count - len(deal.stock)
        self._room: Room = (*places, stock, len(unseen) - sum(places) - stock)
        self._kinds = self._kinds_of(unseen, excluded)
        self._choices: dict[tuple[int, Room], tuple[list[Room], list[int]]] = {}
        self._ways: dict[tuple[int, Room], int] = {}
        if not self.count:  # what was seen contradicts itself: any card may be anywhere
            self._kinds = self._kinds_of(unseen, [frozenset()] * len(excluded))
            self._ways.clear()

    def _kinds_of(
        self, unseen: Sequence[Card], excluded: Sequence[frozenset[Card]]
    ) -> list[tuple[list[int], list[int]]]:
        """(holders, cards) of each kind; those with the fewest holders first, they leave the least choice."""
        kinds: dict[tuple[int, ...], list[int]] = {}
        for card in unseen:
            holders = tuple(
                holder
                for holder, places in enumerate(self._room)
                if places and not (holder < len(excluded) and card in excluded[holder])
            )
            kinds.setdefault(holders, []).append(NUMBER_OF[card])
        return [(list(holders), cards) for holders, cards in sorted(kinds.items(), key=lambda kind: len(kind[0]))]

    @property
    def count(self) -> int:
        """How many ways there are, the order of the stock not counted."""
        return self._ways_from(0, self._room)

    def draw(self) -> World:
        held: list[list[int]] = [[] for _ in self._room]
        room = self._room
        for kind, (holders, cards) in enumerate(self._kinds):
            shares = self._shares(kind, room)
            mixed = cards if len(holders) == 1 else self._chance.sample(cards, len(cards))
            start = 0
            for holder in holders:
                held[holder] += mixed[start : start + shares[holder]]
                start += shares[holder]
            room = tuple(free - taken for free, taken in zip(room, shares, strict=True))
        *hands, stock, aside = held
        self._chance.shuffle(stock)
        return World(
            [known + hand for known, hand in zip(self._known, hands, strict=True)], stock + self._bottom, aside
        )

    def _shares(self, kind: int, room: Room) -> Room:
        """How many cards of this kind each holder gets, drawn by the number of worlds that it leads to."""
        chosen = self._choices.get((kind, room))
        if chosen is None:
            shares = list(self._splits(kind, room))
            chosen = self._choices[kind, room] = (
                shares, list(accumulate(self._weight(kind, room, each) for each in shares))
            )  # fmt: skip
        shares, weights = chosen
        if len(shares) == 1:
            return shares[0]
        return shares[bisect_right(weights, self._chance.randrange(weights[-1]))]

    def _ways_from(self, kind: int, room: Room) -> int:
        if kind == len(self._kinds):
            return 1
        ways = self._ways.get((kind, room))
        if ways is None:
            ways = sum(self._weight(kind, room, shares) for shares in self._splits(kind, room))
            self._ways[kind, room] = ways
        return ways

    def _weight(self, kind: int, room: Room, shares: Room) -> int:
        ways, cards = 1, len(self._kinds[kind][1])
        for share in shares:
            ways *= comb(cards, share)
            cards -= share
        rest = tuple(free - taken for free, taken in zip(room, shares, strict=True))
        return ways * self._ways_from(kind + 1, rest)

    def _splits(self, kind: int, room: Room) -> Iterator[Room]:
        """Every way to share the number of cards of this kind among its holders."""
        holders, cards = self._kinds[kind]
        if kind == len(self._kinds) - 1:  # the last kind fills what is left, or does not fit
            fits = all(not free or holder in holders for holder, free in enumerate(room)) and sum(room) == len(cards)
            if fits:
                yield room
            return
        yield from _splits(len(cards), holders, room)


def _splits(cards: int, holders: Sequence[int], room: Room) -> Iterator[Room]:
    if not holders:
        if not cards:
            yield (0,) * len(room)
        return
    holder, rest = holders[0], holders[1:]
    least = max(0, cards - sum(room[other] for other in rest))
    for share in range(least, min(cards, room[holder]) + 1):
        for split in _splits(cards - share, rest, room):
            yield (*split[:holder], share, *split[holder + 1 :])
