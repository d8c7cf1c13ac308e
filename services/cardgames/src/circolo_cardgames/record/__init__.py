"""The record of a finished match, as people read it: headers, then one line a move. What PGN is to chess.

::

    [Format "circolo-record-1"]
    [Game "SCOPA"]
    ...
    deal 1, shuffle 1, seat 1 deals
    1. 0 7B*3C+4S #
    2. 1 !D
    3. 1 3D
    deal 1 ends 3-1, score 3-1
    WON by team 0

A move is its number, the seat, the move in the house's notation and, if it applies, ``#`` (it was a scopa) or ``@``
(the clock played it). A solitario has no deals and no seats to name: its line is the move and, in brackets, what it
uncovered. The reader deals from the seed, plays every line through the rules and refuses the first that is not what
they allow, naming it. ``python -m circolo_cardgames.record <game>`` writes one from the store, ``--check FILE`` reads
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.games import SOLITARIO
from circolo_contracts.solitaire import SolitaireEvent, SolitaireStarted

from circolo_cardgames.export import GameEvent

from .patience import patience_record, read_patience
from .read import parts_of, read_match
from .write import match_record

__all__ = ["read_record", "record_of"]


def record_of(events: Sequence[GameEvent]) -> str:
    """Raises Unreadable for a game that never started or is not over: its seed is still secret."""
    if events and isinstance(events[0], SolitaireStarted):
        return patience_record(cast("Sequence[SolitaireEvent]", events))
    return match_record(cast("Sequence[MatchEvent]", events))


def read_record(text: str) -> Sequence[GameEvent]:
    """The game, played again by the rules; its times are not the record's. Raises Unreadable, naming the line."""
    tags, body = parts_of(text)
    return read_patience(tags, body) if tags.get("Game") == SOLITARIO.kind else read_match(tags, body)
