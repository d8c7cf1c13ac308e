"""``python -m circolo_cardgames.verify <game>``: prove that a finished match or solitario was dealt and counted fairly.

Reads the match from the store (CIRCOLO_POSTGRES_URL) or, with ``--file``, from a file that ``--export`` wrote; then
it needs no server. It follows the seed through every shuffle and the rules through every card. What it proves:
nothing was changed after the commitment was published. What it cannot prove: that the seed was drawn blindly.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import cast

from circolo_contracts.cardgames import MatchEvent
from circolo_contracts.solitaire import SolitaireEvent, SolitaireStarted
from circolo_service.proof import Check, Proof

from .checks import check as check_match
from .export import MATCHES, GameEvent
from .reactions import MATCH, SOLITAIRE
from .solitaire.checks import check as check_solitaire


def check(game_id: str, events: Sequence[GameEvent]) -> Iterator[Check]:
    """By the game that the first event starts. Raises Unreadable."""
    if isinstance(events[0], SolitaireStarted):
        return check_solitaire(game_id, cast("Sequence[SolitaireEvent]", events))
    return check_match(game_id, cast("Sequence[MatchEvent]", events))


PROOF = Proof("cardgames", (MATCH, SOLITAIRE), MATCHES, check, called="a card game")

if __name__ == "__main__":
    sys.exit(PROOF.main())
