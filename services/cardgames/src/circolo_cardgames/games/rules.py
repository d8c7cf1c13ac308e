"""What a card game must say so that the match can be played: pure functions over one deal, and when a match is won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from circolo_contracts.cardgames import CardPlayed, DealScore, LegalMove, TrickEnded
from circolo_contracts.cards import Card
from circolo_contracts.games import SettingValue
from circolo_contracts.refusals import RefusalCode
from msgspec import Struct

from .deal import Deal, Move

DealEvent = CardPlayed | TrickEnded
"""The events that happen within a deal; games that capture and declare add theirs here."""
Settings = Mapping[str, SettingValue]


class Standing(Struct, frozen=True):
    """Where the match is after a number of complete deals."""

    score: tuple[int, ...]
    """By team: what the match is counted in (games won)."""
    outcome: Literal["WON", "TIED"] | None = None
    """None: another deal."""
    winner: int | None = None
    """The team, for WON."""


class CardRules(Protocol):
    """One game. The match calls ``follows`` until it is None after each play, and ``evolve`` for each event."""

    @property
    def kind(self) -> str:
        """As in the game's descriptor."""
        ...

    def deal(self, deck: Sequence[Card], leader: int, seats: int) -> Deal:
        """The opening position of a deal from a shuffled deck."""
        ...

    def legal_moves(self, deal: Deal) -> list[LegalMove]:
        """Of the seat on turn, in the order of its hand; empty when it is nobody's turn."""
        ...

    def refusal(self, deal: Deal, move: Move) -> RefusalCode | None:
        """Why the seat on turn may not do this: CARD_NOT_IN_HAND first, then what the game forbids."""
        ...

    def automatic(self, deal: Deal) -> Move:
        """What the clock plays for the seat on turn: legal, and the least that can be lost."""
        ...

    def follows(self, deal: Deal) -> DealEvent | None:
        """What happens next without anybody's choice (a full trick is taken), or None."""
        ...

    def evolve(self, deal: Deal, event: DealEvent) -> Deal:
        """The deal after the event, from what the event says: no choice and no chance."""
        ...

    def is_over(self, deal: Deal) -> bool: ...

    def points(self, deal: Deal, teams: Sequence[int]) -> tuple[int, ...]:
        """Of a complete deal, by team. ``teams`` is the team of each seat."""
        ...

    def winner(self, points: Sequence[int]) -> int | None:
        """The team that wins a deal with these points; None: a tie."""
        ...

    def standing(self, deals: Sequence[DealScore], sides: int, settings: Settings) -> Standing:
        """Of the match after these deals, for that number of teams."""
        ...
