"""Evening after evening, nothing is left behind in any process."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterator

import pytest
from chaos.growth import at_rest, grown, held, memory_growth
from circolo_devstack.api import Api, Follower
from circolo_devstack.stack import Stack, stack
from circolo_events.runtime import SWEEP_SECONDS
from evening import JOIN, LEAVE, ROOM_SUBSCRIPTION, Table, done, guests, open_room, play_out, sit_down

NAMES = [f"Guest {number}" for number in range(16)]


@pytest.fixture
def fresh() -> Iterator[Stack]:
    """Memory is compared within one life of the processes."""
    with stack() as running:
        yield running


async def cycle(people: list[Api], number: int, *, play: bool) -> None:
    """Open, sit down, follow, play to the end, leave: the room closes. Without play: open, join, leave."""
    if play:
        table = await sit_down(people)
        async with Follower(people[1], "room", ROOM_SUBSCRIPTION, room=table.room["id"]) as room:
            await play_out(table, seed=number)
            await room.until(lambda update: update["room"]["phase"] == "LOBBY")
    else:
        table = Table(await open_room(people[0]), "", {})
        async with Follower(people[0], "room", ROOM_SUBSCRIPTION, room=table.room["id"]):
            await done(people[1], JOIN, code=table.room["code"], watch=False)
    for person in people:
        await done(person, LEAVE, roomId=table.room["id"])


async def cycles(people: list[Api], count: int, *, play: bool) -> None:
    """Two and two at tables of their own, ``count`` tables in all. The same people each time: what is kept for each
    person (a name, a token) is bounded by itself and not what is measured."""
    pairs = [people[n : n + 2] for n in range(0, len(people), 2)]

    async def evening(pair: list[Api], first: int) -> None:
        for number in range(first, count, len(pairs)):
            await cycle(pair, number, play=play)

    await asyncio.gather(*(evening(pair, first) for first, pair in enumerate(pairs)))


async def test_game_R1_opened_and_closed_rooms_leave_no_task_socket_or_subscription(victim: Stack) -> None:
    """The short form: 24 rooms; memory is measured by the long one."""
    async with asyncio.timeout(120), guests(victim.url, *NAMES) as people:
        await cycles(people, 8, play=False)
        before = await at_rest(victim)
        await cycles(people, 24, play=False)
        assert not grown(before, await at_rest(victim, before))


async def measured(house: Stack, *, play: bool, warm: int, count: int, idle: float = 0.0) -> dict[str, float]:
    """Growth of memory in percent by process; everything else must not have grown at all.

    First as many evenings as it takes until the collector's thresholds are reached for the first time. ``idle``
    seconds pass before each look, for what is kept some time after its last use.
    """
    async with guests(house.url, *NAMES) as people:
        await cycles(people, 300, play=True)
        await cycles(people, warm, play=play)
        await asyncio.sleep(idle)
        before = await at_rest(house)
        await cycles(people, count, play=play)
        await asyncio.sleep(idle)
        after = await at_rest(house, before)
    assert not grown(before, after)
    return memory_growth(before, after)


@pytest.mark.soak
async def test_fifty_evenings_from_opening_to_the_last_card_leave_nothing_behind(
    fresh: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.timeout(1200):
        growth = await measured(fresh, play=True, warm=0, count=50)
    with capsys.disabled():
        print(f"\n50 evenings: memory grew by % {json.dumps(growth)}")
    assert max(growth.values()) < 5, growth


@pytest.mark.soak
async def test_game_R1_thousands_of_rooms_are_opened_and_closed(
    fresh: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row says 10,000 rooms and +-5 %: CIRCOLO_SOAK_ROOMS of them (2,000), after as many that warm up."""
    count = int(os.environ.get("CIRCOLO_SOAK_ROOMS", "2000"))
    async with asyncio.timeout(count + 1800):
        growth = await measured(fresh, play=False, warm=count, count=count, idle=2 * SWEEP_SECONDS + 5)
    with capsys.disabled():
        print(f"\n{count} rooms: memory grew by % {json.dumps(growth)}")
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
