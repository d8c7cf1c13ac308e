"""Which move a CPU makes, at each level."""

from __future__ import annotations

import random

from circolo_contracts.cardgames import Declare, LegalMove, PlayCard
from circolo_contracts.rooms import CpuLevel
from msgspec import UNSET

from circolo_cardgames.games import GAMES
from circolo_cardgames.sight import Sight


def choose(sight: Sight, level: CpuLevel, command_id: str) -> PlayCard | None:
    """The command for the seat whose sight this is; None when it is not on turn.

    EASY plays any legal card, MEDIUM by the game's rules of thumb, and so does HARD when there is no time to search
    (``search``, ``thinking``). The same sight, level and command id give
    the same choice, so that a deadline that fires twice asks for the same card.
    """
    moves = sight.view.legal_moves
    if moves is UNSET or not moves:
        return None
    if level == "EASY":
        return _any(moves, random.Random(command_id))
    return GAMES[sight.view.game].rule_of_thumb(sight)


def declarations(sight: Sight) -> list[Declare]:
    """What a CPU announces before its card: whatever it may."""
    declarable = sight.view.declarable
    return [] if declarable is UNSET else [Declare(each.kind, each.rank, each.suit) for each in declarable]


def _any(moves: list[LegalMove], whim: random.Random) -> PlayCard:
    move = whim.choice(moves)
    return PlayCard(move.card, whim.choice(move.captures) if move.captures else UNSET)
