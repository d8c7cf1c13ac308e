"""How a move is written: the house's notation, for golden hands and records.

``7D`` plays the seven of denari; ``7B*3C+4S`` takes the three and the four with the seven of bastoni. A declaration is
``!D`` (napoletana in denari), ``!3-B`` (three threes, without the one of bastoni) or ``!3`` (all four).
"""

from __future__ import annotations

import re

from circolo_contracts.cardgames import CardPlayed, Declaration, Declare, Declared, PlayCard
from circolo_contracts.cards import Card
from msgspec import UNSET

_CARD = r"(?:10|[1-9])[DCSB]"
_PLAY = re.compile(rf"({_CARD})(?:\*({_CARD}(?:\+{_CARD})*))?")
_DECLARATION = re.compile(r"!(?:([DCSB])|([123])(?:-([DCSB]))?)")


def move_from(text: str) -> PlayCard | Declare:
    """Raises ValueError for what is no move."""
    play = _PLAY.fullmatch(text)
    if play is not None:
        card, captured = play.groups()
        return PlayCard(Card(card), UNSET if captured is None else [Card(each) for each in captured.split("+")])
    declared = _DECLARATION.fullmatch(text)
    if declared is None:
        raise ValueError(f"{text!r} is no move")
    napoletana, rank, missing = declared.groups()
    if napoletana is not None:
        return Declare("NAPOLETANA", suit=napoletana)
    return Declare("BUONGIOCO", rank=int(rank), suit=UNSET if missing is None else missing)


def written(move: PlayCard | CardPlayed | Declare | Declared) -> str:
    """The same as text: of what a seat wants to do, or of what it did."""
    if isinstance(move, (Declare, Declared)):
        return _announced(move.declaration if isinstance(move, Declared) else move)
    captured = move.capture if isinstance(move, PlayCard) else move.captured
    return f"{move.card}*{'+'.join(captured)}" if captured else str(move.card)


def _announced(declaration: Declare | Declaration) -> str:
    if declaration.kind == "NAPOLETANA":
        return f"!{declaration.suit}"
    return f"!{declaration.rank}" + ("" if declaration.suit is UNSET else f"-{declaration.suit}")
