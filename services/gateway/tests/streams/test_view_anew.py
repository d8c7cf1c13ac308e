"""A view that changes without an event, as when somebody marks his ticket: shown to its audience alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from circolo_contracts.ids import GameId, RoomId
from circolo_contracts.wire import Pushed, encoder, view_subject
from circolo_gateway.streams.watch import GameAddress
from gateway_reader import Reader, until
from msgspec import UNSET, Raw

ADA, BEA = "a" * 32, "b" * 32
ROOM = RoomId("1" * 32)
GAME = GameId("2" * 32)
AT = GameAddress("cardgames", f"match-{GAME}", ROOM, GAME)


def anew(owner: Any, audience: str = "seat-0", version: int | None = None) -> None:
    """Pushes this audience's view once more, as it is now."""
    at = owner.version if version is None else version
    pushed = Pushed(at, at, [], Raw(encoder.encode(owner.view(audience))))
    owner.bus.publish(view_subject(owner.stream, audience), encoder.encode(pushed))


def hands(reader: Reader) -> list[bool]:
    """Of each update, whether its view has the changed hand."""
    return [b"7D" in bytes(update.view) for update in reader.got]


@pytest.fixture
async def watched(table: Any) -> Any:
    table.game.commit("MatchStarted")
    return table


async def test_it_comes_to_its_own_audience_with_the_same_version_and_nothing_happened(watched: Any) -> None:
    mine, other = Reader(watched.watch.game(AT, ADA, UNSET)), Reader(watched.watch.game(AT, BEA, UNSET))
    await mine.reaches(1)
    await other.reaches(1)
    watched.game.hands[0] = ["7D"]
    anew(watched.game)
    await until(lambda: len(mine.got) == 2)
    assert (mine.versions, mine.got[1].reset, list(mine.got[1].happened)) == ([1, 1], False, [])
    assert hands(mine) == [False, True]
    watched.game.commit("CardPlayed")
    for reader in (mine, other):
        await reader.reaches(2)
        await reader.stop()
    assert (mine.versions, other.versions) == ([1, 1, 2], [1, 2])


async def test_one_of_an_older_version_is_dropped(watched: Any) -> None:
    watched.game.commit("CardPlayed")
    reader = Reader(watched.watch.game(AT, ADA, UNSET))
    await reader.reaches(2)
    anew(watched.game, version=1)
    watched.game.commit("CardPlayed")
    await reader.reaches(3)
    await reader.stop()
    assert reader.versions == [2, 3]


async def test_one_that_comes_after_a_lost_push_heals_it(watched: Any) -> None:
    reader = Reader(watched.watch.game(AT, ADA, UNSET))
    await reader.reaches(1)
    watched.game.lose = 1
    watched.game.commit("CardPlayed")
    watched.game.hands[0] = ["7D"]
    anew(watched.game)
    await reader.reaches(2)
    await until(lambda: hands(reader)[-1])
    await reader.stop()
    assert sorted(set(reader.versions)) == [1, 2]


async def test_one_that_comes_while_somebody_joins_is_not_lost(watched: Any) -> None:
    first = Reader(watched.watch.game(AT, ADA, UNSET))
    await first.reaches(1)
    watched.game.answer_after = 0.3
    late = Reader(watched.watch.game(AT, ADA, UNSET))
    asked = watched.game.asked
    await until(lambda: watched.game.asked > asked)
    watched.game.hands[0] = ["7D"]
    anew(watched.game)
    await until(lambda: len(first.got) == 2)
    await until(lambda: bool(late.got) and hands(late)[-1])
    for reader in (first, late):
        await reader.stop()
    assert set(late.versions) == {1}


async def test_a_slow_reader_is_shown_the_newest_one(table: Any) -> None:
    table.game.commit("MatchStarted")
    reader = Reader(table.watch.game(AT, ADA, UNSET), pause=0.05)
    await reader.reaches(1)
    for number in range(1, 101):
        table.game.hands[0] = [f"{1 + number % 10}C"]
        anew(table.game)
    table.game.hands[0] = ["7D"]
    anew(table.game)
    async with asyncio.timeout(6):
        while not hands(reader)[-1]:
            await asyncio.sleep(0.02)
    await reader.stop()
    assert set(reader.versions) == {1}
    assert len(reader.got) < 101, "the waiting ones are merged"
