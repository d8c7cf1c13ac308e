"""Scopa under its settings; one deal of it is what the whole family has in common. Rules in words: README.md."""

from __future__ import annotations

from dataclasses import dataclass

from circolo_cardgames.fishing.rules import Fishing, final_sweep
from circolo_cardgames.games.rules import Settings


@dataclass(frozen=True, slots=True)
class Scopa(Fishing):
    """Three cards each and four on the table: for two in six hands, for four in three."""

    @staticmethod
    def of(settings: Settings) -> Scopa:
        return Scopa(int(settings["target"]), final_sweep(settings))
