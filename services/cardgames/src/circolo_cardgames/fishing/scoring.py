"""The score sheet of scopa and its kin: cards, coins, settebello, primiera and scope."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from circolo_contracts.cardgames import Category
from circolo_contracts.cards import DECK, RANK_OF, SUIT_OF, SUITS, Card

from circolo_cardgames.games.score import alone_ahead

SETTEBELLO = Card("7D")
COINS = "D"
PRIMIERA: dict[int, int] = {7: 21, 6: 18, 1: 16, 5: 15, 4: 14, 3: 13, 2: 12, 8: 10, 9: 10, 10: 10}
"""Of a rank: what the best card of each suit adds to the primiera."""
PRIMIERA_OF: dict[Card, int] = {card: PRIMIERA[RANK_OF[card]] for card in DECK}

_WORTH = {
    card: 1 + 3 * (SUIT_OF[card] == COINS) + 20 * (card == SETTEBELLO) + max(0, PRIMIERA_OF[card] - 15) for card in DECK
}


def worth(card: Card) -> int:
    """A rough order of what one would rather have taken: settebello, sevens, sixes and coins before the rest."""
    return _WORTH[card]


def primiera(pile: Iterable[Card]) -> int:
    """The sum of the best card in each suit; 0 when a suit is missing."""
    best = dict.fromkeys(SUITS, 0)
    for card in pile:
        best[SUIT_OF[card]] = max(best[SUIT_OF[card]], PRIMIERA_OF[card])
    return sum(best.values()) if all(best.values()) else 0


def sheet(
    piles: Sequence[Sequence[Card]], sweeps: Sequence[Sequence[Card]], teams: Sequence[int]
) -> tuple[Category, ...]:
    """Partners' piles and scope count together. ``teams`` is the team of each seat."""
    sides = max(teams) + 1
    taken: list[list[Card]] = [[] for _ in range(sides)]
    scope = [0] * sides
    for seat, team in enumerate(teams):
        taken[team] += piles[seat]
        scope[team] += len(sweeps[seat])
    return (
        _compared("CARDS", [len(cards) for cards in taken]),
        _compared("COINS", [sum(SUIT_OF[card] == COINS for card in cards) for cards in taken]),
        _compared("SETTEBELLO", [cards.count(SETTEBELLO) for cards in taken]),
        _compared("PRIMIERA", [primiera(cards) for cards in taken]),
        Category("SWEEPS", scope, scope),
    )


def _compared(name: str, amounts: list[int]) -> Category:
    """One point to the side with most; when two have as much, to nobody."""
    winner = alone_ahead(amounts)
    return Category(name, [int(side == winner) for side in range(len(amounts))], amounts)


def total(lines: Sequence[Category]) -> tuple[int, ...]:
    """By team."""
    return tuple(map(sum, zip(*(line.points for line in lines), strict=True)))
