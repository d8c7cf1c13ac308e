"""Vinciperdi played through in thought: below when it can, rid of what is dangerous when it need not follow."""

from __future__ import annotations

from circolo_cardgames.following.cards import DEAL_POINTS
from circolo_cardgames.following.playout import ACES, SUIT, FollowSuitPlayout, highest, lowest

from .scoring import penalties


class VinciperdiPlayout(FollowSuitPlayout):
    __slots__ = ()

    def judged(self) -> tuple[int, ...]:
        last = self._team[self._last]
        points = penalties(self._thirds, last)
        if points[last] == DEAL_POINTS:
            return tuple([0 if side == last else DEAL_POINTS for side in range(len(points))])
        return tuple(points)

    def _lead(self, hand: int) -> int:
        """The card over which most of the others' are, if they have any of its suit."""
        others = self._out & ~hand
        best, most = 0, -100.0
        for suit in SUIT:
            mine = hand & suit
            if not mine:
                continue
            card, against = lowest(mine), others & suit
            over = against & -card
            weight = over.bit_count() - 2.0 * (against & (card - 1)).bit_count() if against else -20.0
            if card & ACES:
                weight -= 3
            if weight > most:
                best, most = card, weight
        return best

    def _answer(self, hand: int, legal: int) -> int:
        if not legal & self._led:
            return legal & ACES or _most_dangerous(legal)
        below = legal & (self._best - 1)
        if below:
            return below & ACES or highest(below)
        if self._answered == len(self._hands) - 1:
            return highest(legal & ~ACES or legal)
        return lowest(legal & ~ACES or legal)


def _most_dangerous(cards: int) -> int:
    """The strongest of any suit."""
    best, most = 0, -1
    for suit in SUIT:
        mine = cards & suit
        if mine:
            strength = (mine.bit_length() - 1) % 10
            if strength > most:
                best, most = highest(mine), strength
    return best
