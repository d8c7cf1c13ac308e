"""A game's folder, as the rest of the service sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from circolo_contracts.cardgames import PlayCard
from circolo_contracts.cards import Card
from msgspec import Struct

from circolo_cardgames.sight import Sight

from .playout import Playout, World, Worth
from .rules import CardRules, Settings


def anything(sight: Sight) -> Sequence[frozenset[Card]]:
    """The play so far excludes no card from anybody's hand."""
    return [frozenset()] * len(sight.view.seats)


def margin(sight: Sight) -> Worth:
    """The own points against the average of the others'."""
    own = sight.team

    def worth(points: Sequence[int]) -> float:
        mine = points[own]
        return mine - (sum(points) - mine) / (len(points) - 1)

    return worth


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
    playout: Callable[[Sight, World], Playout] | None = None
    """The present deal, as it would be in that world, for the search of HARD. A game without one is played through by
    its rules, at a tenth of the speed and without sense."""
    worth: Callable[[Sight], Worth] = margin
    """What the search plays for: the points of a complete deal in the eyes of the seat whose sight it is."""
    solved_from: int = 0
    """With so many cards to be played or fewer the search no longer guesses how a world goes on: it plays it out both
    ways to the best end. Only between two sides."""
