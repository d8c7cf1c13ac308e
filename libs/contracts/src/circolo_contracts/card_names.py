"""What the forty cards are called: labels for people. The games know only rank and suit."""

from __future__ import annotations

from functools import cache
from typing import Literal

from msgspec import Struct

from .cards import DECK, RANK_OF, SUIT_OF, Card
from .languages import Language

CardStyle = Literal["TRADITIONAL", "GUEST_VESPA_KING"]
"""TRADITIONAL: fante, cavallo, re. GUEST_VESPA_KING: the club's own deck, with a guest, a Vespa and a king."""
CARD_STYLES: tuple[CardStyle, ...] = ("TRADITIONAL", "GUEST_VESPA_KING")

_PIPS: dict[Language, tuple[str, ...]] = {
    "IT": ("Asso", "Due", "Tre", "Quattro", "Cinque", "Sei", "Sette"),
    "EN": ("Ace", "Two", "Three", "Four", "Five", "Six", "Seven"),
}
_FIGURES: dict[CardStyle, dict[Language, tuple[str, str, str]]] = {
    "TRADITIONAL": {"IT": ("Fante", "Cavallo", "Re"), "EN": ("Knave", "Knight", "King")},
    "GUEST_VESPA_KING": {"IT": ("Ospite", "Vespa", "Re"), "EN": ("Guest", "Vespa", "King")},
}
_SUITS: dict[Language, dict[str, str]] = {
    "IT": {"D": "Denari", "C": "Coppe", "S": "Spade", "B": "Bastoni"},
    "EN": {"D": "Coins", "C": "Cups", "S": "Swords", "B": "Clubs"},
}
_OF: dict[Language, str] = {"IT": "di", "EN": "of"}


class CardName(Struct, frozen=True):
    card: Card
    name: str
    """``Asso di denari``, ``Ace of coins``."""
    rank: str
    suit: str


@cache
def card_names(style: CardStyle, language: Language) -> tuple[CardName, ...]:
    """All forty, in the order of ``DECK``."""
    ranks = _PIPS[language] + _FIGURES[style][language]
    return tuple(_named(card, ranks[RANK_OF[card] - 1], language) for card in DECK)


def _named(card: Card, rank: str, language: Language) -> CardName:
    suit = _SUITS[language][SUIT_OF[card]]
    return CardName(card, f"{rank} {_OF[language]} {suit.lower()}", rank, suit)
