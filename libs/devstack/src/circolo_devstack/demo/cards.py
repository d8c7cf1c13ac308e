"""How the demos say cards and seats."""

from __future__ import annotations

TABLE = ("South", "East", "North", "West")
"""The seats as one sits: the next to play is at one's right, the partner opposite."""
PAIRS = ("South and North", "East and West")
"""By team."""
SUITS = {"D": "denari", "C": "coppe", "S": "spade", "B": "bastoni"}
RANKS = {"1": "Asso", "8": "Fante", "9": "Cavallo", "10": "Re"}


def card_name(card: str) -> str:
    """``7D`` as the table says it: 7 di denari."""
    return f"{RANKS.get(card[:-1], card[:-1])} di {SUITS[card[-1]]}"
