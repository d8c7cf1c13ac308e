"""Scopa d'assi (asso piglia tutto) for two, for four in two teams, and against CPU seats."""

from __future__ import annotations

from circolo_cardgames.fishing.playout import SOLVED_FROM
from circolo_cardgames.games.game import Game

from .playout import ScopaDassiPlayout
from .rules import ScopaDassi
from .thumb import choose

GAME = Game(
    kind="SCOPA_DASSI", rules=ScopaDassi.of, rule_of_thumb=choose, playout=ScopaDassiPlayout, solved_from=SOLVED_FROM
)
