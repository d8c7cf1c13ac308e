"""Scopone with nine cards under its settings. Rules in words: README.md."""

from __future__ import annotations

from dataclasses import dataclass

from circolo_cardgames.fishing.rules import Fishing, final_sweep
from circolo_cardgames.games.rules import Settings


@dataclass(frozen=True, slots=True)
class ScoponeNove(Fishing):
    """Nine cards each; the last four of the deck are opened on the table."""

    target: int = 16

    @staticmethod
    def of(settings: Settings) -> ScoponeNove:
        return ScoponeNove(int(settings["target"]), final_sweep(settings))

    def layout(self, seats: int) -> tuple[int, int]:
        return 9, 4
