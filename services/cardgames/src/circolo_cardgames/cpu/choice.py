"""Which move a CPU makes, at each level."""

from __future__ import annotations

import random

from circolo_contracts.cardgames import LegalMove, MatchView, PlayCard
from circolo_contracts.rooms import CpuLevel
from msgspec import UNSET

from circolo_cardgames.games import GAMES


def choose(view: MatchView, level: CpuLevel, command_id: str) -> PlayCard | None:
    """The command for the view's own seat; None when it is not on turn.

    EASY plays any legal card; MEDIUM and HARD by the game's rules of thumb. The same view, level and command id give
    the same choice, so that a deadline that fires twice asks for the same card.
    """
    if view.legal_moves is UNSET or not view.legal_moves:
        return None
    if level == "EASY":
        return _any(view.legal_moves, random.Random(command_id))
    return _first_capture(GAMES[view.game].rule_of_thumb(view))


def _any(moves: list[LegalMove], whim: random.Random) -> PlayCard:
    move = whim.choice(moves)
    return PlayCard(move.card, whim.choice(move.captures) if move.captures else UNSET)


def _first_capture(move: LegalMove) -> PlayCard:
    return PlayCard(move.card, move.captures[0] if move.captures else UNSET)
