"""The order in which cards leave the deck: the one place that knows it.

In blocks from the top, leader first and then in play order, one block for each seat; what comes after (the table's
four cards, the exposed trump, the stock) is the rest, still from the top. A real dealer goes round more often; the
hands are as random, and the order is easier to check.
"""

from __future__ import annotations

from collections.abc import Sequence

from circolo_contracts.cards import Card

Hands = tuple[tuple[Card, ...], ...]


def leader_after(dealer: int, seats: int) -> int:
    """The seat to the dealer's right plays first; the dealer plays last."""
    return (dealer + 1) % seats


def in_play_order(first: int, seats: int) -> list[int]:
    """Every seat once, from ``first`` on."""
    return [(first + step) % seats for step in range(seats)]


def deal_blocks(deck: Sequence[Card], leader: int, seats: int, size: int) -> tuple[Hands, tuple[Card, ...]]:
    """One block of ``size`` cards for each seat: (the hands by seat number, the rest of the deck from the top)."""
    hands: list[tuple[Card, ...]] = [()] * seats
    for block, seat in enumerate(in_play_order(leader, seats)):
        hands[seat] = tuple(deck[block * size : (block + 1) * size])
    return tuple(hands), tuple(deck[seats * size :])
