"""A patience to sit down to."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable

import pytest
from circolo_cardgames.games.solitario.position import Move
from circolo_cardgames.solitaire.rehearsal import SolitaireRehearsal
from circolo_contracts.solitaire import MoveCard, RemoveCards, SolitaireMove, SolitaireView, TurnStock

Lay = Callable[..., SolitaireRehearsal]
TABLES = [
    pytest.param({"game": game, "redeals": redeals}, id=f"{game.lower()}-{redeals}")
    for game in ("PIRAMIDE", "ANONIMO")
    for redeals in (0, 2, 3)
]


def command_of(move: SolitaireMove) -> Move:
    if move.kind == "TURN":
        return TurnStock()
    return RemoveCards(move.cards) if move.kind == "REMOVE" else MoveCard(move.cards[0], move.to)


def whim(number: int) -> Callable[[SolitaireView], Move]:
    """Any legal move, by a chance of its own."""
    chance = random.Random(number)
    return lambda view: command_of(chance.choice(view.legal_moves))


@pytest.fixture
def lay() -> Lay:
    """``lay("PIRAMIDE", redeals=2, seed_no=0)``: a patience that has just been laid out."""

    def start(game: str = "PIRAMIDE", *, redeals: int = 2, seed_no: int = 0) -> SolitaireRehearsal:
        seed = hashlib.sha256(f"patience {seed_no}".encode()).digest()
        return SolitaireRehearsal({"game": game, "redeals": redeals}, seed=seed)

    return start
