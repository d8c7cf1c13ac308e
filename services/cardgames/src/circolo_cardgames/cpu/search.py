"""How HARD chooses: it lays the hidden cards in every way that fits what its seat has seen, and plays on in thought.

In each of these worlds every move is tried and the deal played to its end, by the game's fast playouts or, near the
end, by the best play of both sides; all moves meet the same worlds, so that luck with a world is everybody's. Half of
the moves drop out in each round (sequential halving): most of the time goes to the two that are hard to tell apart.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import ceil, log2
from time import perf_counter

from circolo_contracts.cardgames import PlayCard
from msgspec import UNSET, Struct

from circolo_cardgames.games import GAMES
from circolo_cardgames.games.game import Game
from circolo_cardgames.games.playout import Playout, World, move_of, numbers_of
from circolo_cardgames.sight import Sight

from .by_rules import ByRules
from .endgame import OutOfNodes, Solver
from .worlds import Worlds

SOLVER_NODES = 4_000
"""For one move in one world. A tenth of a position's moves may cost a hundred times the others."""
NODE_PLAYS = 3
"""What a node of the exact search costs, in plays of a playout."""
WORLD_PLAYS = 20
"""What drawing a world costs."""


class Budget(Struct, frozen=True):
    """``plays`` are cards played in thought: the same number of them always leads to the same choice. ``seconds`` is a
    ceiling for a machine that is too slow or too busy for them: what it cuts short may end in another choice.
    """

    plays: int
    seconds: float = 1.0


class Found(Struct, frozen=True):
    """The choice, and what it took."""

    move: PlayCard
    plays: int = 0
    playouts: int = 0
    worlds: int = 0
    seconds: float = 0.0
    cut: bool = False
    """The ceiling of time came before the plays were used up."""


def search(sight: Sight, seed: str, budget: Budget) -> Found:
    """The seat must be on turn. Chance comes from the seed alone."""
    legal = sight.view.legal_moves
    assert legal is not UNSET
    moves = numbers_of(legal)
    if len(moves) == 1:
        return Found(_command(moves[0]))
    return _Search(sight, moves, random.Random(seed), budget).run()


class _Search:
    def __init__(self, sight: Sight, moves: list[int], chance: random.Random, budget: Budget) -> None:
        game = GAMES[sight.view.game]
        self._sight = sight
        self._moves = _sensible_first(moves, game, sight)
        self._chance = chance
        self._budget = budget
        self._worlds = Worlds(sight, game.excluded(sight), chance)
        self._open: Callable[[Sight, World], Playout] = game.playout or ByRules.of
        self._worth = game.worth_to(sight)
        self._is_ours = [seat.team == sight.team for seat in sight.view.seats]
        self._solved_from = game.solved_from if len({seat.team for seat in sight.view.seats}) == 2 else 0
        self._sums = dict.fromkeys(self._moves, 0.0)
        self._started = perf_counter()
        self._plays = self._playouts = self._drawn = 0
        self._cut = False

    def run(self) -> Found:
        moves = self._moves
        rounds = ceil(log2(len(moves)))
        for number in range(1, rounds + 1):
            self._compare(moves, number / rounds)
            best_first = sorted(moves, key=self._sums.__getitem__, reverse=True)  # stable: the sensible one leads ties
            moves = best_first[: ceil(len(moves) / 2)]
        spent = perf_counter() - self._started
        return Found(_command(moves[0]), self._plays, self._playouts, self._drawn, spent, self._cut)

    def _compare(self, moves: list[int], share: float) -> None:
        """Try them in the same worlds, until this share of the budget is gone; in one world at least."""
        plays = self._budget.plays * share
        until = self._started + self._budget.seconds * share
        while True:
            self._try(moves)
            if self._plays >= plays:
                return
            if perf_counter() >= until:
                self._cut = True
                return

    def _try(self, moves: list[int]) -> None:
        world = self._worlds.draw()
        before = self._open(self._sight, world)
        self._drawn += 1
        self._plays += WORLD_PLAYS
        left = before.left()
        value = self._solve if left <= self._solved_from else self._play_out
        for move in moves:
            after = before.copy()
            after.play(move)
            self._sums[move] += value(after, left)
        self._playouts += len(moves)

    def _play_out(self, playout: Playout, left: int) -> float:
        self._plays += left
        return self._worth(playout.finish(self._chance.random))

    def _solve(self, playout: Playout, left: int) -> float:
        solver = Solver(self._worth, self._is_ours, nodes=SOLVER_NODES)
        try:
            return solver.value(playout.copy(), left - 1)
        except OutOfNodes:
            return self._play_out(playout, left)
        finally:
            self._plays += solver.nodes * NODE_PLAYS


def _sensible_first(moves: list[int], game: Game, sight: Sight) -> list[int]:
    """The rule of thumb's choice leads: of moves that are worth the same, a sensible player's is taken."""
    thumb = game.rule_of_thumb(sight)
    return sorted(moves, key=lambda move: _command(move) != thumb)


def _command(number: int) -> PlayCard:
    move = move_of(number, 0)
    return PlayCard(move.card, list(move.capture) if move.capture else UNSET)
