"""How a sensible player of scopone chooses: as in scopa, with an eye on the pairs, as all the cards are out at once."""

from __future__ import annotations

from circolo_contracts.cardgames import PlayCard

from circolo_cardgames.fishing import thumb
from circolo_cardgames.sight import Sight

HABITS = thumb.Habits(pairs=0.02)


def choose(sight: Sight) -> PlayCard:
    """The card that is worth most. The seat must be on turn."""
    return thumb.choose(sight, HABITS)
