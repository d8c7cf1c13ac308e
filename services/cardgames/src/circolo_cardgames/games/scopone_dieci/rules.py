"""Scopone with ten cards (scopone scientifico) under its settings. Rules in words: README.md."""

from __future__ import annotations

from dataclasses import dataclass

from circolo_cardgames.fishing.rules import Fishing, final_sweep
from circolo_cardgames.games.rules import Settings


@dataclass(frozen=True, slots=True)
class ScoponeDieci(Fishing):
    """Ten cards each and an empty table. Nothing is opened, so no deal is void."""

    target: int = 21

    @staticmethod
    def of(settings: Settings) -> ScoponeDieci:
        return ScoponeDieci(int(settings["target"]), final_sweep(settings))

    def layout(self, seats: int) -> tuple[int, int]:
        return 10, 0
