"""The marks in memory: read once, then only what is new; the oldest games are forgotten; a failed read is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cartelle import A
from circolo_contracts.tombola import MarkSet
from circolo_events.store import Written
from circolo_tombola.album import Album, marks_stream
from circolo_tombola.marks import Marks
from circolo_tombola.registry import REGISTRY

GAME = "7" * 32


class Shelf:
    """The streams of some seats, as the store would give them."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Written]] = {}
        self.asked: list[tuple[str, int]] = []
        self.problem: Exception | None = None

    def mark(self, seat: int, number: int, on: bool = True, game: str = GAME) -> None:
        stream = self.rows.setdefault(marks_stream(game, seat), [])
        event = MarkSet(at=1, game_id=game, marked=on, number=number, player=A, seat=seat)
        name, schema, data = REGISTRY.encode(event)
        stream.append(Written(len(stream) + 1, name, schema, data))

    def read(self, stream: str, after: int, read: Callable[[list[Written] | Exception], None]) -> None:
        self.asked.append((stream, after))
        read(self.problem or self.rows.get(stream, [])[after:])


async def test_what_is_known_is_not_read_again() -> None:
    shelf = Shelf()
    album = Album(shelf, REGISTRY)
    assert album.at_hand(GAME, 0) is None
    shelf.mark(0, 4)
    shelf.mark(0, 23)
    await album.refresh(GAME, [0, 1])
    assert album.at_hand(GAME, 0).shown() == [4, 23]  # type: ignore[union-attr]
    assert album.at_hand(GAME, 1) == Marks()
    shelf.mark(0, 4, on=False)
    await album.refresh(GAME, [0])
    assert album.at_hand(GAME, 0).shown() == [23]  # type: ignore[union-attr]
    assert shelf.asked[-1] == (marks_stream(GAME, 0), 2)
    await album.refresh(GAME, [])


async def test_older_marks_never_take_the_place_of_newer_ones() -> None:
    album = Album(Shelf(), REGISTRY)
    album.keep(GAME, 0, Marks(5, frozenset({4}), A))
    album.keep(GAME, 0, Marks(3, frozenset({9}), A))
    assert album.at_hand(GAME, 0).version == 5  # type: ignore[union-attr]


async def test_the_game_that_was_used_longest_ago_is_forgotten_and_read_again() -> None:
    shelf = Shelf()
    album = Album(shelf, REGISTRY, most=2)
    for game in ("1" * 32, "2" * 32, "3" * 32):
        shelf.mark(0, 4, game=game)
        await album.refresh(game, [0])
    assert [album.at_hand(game * 32, 0) is None for game in "123"] == [True, False, False]
    await album.refresh("1" * 32, [0])
    assert album.at_hand("1" * 32, 0).shown() == [4]  # type: ignore[union-attr]


async def test_a_read_that_fails_is_told_and_the_next_one_may_succeed() -> None:
    shelf = Shelf()
    album = Album(shelf, REGISTRY)
    shelf.problem = ConnectionError("away")
    with pytest.raises(ConnectionError):
        await album.refresh(GAME, range(24))
    shelf.problem = None
    shelf.mark(3, 44)
    await album.refresh(GAME, range(24))
    assert album.at_hand(GAME, 3).shown() == [44]  # type: ignore[union-attr]


async def test_an_event_that_cannot_be_read_is_told_too() -> None:
    shelf = Shelf()
    shelf.rows[marks_stream(GAME, 0)] = [Written(1, "MarkSung", 1, b"{}")]
    with pytest.raises(LookupError):
        await Album(shelf, REGISTRY).refresh(GAME, [0, 1])
