"""Golden hands of the solitario: as ``circolo_cardgames.golden``, with a line of moves for each turn of the stock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from circolo_contracts.cardgames import MatchEnded
from circolo_contracts.solitaire import (
    CardMoved,
    CardsRemoved,
    SolitaireEvent,
    SolitaireStarted,
    StockTurned,
    WasteTurned,
)
from msgspec import UNSET

from ..games.solitario.notation import written
from ..games.solitario.thumb import choose
from .rehearsal import SolitaireRehearsal


def replayed(case: dict[str, Any]) -> dict[str, Any]:
    """The case as today's rules tell it. Raises ValueError where they refuse one of its moves."""
    rehearsal = SolitaireRehearsal(case["settings"], seed=bytes.fromhex(case["seed"]))
    if "plays" in case:
        rehearsal.play(*" ".join(case["plays"]).split())
    else:
        rehearsal.play_on(choose)
    head = {key: case[key] for key in ("title", "game", "settings", "seed")}
    return {**head, "plays": _plays(rehearsal.events), "story": [line for line in map(_line, rehearsal.events) if line]}


def _plays(events: Sequence[SolitaireEvent]) -> list[str]:
    lines: list[list[str]] = [[]]
    for event in events:
        if isinstance(event, (CardsRemoved, CardMoved, StockTurned, WasteTurned)):
            if isinstance(event, (StockTurned, WasteTurned)):
                lines.append([])
            lines[-1].append(written(event))
    return [" ".join(line) for line in lines if line]


def _line(event: SolitaireEvent) -> str:
    if isinstance(event, SolitaireStarted):
        return f"{' '.join(event.opened)} open; {' '.join(event.deck)}"
    if isinstance(event, CardsRemoved):
        return f"{'+'.join(event.cards)} uncovers {' '.join(event.revealed)}" if event.revealed else ""
    if isinstance(event, StockTurned):
        return f"turned {event.card}" + ("" if event.to_base is UNSET else ", to its base")
    if isinstance(event, WasteTurned):
        return f"the waste is turned over, {event.redeals_left} left"
    return f"solitario: {event.outcome}" if isinstance(event, MatchEnded) else ""
