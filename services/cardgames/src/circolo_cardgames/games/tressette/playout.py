"""Tressette played through in thought, by a player who remembers what is gone: sure tricks, guards, the partner."""

from __future__ import annotations

from circolo_cardgames.following.playout import ACES, NONE, ONES, SUIT, FollowSuitPlayout, highest, lowest
from circolo_cardgames.games.playout import World
from circolo_cardgames.sight import Sight

from .declarations import points_by_team
from .scoring import LAST_TRICK, points_of

SOLVED_FROM = 12
"""The last three tricks of four players, the last six of two."""

STRONG = sum(3 << 8 + 10 * suit for suit in range(4))
"""Twos and threes."""


class TressettePlayout(FollowSuitPlayout):
    __slots__ = ("_declared",)

    def __init__(self, sight: Sight, world: World) -> None:
        super().__init__(sight, world)
        self._declared = points_by_team(sight.deal, self._team) if sight.deal.declared else None

    def copy(self) -> TressettePlayout:
        other = super().copy()
        other._declared = self._declared
        return other

    def judged(self) -> tuple[int, ...]:
        thirds = self._thirds[:]
        thirds[self._team[self._last]] += LAST_TRICK
        points = points_of(thirds)
        if self._declared is None:
            return tuple(points)
        return tuple([sum(both) for both in zip(points, self._declared, strict=True)])

    def _lead(self, hand: int) -> int:
        """A sure trick, the asso first; else low from the longest suit with a strong card, not from under an asso."""
        others = self._out & ~hand
        best, most = 0, -100
        for suit in SUIT:
            mine = hand & suit
            if not mine:
                continue
            against = others & suit
            top = highest(mine)
            if against < top:
                asso = mine & ACES
                card = asso if asso and asso > against else top
                weight = 20 + against.bit_count() + (3 if card & ACES else 0)
            else:
                card = lowest(mine)
                weight = mine.bit_count() + (3 if mine & STRONG else 0) - (4 if mine & ACES else 0)
                weight -= 3 if card & ACES else 1 if card & ONES else 0
            if weight > most:
                best, most = card, weight
        return best

    def _answer(self, hand: int, legal: int) -> int:
        is_last = self._answered == len(self._hands) - 1
        over = -(self._best << 1) & self._led
        others = self._out & ~hand
        if self._team[self._holder] == self._team[self.turn]:
            if is_last or not others & over:
                return legal & ACES or lowest(legal & ONES & ~STRONG or legal & NONE or legal)
            if not legal & over or self._answered == 1:
                return _worthless(legal)
        above = legal & over
        if not above:
            return _worthless(legal)
        if is_last:
            if not self._stake and not above & ~STRONG:
                return _worthless(legal)
            return above & ACES or lowest(above)
        top = highest(above)
        if others & self._led < top:
            asso = above & ACES
            return asso if asso > others & self._led else top
        if self._answered > 1 and not top & ACES:
            return top
        return _worthless(legal)


def _worthless(legal: int) -> int:
    return lowest(legal & NONE or legal & ONES & ~STRONG or legal & ONES or legal)
