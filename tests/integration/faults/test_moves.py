"""Moves that others lost, doubled or showed late: rows M5, M10, O1 to O3 of the game backends' faults."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack

import pytest
from chaos.history import History, stream_in
from chaos.looking import archive_of, play_watched, untruths
from chaos.people import Person, Watcher
from chaos.storm import storm
from chaos.tables import Seating
from circolo_devstack.stack import Stack
from evening import JOIN, LEAVE, answer, done, guests, mutation, open_room

CHANGE = mutation("changeSettings", roomId="ID!", game="GameInput!")


async def test_game_M10_twenty_parallel_commands_on_one_room_through_two_gateways(
    victim: Stack, gateways: list[str]
) -> None:
    async with asyncio.timeout(30), guests(victim.url, "Host") as (host,), AsyncExitStack() as stack:
        room = await open_room(host)
        hands = [await stack.enter_async_context(Person([url], History(), 1)) for url in gateways]
        for hand in hands:
            hand.token, hand.player = host.token, host.player
        wishes = [{"briscola": {"clockSeconds": seconds}} for seconds in range(1, 21)]
        answers = await asyncio.gather(
            *(answer(hands[n % 2], CHANGE, roomId=room["id"], game=wish) for n, wish in enumerate(wishes))
        )
        versions = sorted(each["version"] for each in answers if each["__typename"] == "RoomDone")
        assert versions == list(range(room["version"] + 1, room["version"] + 21))
        stored = (await archive_of(victim, "rooms")).events("room")[stream_in(room["id"])]
        assert sum(event.type == "SettingsChanged" for event in stored) == 20


async def test_game_M5_who_looks_in_again_and_again_gets_each_version_once(victim: Stack, gateways: list[str]) -> None:
    async with asyncio.timeout(60):
        history = await play_watched(victim, gateways, seed=5, restless=3)
    assert not await untruths(victim, history)
    assert history.reconnects > 3


@pytest.mark.soak
async def test_game_M5_during_200_moves(victim: Stack, gateways: list[str]) -> None:
    """A best of five has 120 to 200 moves; as many matches as it takes."""
    moves, seed = 0, 50
    async with asyncio.timeout(300):
        while moves < 200:
            seed += 1
            history = await play_watched(victim, gateways, seed=seed, restless=6, bestOf=5)
            assert not await untruths(victim, history)
            stream = history.watching[0].stream
            moves += sum(
                e.type == "CardPlayed" for e in (await archive_of(victim, "cardgames")).events("match")[stream]
            )


async def test_game_O1_what_happened_and_the_new_state_come_together_in_the_order_of_versions(
    victim: Stack, gateways: list[str]
) -> None:
    """There is no vote to expel yet; that a host leaves and another one takes over is told by the same means."""
    history = History()
    async with asyncio.timeout(30), guests(victim.url, "Host", "Nord", "Sud") as (host, north, south):
        room = await open_room(host, players=4)
        for person in (north, south):
            await done(person, JOIN, code=room["code"], watch=False)
        async with AsyncExitStack() as stack:
            watchers = []
            for n, member in enumerate((north, south, north, south)):
                person = await stack.enter_async_context(Person([gateways[n % 2]], history, n))
                person.token, person.player = member.token, member.player
                watchers.append(await stack.enter_async_context(Watcher(person, "room", room["id"])))
            left = (await done(host, LEAVE, roomId=room["id"]))["version"]
            for watcher in watchers:
                await watcher.until(lambda update: update["version"] >= left)
                told = [kind for kind, _ in next(s.happened for s in watcher.record.shown if s.version >= left)]
                shown = next(s.view for s in watcher.record.shown if s.version >= left)
                assert told[:2] == ["PLAYER_LEFT", "HOST_CHANGED"]
                assert shown["host"]["id"] == north.player
    assert not await untruths(victim, history)


async def test_game_O2_who_joins_as_the_2nd_to_the_24th_sees_what_a_full_recompute_gives(
    victim: Stack, gateways: list[str]
) -> None:
    """Each after another number of moves; the snapshot and every step after it are held against a fold."""
    rng = random.Random(2)
    async with asyncio.timeout(90):
        late = [rng.randint(2, 100) for _ in range(23)]
        history = await play_watched(victim, gateways, seed=2, late=late)
    assert len(history.watching) == 23
    assert all(watching.shown[0].reset for watching in history.watching)
    assert not await untruths(victim, history)


async def test_game_O3_every_view_at_the_client_is_the_servers_with_drops(victim: Stack, gateways: list[str]) -> None:
    async with asyncio.timeout(60):
        history = await play_watched(victim, gateways, seed=3, restless=4)
    assert not await untruths(victim, history)
    assert sum(len(watching.shown) for watching in history.watching) > 40


@pytest.mark.soak
async def test_game_O3_ten_thousand_random_plays_with_drops(
    victim: Stack, gateways: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables of people whose sockets come and go, until 10,000 cards are played; every view is held against a fold."""
    played = 0
    seatings = [Seating(spectators=2), Seating(players=4, persons=4, spectators=1)]
    async with asyncio.timeout(900):
        before = sum(row.event.type == "CardPlayed" for row in (await archive_of(victim, "cardgames")).rows)
        seed = 300
        while played < 10_000:
            report = await storm(victim, [], seed=seed, tables=16, urls=gateways, seatings=seatings)
            report.check()
            seed += 1
            played = sum(row.event.type == "CardPlayed" for row in report.stored.cardgames.rows) - before
    with capsys.disabled():
        print(f"\n{played} cards, {seed - 300} storms of 16 tables")
