"""``kill -9`` in the middle of matches that are played by clients who retry with the same key."""

from __future__ import annotations

import asyncio
import json

import asyncpg
import pytest
from circolo_devstack.api import Follower
from circolo_devstack.stack import Stack
from evening import ROOM_QUERY, answer, at_random, following, guests, over, play_on, sit_down

TEST_SECONDS = 90


async def stored_events(house: Stack, stream: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(house.postgres_url)
    try:
        rows: list[asyncpg.Record] = await connection.fetch(
            "SELECT version, type, data, command_id FROM cardgames.event WHERE stream = $1 ORDER BY version",
            stream,
        )
        return rows
    finally:
        await connection.close()


async def kill(house: Stack, name: str) -> None:
    await asyncio.to_thread(house.kill, name)
    await asyncio.to_thread(house.wait_ready)


@pytest.mark.parametrize("name", ["cardgames", "gateway", "rooms"])
async def test_every_accepted_card_is_there_exactly_once_and_the_match_ends(victim: Stack, name: str) -> None:
    async with asyncio.timeout(TEST_SECONDS), guests(victim.url, "Nord", "Sud") as (north, south):
        table = await sit_down([north, south])
        async with following(north, table.game) as ours, following(south, table.game) as theirs:

            async def play(follower: Follower, seed: int) -> list[int]:
                answers = await play_on(follower, table.game, at_random(seed))
                return [a["version"] for a in answers]

            async def killer() -> None:
                for moves in (10, 30):
                    await ours.until(lambda u, moves=moves: u["version"] > moves, timeout=30)  # type: ignore[misc]
                    await kill(victim, name)

            accepted, more, _ = await asyncio.gather(play(ours, 1), play(theirs, 2), killer())
            for follower in (ours, theirs):
                await follower.until(lambda u: over(u["game"]) and bool(u["game"]["seed"]))
                assert follower.versions == sorted(set(follower.versions))
                happened = [h["atVersion"] for h in follower.happened if h["kind"] != "CARD_DRAWN"]
                assert happened == sorted(set(happened)), "nothing is told twice"
    rows = await stored_events(victim, table.stream)
    assert [row["version"] for row in rows] == list(range(1, len(rows) + 1))
    played = [row for row in rows if row["type"] == "CardPlayed"]
    assert len({json.loads(row["data"])["card"] for row in played}) == len(played) == 40
    assert len({row["command_id"] for row in played}) == 40
    assert len(accepted) + len(more) == 40, "every accepted card was answered, every answered card was stored"


async def test_game_M2_after_a_restart_of_gateway_and_game_the_other_player_gets_the_next_move(victim: Stack) -> None:
    async with asyncio.timeout(TEST_SECONDS), guests(victim.url, "Nord", "Sud") as (north, south):
        table = await sit_down([north, south])
        async with following(north, table.game) as ours, following(south, table.game) as theirs:
            await asyncio.gather(
                play_on(ours, table.game, at_random(1), moves=1), play_on(theirs, table.game, at_random(2), moves=1)
            )
            await asyncio.gather(kill(victim, "gateway"), kill(victim, "cardgames"))
            before = max(ours.latest["version"], theirs.latest["version"])
            mover, other = (ours, theirs) if ours.latest["game"]["turn"] == 0 else (theirs, ours)
            await play_on(mover, table.game, at_random(3), moves=1)
            await other.until(lambda u: u["version"] > before, timeout=2)


async def test_a_cpu_whose_process_was_killed_at_its_turn_still_plays(victim: Stack) -> None:
    async with asyncio.timeout(TEST_SECONDS), guests(victim.url, "Nord") as (north,):
        table = await sit_down([north], players=4)
        async with following(north, table.game) as follower:
            for _ in range(2):
                await play_on(follower, table.game, at_random(4), moves=1)
                await kill(victim, "cardgames")
            await play_on(follower, table.game, at_random(4))
            await follower.until(lambda u: over(u["game"]))
            assert sum(follower.latest["game"]["deals"][0]["points"]) == 120


async def test_a_presence_and_a_seat_outlive_the_gateway_s_death(victim: Stack) -> None:
    async with asyncio.timeout(TEST_SECONDS), guests(victim.url, "Nord", "Sud") as (north, south):
        table = await sit_down([north, south])
        async with following(north, table.game), following(south, table.game):
            await kill(victim, "gateway")
            room = await answer(north, ROOM_QUERY, id=table.room["id"])
            assert [seat["player"]["id"] for seat in room["seats"]] == [north.player, south.player]
