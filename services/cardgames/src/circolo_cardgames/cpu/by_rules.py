"""A playout by the game's own rules: for games without a faster one, and what a faster one is held against."""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cards import DECK
from msgspec.structs import replace

from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.playout import Whim, World, move_of, numbers_of
from circolo_cardgames.games.rules import CardRules
from circolo_cardgames.sight import Sight


class ByRules:
    """``Playout`` over frozen deals."""

    __slots__ = ("deal", "rules", "teams", "turn")

    def __init__(self, deal: Deal, rules: CardRules, teams: Sequence[int]) -> None:
        self.deal = deal
        self.rules = rules
        self.teams = teams
        self.turn = deal.turn

    @classmethod
    def of(cls, sight: Sight, world: World) -> ByRules:
        """The sight's deal with the world's cards where they are hidden."""
        deal = replace(
            sight.deal,
            aside=tuple(DECK[number] for number in world.aside),
            hands=tuple(tuple(DECK[number] for number in hand) for hand in world.hands),
            stock=tuple(DECK[number] for number in world.stock),
        )
        return cls(deal, sight.rules, [seat.team for seat in sight.view.seats])

    def left(self) -> int:
        return sum(map(len, self.deal.hands)) + len(self.deal.stock)

    def moves(self) -> list[int]:
        return numbers_of(self.rules.legal_moves(self.deal))

    def play(self, move: int) -> None:
        rules, deal = self.rules, self.deal
        deal = rules.evolve(deal, rules.played(deal, move_of(move, deal.turn), 0))
        while (following := rules.follows(deal)) is not None:
            deal = rules.evolve(deal, following)
        self.deal, self.turn = deal, deal.turn

    def copy(self) -> ByRules:
        return ByRules(self.deal, self.rules, self.teams)

    def finish(self, whim: Whim) -> tuple[float, ...]:
        """Any legal card: the rules alone say nothing of sense."""
        while not self.rules.is_over(self.deal):
            moves = self.moves()
            self.play(moves[int(whim() * len(moves))])
        return self.judged()

    def judged(self) -> tuple[int, ...]:
        return tuple(self.rules.count(self.deal, self.teams).points)
