"""Tables to sit at."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.rooms import SeatOccupant
from msgspec import UNSET

Sit = Callable[..., Rehearsal]


def player(number: int) -> str:
    """The id of the person at that seat."""
    return f"{number + 1:032x}"


def seed(number: int | str) -> bytes:
    return hashlib.sha256(f"test {number}".encode()).digest()


@pytest.fixture
def sit() -> Sit:
    """``sit(players=2, cpus=(1,), seed_no=0, dealer=1, bestOf=3, ...)``: a briscola match that has just started."""

    def start(
        players: int = 2, *, cpus: tuple[int, ...] = (), seed_no: int | str = 0, dealer: int | None = None,
        level: str = "MEDIUM", game_no: int = 1, **settings: int | str,
    ) -> Rehearsal:  # fmt: skip
        seats = [
            SeatOccupant(cpu=level) if seat in cpus else SeatOccupant(player=player(seat))  # type: ignore[arg-type]
            for seat in range(players)
        ]
        return Rehearsal(
            "BRISCOLA", seats, {"players": players, **settings}, seed=seed(seed_no),
            dealer=UNSET if dealer is None else dealer, game_no=game_no,
        )  # fmt: skip

    return start
