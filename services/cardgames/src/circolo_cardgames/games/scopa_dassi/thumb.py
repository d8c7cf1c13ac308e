"""How a sensible player of scopa d'assi chooses: as in scopa, but an ace is kept for a table that is worth it."""

from __future__ import annotations

from circolo_contracts.cardgames import PlayCard

from circolo_cardgames.fishing import thumb
from circolo_cardgames.sight import Sight

HABITS = thumb.Habits(keep_ace=0.3)


def choose(sight: Sight) -> PlayCard:
    """The card that is worth most. The seat must be on turn."""
    return thumb.choose(sight, HABITS)
