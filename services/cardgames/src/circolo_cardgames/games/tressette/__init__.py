"""Tressette for two with a stock, for four in two teams, and against CPU seats."""

from __future__ import annotations

from circolo_cardgames.following.memory import excluded
from circolo_cardgames.games.game import Game

from .playout import SOLVED_FROM, TressettePlayout
from .rules import Tressette
from .thumb import choose

GAME = Game(
    kind="TRESSETTE",
    rules=Tressette.of,
    rule_of_thumb=choose,
    excluded=excluded,
    playout=TressettePlayout,
    solved_from=SOLVED_FROM,
)
