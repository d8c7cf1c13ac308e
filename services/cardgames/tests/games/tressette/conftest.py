"""Tressette tables, and positions written in a line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET

Sit = Callable[..., Rehearsal]


@pytest.fixture
def sit_down() -> Sit:
    """``sit_down(players=4, number=0, dealer=0, target=21, declarations=False)``: CPU players on every seat."""

    def start(players: int, number: int | str = 0, *, dealer: int | None = 0, **settings: int) -> Rehearsal:
        return Rehearsal(
            "TRESSETTE", [SeatOccupant(cpu="MEDIUM")] * players, {"players": players, **settings},
            seed=hashlib.sha256(f"tressette {number}".encode()).digest(), dealer=UNSET if dealer is None else dealer,
        )  # fmt: skip

    return start
