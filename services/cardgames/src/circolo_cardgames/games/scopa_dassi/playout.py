"""Scopa d'assi played through in thought: scopa, but for what an ace takes."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_cardgames.fishing.playout import FishingPlayout
from circolo_cardgames.games.playout import World
from circolo_cardgames.sight import Sight

from .rules import ScopaDassi

ACES = 0b1111
"""The four aces, as a set of cards."""


class ScopaDassiPlayout(FishingPlayout):
    __slots__ = ("_aces",)

    horizon = 40
    """To the end: who still holds an ace decides too much to be judged at a glance."""

    def __init__(self, sight: Sight, world: World) -> None:
        super().__init__(sight, world)
        assert isinstance(sight.rules, ScopaDassi)
        self._aces = sight.rules

    def copy(self) -> ScopaDassiPlayout:
        other = super().copy()
        other._aces = self._aces
        return other

    def _playable(self) -> list[int]:
        """The "vile" may not open a deal of ten cards each with an ace."""
        hand = self._hands[self.turn]
        return [card for card in hand if not ACES >> card & 1] if self._held == 40 and self._aces.vile else hand

    def _special(self, card: int) -> bool:
        return True

    def _captures(self, card: int) -> Sequence[int]:
        if not ACES >> card & 1:
            return super()._captures(card)
        lying = self._table & ACES
        if self._aces.ace_on_ace == "ALL" or not lying:
            return (self._table,)
        return [1 << suit for suit in range(4) if lying >> suit & 1]

    def _keeps_itself(self, card: int) -> bool:
        return not self._table and bool(ACES >> card & 1) and self._aces.ace_on_empty == "OWN_PILE"

    def _clears(self, card: int, taken: int) -> bool:
        if taken != self._table:
            return False
        lone_ace = taken.bit_count() == 1 and bool(taken & ACES)
        return self._aces.ace_sweep_is_scopa or lone_ace or not ACES >> card & 1
