"""A game's folder, as the rest of the service sees it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from circolo_contracts.cardgames import DealScore, PlayCard
from circolo_contracts.cards import Card
from msgspec import Struct

from circolo_cardgames.sight import Sight

from .playout import Playout, World, Worth
from .rules import CardRules, Settings


def anything(sight: Sight) -> Sequence[frozenset[Card]]:
    """The play so far excludes no card from anybody's hand."""
    return [frozenset()] * len(sight.view.seats)


MATCH = 6.0
"""What winning the match with this deal is worth beside its points."""


def margin(sight: Sight, sign: int) -> Worth:
    """The own points against the average of the others', and the match if the deal decides it. ``sign`` is -1 where
    points are penalties."""
    own, view, rules = sight.team, sight.view, sight.rules
    matches: dict[tuple[float, ...], float] = {}

    def match(points: Sequence[float]) -> float:
        deal = DealScore(view.deal_no, [int(each) for each in points])
        standing = rules.standing((*view.deals, deal), len(points))
        return 0.0 if standing.winner is None else MATCH if standing.winner == own else -MATCH

    def worth(points: tuple[float, ...]) -> float:
        mine = points[own]
        value = sign * (mine - (sum(points) - mine) / (len(points) - 1))
        if not isinstance(mine, int):
            return value
        won = matches.get(points)
        if won is None:
            won = matches[points] = match(points)
        return value + won

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
    fewest_win: bool = False
    """Whether points are penalties."""
    worth: Callable[[Sight], Worth] | None = None
    """What the search plays for, where that is not simply most points, or fewest: a complete deal in the eyes of the
    seat whose sight it is."""
    solved_from: int = 0
    """With so many cards to be played or fewer the search no longer guesses how a world goes on: it plays it out both
    ways to the best end. Only between two sides."""

    def worth_to(self, sight: Sight) -> Worth:
        """What the search plays for in that seat."""
        return margin(sight, -1 if self.fewest_win else 1) if self.worth is None else self.worth(sight)
