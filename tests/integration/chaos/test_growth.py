"""Evening after evening, nothing is left behind in any process."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterator

import pytest
from chaos.growth import at_rest, grown, held, memory_growth
from circolo_devstack.stack import Stack, stack
from evening import JOIN, LEAVE, ROOM_SUBSCRIPTION, Follower, Table, done, guests, open_room, play_out, sit_down


@pytest.fixture
def fresh() -> Iterator[Stack]:
    """Memory is compared within one life of the processes."""
    with stack() as running:
        yield running


async def cycle(url: str, number: int, *, play: bool = True) -> None:
    """Open, sit down, follow, play to the end, leave: the room closes."""
    async with guests(url, "Nord", "Sud") as people:
        if play:
            table = await sit_down(people)
            async with Follower(people[1], "room", ROOM_SUBSCRIPTION, room=table.room["id"]) as room:
                await play_out(table, seed=number)
                await room.until(lambda update: update["room"]["phase"] == "LOBBY")
        else:
            opened = await open_room(people[0])
            table = Table(opened, "", {})
            async with Follower(people[0], "room", ROOM_SUBSCRIPTION, room=opened["id"]):
                await done(people[1], JOIN, code=opened["code"], watch=False)
        for person in people:
            await done(person, LEAVE, roomId=table.room["id"])


async def cycles(url: str, first: int, count: int, *, at_once: int, play: bool) -> None:
    for start in range(first, first + count, at_once):
        numbers = range(start, min(start + at_once, first + count))
        await asyncio.gather(*(cycle(url, number, play=play) for number in numbers))


async def test_game_R1_opened_and_closed_rooms_leave_no_task_socket_or_subscription(victim: Stack) -> None:
    """The short form: 40 rooms; memory is measured by the long one."""
    async with asyncio.timeout(120):
        await cycles(victim.url, 0, 10, at_once=10, play=False)
        before = await at_rest(victim)
        await cycles(victim.url, 10, 40, at_once=10, play=False)
        assert not grown(before, await at_rest(victim, before))


@pytest.mark.soak
async def test_fifty_evenings_from_opening_to_the_last_card_leave_nothing_behind(
    fresh: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.timeout(900):
        await cycles(fresh.url, 0, 60, at_once=4, play=True)
        before = await at_rest(fresh)
        await cycles(fresh.url, 60, 50, at_once=4, play=True)
        after = await at_rest(fresh, before)
    growth = memory_growth(before, after)
    with capsys.disabled():
        print(f"\n50 cycles: memory grew by % {json.dumps(growth)}")
    assert not grown(before, after)
    assert max(growth.values()) < 5, growth


@pytest.mark.soak
async def test_game_R1_thousands_of_rooms_are_opened_and_closed(
    fresh: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row says 10,000 rooms and +-5 %: CIRCOLO_SOAK_ROOMS of them (2,000), after 1,000 that warm up the caches."""
    count = int(os.environ.get("CIRCOLO_SOAK_ROOMS", "2000"))
    async with asyncio.timeout(count * 0.5 + 600):
        await cycles(fresh.url, 0, 1000, at_once=10, play=False)
        before = await at_rest(fresh)
        await cycles(fresh.url, 1000, count, at_once=10, play=False)
        after = await at_rest(fresh, before)
    growth = memory_growth(before, after)
    with capsys.disabled():
        print(f"\n{count} rooms: memory grew by % {json.dumps(growth)}, {json.dumps(after['gateway'].gauges)}")
    assert not grown(before, after)
    assert max(growth.values()) < 5, growth


async def test_what_is_held_is_seen_while_it_is_held(victim: Stack) -> None:
    """The measure itself: an open subscription shows as a socket, a subscription on NATS, tasks."""
    rng = random.Random(1)
    async with asyncio.timeout(60):
        before = await at_rest(victim)
        async with guests(victim.url, f"Guest {rng.random():.6f}") as (guest,):
            room = await open_room(guest)
            async with Follower(guest, "room", ROOM_SUBSCRIPTION, room=room["id"]):
                now = await asyncio.to_thread(held, victim)
                text = "\n".join(grown(before, now))
                for what in ("client sockets", "subscriptions", "circolo_loop_tasks", "circolo_gateway_sockets"):
                    assert what in text
            await done(guest, LEAVE, roomId=room["id"])
        assert not grown(before, await at_rest(victim, before))
