"""Briscola for two, for four in two teams, and against CPU seats."""

from __future__ import annotations

from circolo_cardgames.games.game import Game

from .playout import SOLVED_FROM, BriscolaPlayout, worth
from .rules import Briscola
from .thumb import choose

GAME = Game(
    kind="BRISCOLA",
    rules=Briscola.of,
    rule_of_thumb=choose,
    playout=BriscolaPlayout,
    worth=worth,
    solved_from=SOLVED_FROM,
)
