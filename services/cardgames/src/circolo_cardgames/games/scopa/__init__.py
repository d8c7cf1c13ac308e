"""Scopa for two, for four in two teams, and against CPU seats."""

from __future__ import annotations

from circolo_cardgames.fishing.playout import SOLVED_FROM, FishingPlayout
from circolo_cardgames.fishing.thumb import choose
from circolo_cardgames.games.game import Game

from .rules import Scopa

GAME = Game(kind="SCOPA", rules=Scopa.of, rule_of_thumb=choose, playout=FishingPlayout, solved_from=SOLVED_FROM)
