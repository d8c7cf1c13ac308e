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
(the clock played it). The reader deals from the seed, plays every line through the rules and refuses the first that is
not what they allow, naming it. ``python -m circolo_cardgames.record <game>`` writes one from the store, ``--check FILE``
reads one.
"""

from __future__ import annotations

from .read import read_record
from .write import record_of

__all__ = ["read_record", "record_of"]
