"""The best end of a deal between two sides who see all cards: worth for one's own side, by alpha-beta."""

from __future__ import annotations

from math import inf

from circolo_cardgames.games.deal import NOBODY
from circolo_cardgames.games.playout import Playout, Worth


class Solver:
    """``nodes`` counts the positions that were looked at. Raises OutOfNodes when a search needs more than allowed."""

    def __init__(self, worth: Worth, is_ours: list[bool], *, nodes: int) -> None:
        """``is_ours``: by seat, whether it is on the side that wants the most."""
        self.nodes = 0
        self._allowed = nodes
        self._worth = worth
        self._is_ours = is_ours

    def value(self, playout: Playout, plays: int, least: float = -inf, most: float = inf) -> float:
        """So many plays deep. Exact between ``least`` and ``most``; beyond them only on which side it lies."""
        self.nodes += 1
        if self.nodes > self._allowed:
            raise OutOfNodes
        turn = playout.turn
        if turn == NOBODY or not plays:
            return self._worth(playout.judged())
        ours, best = self._is_ours[turn], None
        moves = playout.moves()
        for move in moves:
            after = playout.copy() if len(moves) > 1 else playout  # which nobody needs any more
            after.play(move)
            value = self.value(after, plays - 1, least, most)
            if best is None or (value > best if ours else value < best):
                best = value
            if ours:
                least = max(least, best)
            else:
                most = min(most, best)
            if least >= most:
                break
        assert best is not None
        return best


class OutOfNodes(Exception):
    """The end is still too far away for an exact search."""
