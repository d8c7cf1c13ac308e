"""Vinciperdi, tressette turned round: for four, each for himself, or for three; CPU players on any seat."""

from __future__ import annotations

from circolo_cardgames.following.memory import excluded
from circolo_cardgames.games.game import Game

from .playout import VinciperdiPlayout
from .rules import Vinciperdi
from .thumb import choose

GAME = Game(
    kind="VINCIPERDI",
    rules=Vinciperdi.of,
    rule_of_thumb=choose,
    excluded=excluded,
    playout=VinciperdiPlayout,
    fewest_win=True,
)
