"""A game's folder, as the rest of the service sees it."""

from __future__ import annotations

from collections.abc import Callable

from circolo_contracts.cardgames import LegalMove, MatchView
from msgspec import Struct

from .rules import CardRules


class Game(Struct, frozen=True):
    """``GAME`` in the ``__init__`` of each game's folder."""

    rules: CardRules
    rule_of_thumb: Callable[[MatchView], LegalMove]
    """How a sensible player chooses, from what his own seat sees and nothing else. Only called on his turn."""
