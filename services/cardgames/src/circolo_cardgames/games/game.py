"""A game's folder, as the rest of the service sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from circolo_contracts.cardgames import PlayCard
from circolo_contracts.cards import Card
from msgspec import Struct

from circolo_cardgames.sight import Sight

from .rules import CardRules, Settings


def anything(sight: Sight) -> Sequence[frozenset[Card]]:
    """The play so far excludes no card from anybody's hand."""
    return [frozenset()] * len(sight.view.seats)


class Game(Struct, frozen=True):
    """``GAME`` in the ``__init__`` of each game's folder."""

    kind: str
    """As in the game's descriptor."""
    rules: Callable[[Settings], CardRules]
    """The game under complete, valid settings."""
    rule_of_thumb: Callable[[Sight], PlayCard]
    """How a sensible player chooses, from what his own seat sees and has seen. Only called on his turn."""
    excluded: Callable[[Sight], Sequence[frozenset[Card]]] = anything
    """By seat: cards that it cannot hold, as its play so far has shown (it did not follow suit)."""
