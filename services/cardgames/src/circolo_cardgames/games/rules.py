"""What a card game must say so that the match can be played: pure functions over one deal, and when a match is won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol

from circolo_contracts.cardgames import (
    CardPlayed,
    Category,
    DealScore,
    Declaration,
    Declared,
    HandsDealt,
    LegalMove,
    PlayedCard,
    TableTaken,
    TrickEnded,
)
from circolo_contracts.cards import DECK, Card
from circolo_contracts.games import SettingValue
from circolo_contracts.refusals import RefusalCode
from msgspec import Struct

from .deal import Deal, Move

DealEvent = CardPlayed | Declared | TrickEnded | HandsDealt | TableTaken
"""The events that happen within a deal."""
Following = TrickEnded | HandsDealt | TableTaken
"""Those of them that nobody chooses."""
Settings = Mapping[str, SettingValue]
JUST_LAID: Mapping[Card, LegalMove] = {card: LegalMove(card) for card in DECK}
"""Where nothing is captured a card is one move."""


class Count(Struct, frozen=True):
    """A complete deal, counted."""

    points: tuple[int, ...]
    """By team."""
    winner: int | None
    """The team that won the deal; None: a tie."""
    sheet: tuple[Category, ...] = ()
    """What the points are made of, in games that count by categories: they add up to ``points``."""


class Standing(Struct, frozen=True):
    """Where the match is after a number of complete deals."""

    score: tuple[int, ...]
    """By team: what the match is counted in (games won, points, penalties)."""
    outcome: Literal["WON", "TIED"] | None = None
    """None: another deal."""
    winner: int | None = None
    """The team, for WON."""


class CardRules(Protocol):
    """One game under one set of complete, valid settings. Implementations are frozen dataclasses that inherit from it.

    The match calls ``follows`` until it is None after each play, and ``evolve`` for each event.
    """

    draws_are_shown: ClassVar[bool] = False
    """Whether everybody sees each card that is drawn after a trick."""

    def deal(self, deck: Sequence[Card], leader: int, seats: int) -> Deal:
        """The opening position of a deal from a shuffled deck."""
        ...

    def is_void(self, deal: Deal) -> bool:
        """Whether the opening position does not count and the same dealer deals again; a rare thing."""
        return False

    def legal_moves(self, deal: Deal) -> list[LegalMove]:
        """Of the seat on turn, in the order of its hand; empty when it is nobody's turn."""
        ...

    def refusal(self, deal: Deal, move: Move) -> RefusalCode | None:
        """Why the seat on turn may not do this: CARD_NOT_IN_HAND first, then what the game forbids."""
        ...

    def declarable(self, deal: Deal) -> list[Declaration]:
        """What the seat on turn may announce before its card."""
        return []

    def shown(self, deal: Deal) -> Sequence[PlayedCard]:
        """Cards of which everybody knows whose hand they came to, played since or not."""
        return deal.known

    def automatic(self, deal: Deal) -> Move:
        """What the clock plays for the seat on turn: legal, and the least that can be lost."""
        ...

    def played(self, deal: Deal, move: Move, at: int, *, automatic: bool = False) -> CardPlayed:
        """The event of a move that is not refused, with what it takes."""
        return CardPlayed(at, move.card, move.seat, automatic)

    def follows(self, deal: Deal) -> Following | None:
        """What happens next without anybody's choice (a full trick is taken, the next hands are dealt), or None."""
        ...

    def evolve(self, deal: Deal, event: DealEvent) -> Deal:
        """The deal after the event, from what the event says: no choice and no chance."""
        ...

    def is_over(self, deal: Deal) -> bool: ...

    def count(self, deal: Deal, teams: Sequence[int]) -> Count:
        """Of a complete deal. ``teams`` is the team of each seat."""
        ...

    def standing(self, deals: Sequence[DealScore], sides: int) -> Standing:
        """Of the match after these deals, for that number of teams."""
        ...
