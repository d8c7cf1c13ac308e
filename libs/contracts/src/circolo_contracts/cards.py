"""The Italian deck: 40 cards, a rank of 1 to 10 and a suit letter (``7D`` is the settebello)."""

from __future__ import annotations

from typing import NewType

Card = NewType("Card", str)
"""``<rank><suit>``: rank 1 (asso) to 7, 8 fante, 9 cavallo, 10 re; suit as in ``SUITS``."""

SUITS = "DCSB"
"""Denari (coins), Coppe (cups), Spade (swords), Bastoni (clubs)."""
RANKS = range(1, 11)
DECK: tuple[Card, ...] = tuple(Card(f"{rank}{suit}") for suit in SUITS for rank in RANKS)
"""In the order that every shuffle starts from (docs/decisions/0003)."""

RANK_OF: dict[Card, int] = {card: int(card[:-1]) for card in DECK}
SUIT_OF: dict[Card, str] = {card: card[-1] for card in DECK}


def is_card(text: str) -> bool:
    return text in RANK_OF
