"""Scopa d'assi (asso piglia tutto) under its settings: scopa, but for what an ace takes. Rules in words: README.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from circolo_contracts.cards import RANK_OF, Card

from circolo_cardgames.fishing.captures import Capture, captures
from circolo_cardgames.fishing.rules import Fishing
from circolo_cardgames.games.deal import Deal
from circolo_cardgames.games.rules import Settings

ACE = 1


@dataclass(frozen=True, slots=True)
class ScopaDassi(Fishing):
    """Every custom of the ace on its own; the setting ``preset`` chooses between two sets that go together."""

    ace_on_ace: Literal["ONE", "ALL"] = "ONE"
    """What an ace takes where an ace lies beside other cards: that ace, as an equal card before everything else, or
    the whole table."""
    ace_on_empty: Literal["LAID", "OWN_PILE"] = "LAID"
    """What becomes of an ace on an empty table. OWN_PILE: its player takes it; a capture, but no scopa."""
    vile: bool = False
    """For four, the first card of a deal may not be an ace."""
    ace_sweep_is_scopa: bool = False
    """Whether an ace that takes the whole table makes a scopa. An ace that takes one lone ace makes one in any case:
    it is equal to it."""

    @staticmethod
    def of(settings: Settings) -> ScopaDassi:
        target = int(settings["target"])
        if settings["preset"] == "PORTAL":
            return ScopaDassi(target, ace_on_ace="ALL", ace_on_empty="OWN_PILE", vile=True)
        return ScopaDassi(target)

    def layout(self, seats: int) -> tuple[int, int]:
        """For four, all the cards at once and an empty table."""
        return (10, 0) if seats == 4 else (3, 4)

    def takes(self, table: tuple[Card, ...], card: Card) -> Sequence[Capture]:
        """A lying ace is worth 1 in the sums of other cards; a played one adds up to nothing."""
        if RANK_OF[card] != ACE:
            return captures(table)[RANK_OF[card]]
        if not table:
            return ((),) if self.ace_on_empty == "OWN_PILE" else ()
        if self.ace_on_ace == "ALL":
            return (table,)
        return [(lying,) for lying in table if RANK_OF[lying] == ACE] or (table,)

    def clears(self, table: tuple[Card, ...], card: Card, capture: Capture) -> bool:
        if not 0 < len(capture) == len(table):
            return False
        lone_ace = len(table) == 1 and RANK_OF[table[0]] == ACE
        return self.ace_sweep_is_scopa or lone_ace or RANK_OF[card] != ACE

    def forbidden(self, deal: Deal, card: Card) -> bool:
        """The rule of the "vile": of ten cards six are no aces, so that another one can always be played."""
        return self.vile and not deal.played and len(deal.hands) == 4 and RANK_OF[card] == ACE
