"""Presence from live subscriptions: one lease for each member, whatever tabs and refreshes there are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from circolo_contracts.ids import RoomId
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import RENEWED_AT_ONCE, DropPresence, HoldPresence, RenewPresence
from circolo_contracts.wire import Refused
from msgspec import UNSET

ADA, EVE = "a" * 32, "e" * 32
ROOM = RoomId("1" * 32)


async def _read(updates: Any) -> None:
    async with aclosing(updates) as source:
        async for _ in source:
            pass


def _watch(table: Any, viewer: str) -> asyncio.Task[None]:
    return asyncio.create_task(_read(table.watch.room(ROOM, viewer, UNSET)))


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _until(true: Callable[[], bool], seconds: float = 3.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


def _kinds(table: Any) -> list[type]:
    return [type(command) for _, command in table.said]


async def test_a_second_tab_and_a_refresh_are_one_lease(table: Any) -> None:
    first, second = _watch(table, ADA), _watch(table, ADA)
    await _until(lambda: _kinds(table) != [])
    await asyncio.sleep(0.1)
    assert _kinds(table) == [HoldPresence]
    assert table.said[0] == (f"room-{ROOM}", HoldPresence(table.presence.gateway, ADA))
    await _stop(first)
    await _stop(second)
    again = _watch(table, ADA)
    await asyncio.sleep(0.15)
    assert DropPresence not in _kinds(table)
    await _stop(again)
    await _until(lambda: _kinds(table)[-1] is DropPresence)
    assert not table.presence.held(ROOM, ADA)


async def test_a_lease_is_renewed_every_third_of_it_and_after_a_reconnect(table: Any) -> None:
    task = _watch(table, ADA)
    await _until(lambda: len(table.said) >= 4)
    gateway = table.presence.gateway
    assert table.said[1:4] == [(f"presence-{gateway}", RenewPresence(gateway, {ROOM: [ADA]}))] * 3
    before = len(table.said)
    for callback in table.bus.reconnected:
        callback()
    await asyncio.sleep(0.02)
    assert len(table.said) > before
    await _stop(task)


async def test_all_leases_are_renewed_by_a_few_messages(table: Any) -> None:
    rooms = [f"{n:032x}" for n in range(300)]
    for room in rooms:
        for player in (ADA, EVE):
            table.presence.enter(room, player)
    await asyncio.sleep(0)
    table.said.clear()
    for callback in table.bus.reconnected:
        callback()
    await asyncio.sleep(0)
    kept = [command.players for _, command in table.said]
    assert [sum(map(len, players.values())) for players in kept] == [RENEWED_AT_ONCE, RENEWED_AT_ONCE, 88]
    named = [(room, player) for players in kept for room, there in players.items() for player in there]
    assert sorted(named) == sorted((room, player) for room in rooms for player in (ADA, EVE))


async def test_spectators_and_who_is_not_signed_in_have_no_lease_until_they_are_members(table: Any) -> None:
    table.room.private = False
    tv, eve = _watch(table, ""), _watch(table, EVE)
    await _until(lambda: table.feeds.subscribers == 2)
    assert table.said == []
    table.room.members = [ADA, EVE]
    table.room.commit("PlayerJoined")
    await _until(lambda: table.said != [])
    assert table.said == [(f"room-{ROOM}", HoldPresence(table.presence.gateway, EVE))]
    table.room.members = [ADA]
    table.room.commit("PlayerLeft")
    await _until(lambda: _kinds(table)[-1] is DropPresence)
    await _stop(tv)
    await _stop(eve)


async def test_who_resumes_with_everything_is_present_at_once(table: Any) -> None:
    task = asyncio.create_task(_read(table.watch.room(ROOM, ADA, 1)))
    await _until(lambda: _kinds(table)[:1] == [HoldPresence])
    await _stop(task)


async def test_rooms_of_the_version_before_are_told_of_each_lease(table: Any) -> None:
    places = [(f"{n:032x}", ADA) for n in range(3)]
    for room, player in places:
        table.presence.enter(room, player)
    await asyncio.sleep(0)
    table.said.clear()
    table.said_back = Refused(RefusalCode.NOT_FOUND)
    for callback in table.bus.reconnected:
        callback()
    await _until(lambda: len(table.said) >= 4)
    held = HoldPresence(table.presence.gateway, ADA)
    assert _kinds(table)[0] is RenewPresence
    assert table.said[1:4] == [(f"room-{room}", held) for room, _ in places]
