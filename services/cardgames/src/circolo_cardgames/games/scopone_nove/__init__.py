"""Scopone with nine cards, for four in two teams."""

from __future__ import annotations

from circolo_cardgames.fishing.playout import SOLVED_FROM, FishingPlayout
from circolo_cardgames.games.game import Game

from .rules import ScoponeNove
from .thumb import choose

GAME = Game(
    kind="SCOPONE_NOVE", rules=ScoponeNove.of, rule_of_thumb=choose, playout=FishingPlayout, solved_from=SOLVED_FROM
)
