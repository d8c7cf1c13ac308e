"""A viewer with several subscriptions in one room: asked about once, and shown out of all of them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from circolo_contracts.ids import GameId, RoomId
from circolo_contracts.refusals import RefusalCode
from circolo_gateway.streams.update import NotShown
from circolo_gateway.streams.watch import GameAddress
from gateway_reader import Reader, until
from msgspec import UNSET

ADA, BEA = "a" * 32, "b" * 32
ROOM = RoomId("1" * 32)
GAME = GameId("2" * 32)
AT = GameAddress("cardgames", f"match-{GAME}", ROOM, GAME)


async def in_the_room(table: Any, viewer: str) -> Reader:
    """He watches the room, in which a game runs and which has pushed something."""
    table.game.commit("MatchStarted")
    room = Reader(table.watch.room(ROOM, viewer, UNSET))
    await room.reaches(1)
    table.room.commit("CpuSeated")
    await room.reaches(2)
    return room


async def test_who_watches_the_room_already_is_asked_about_once(table: Any) -> None:
    room = await in_the_room(table, ADA)
    asked = table.room.asked
    game = Reader(table.watch.game(AT, ADA, UNSET))
    await game.reaches(1)
    assert table.room.asked == asked
    other = Reader(table.watch.game(AT, BEA, UNSET))
    await other.reaches(1)
    assert table.room.asked == asked + 1
    await room.stop()
    table.game.commit("CardPlayed")
    await game.reaches(2)
    first, second = game.got
    assert (first.reset, first.version, second.reset) == (True, 1, False)
    assert [msgspec.json.decode(each)["at_version"] for each in second.happened] == [2]
    again = Reader(table.watch.game(AT, ADA, UNSET))
    await again.reaches(2)
    assert table.room.asked == asked + 1, "beside the game's own place in the room"
    for reader in (game, again, other):
        await reader.stop()
    late = Reader(table.watch.game(AT, ADA, UNSET))
    await late.reaches(2)
    assert table.room.asked == asked + 2, "nobody of him was there any more"
    await late.stop()


async def test_a_second_subscription_opens_no_door_that_is_just_being_closed(table: Any) -> None:
    room = await in_the_room(table, BEA)
    asked = table.room.asked
    table.room.answer_after = 0.2
    table.room.members = [ADA]
    table.room.commit("PlayerLeft")
    await until(lambda: table.room.asked > asked)  # the first one waits for the answer
    games = [Reader(table.watch.game(AT, BEA, UNSET)) for _ in range(3)]
    await asyncio.wait_for(asyncio.gather(room.task, *(game.task for game in games)), 3)
    for reader in (room, *games):
        assert isinstance(reader.ended, NotShown)
        assert reader.ended.code is RefusalCode.NOT_ALLOWED
    assert [game.got for game in games] == [[], [], []]


async def test_a_second_subscription_follows_the_room_like_the_first(table: Any) -> None:
    room = await in_the_room(table, BEA)
    game = Reader(table.watch.game(AT, BEA, UNSET))
    await game.reaches(1)
    await room.stop()
    table.room.members = [ADA]
    table.room.commit("PlayerLeft")
    await asyncio.wait_for(game.task, 3)
    assert isinstance(game.ended, NotShown)
    assert game.ended.code is RefusalCode.NOT_ALLOWED
