"""A refresh, a second tab, a late spectator, a reconnect after missed moves: the right view, every version once."""

from __future__ import annotations

import asyncio

from circolo_devstack.stack import Stack
from evening import (
    GAME_QUERY,
    GAME_SUBSCRIPTION,
    ROOM_QUERY,
    answer,
    at_random,
    following,
    guests,
    over,
    play_on,
    play_out,
    sit_down,
)


async def test_after_missed_moves_everything_since_then_comes_and_nothing_twice(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        table = await sit_down([north, south])
        async with following(north, table.game) as first:
            known = first.latest["version"]
        async with following(south, table.game) as other, following(north, table.game) as back:
            await asyncio.gather(
                play_on(other, table.game, at_random(1), moves=3), play_on(back, table.game, at_random(2), moves=3)
            )
        async with north.subscribe(GAME_SUBSCRIPTION, game=table.game, after=known) as updates:
            update = (await anext(updates))["game"]
        now = await answer(north, GAME_QUERY, game=table.game)
        assert not update["reset"]
        assert update["version"] == now["version"]
        assert update["game"] == now
        assert [h["atVersion"] for h in update["happened"] if h["kind"] != "CARD_DRAWN"] == list(
            range(known + 1, now["version"] + 1)
        )


async def test_a_version_that_never_was_gets_a_reset(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        table = await sit_down([north])
        async with (
            following(north, table.game),
            north.subscribe(GAME_SUBSCRIPTION, game=table.game, after=10_000) as updates,
        ):
            update = (await anext(updates))["game"]
            assert (update["reset"], update["happened"]) == (True, [])


async def test_a_refresh_or_a_second_tab_never_loses_the_seat(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        table = await sit_down([north, south])
        async with following(north, table.game) as tab:
            async with following(north, table.game) as second:
                assert second.latest["game"]["hand"] == tab.latest["game"]["hand"]
            async with following(south, table.game) as theirs:
                await asyncio.gather(
                    play_on(tab, table.game, at_random(1), moves=2), play_on(theirs, table.game, at_random(1), moves=2)
                )
        for _ in range(3):
            async with following(north, table.game) as refreshed:
                game = refreshed.latest["game"]
                assert game["seat"] == 0
                assert len(game["hand"]) in (2, 3)
        room = await answer(north, ROOM_QUERY, id=table.room["id"])
        assert [seat["player"]["id"] for seat in room["seats"]] == [north.player, south.player]


async def test_game_O2_a_late_spectator_sees_the_whole_table_and_takes_no_seat(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "TV") as (north, south, display):
        table = await sit_down([north, south])
        async with following(north, table.game) as ours, following(south, table.game) as theirs:
            await asyncio.gather(
                play_on(ours, table.game, at_random(1), moves=4), play_on(theirs, table.game, at_random(2), moves=4)
            )
            latest = max(ours.latest["version"], theirs.latest["version"])
            async with following(display, table.game) as watching:
                update = await watching.until(lambda u: u["version"] >= latest)
                shown = update["game"]
                assert (shown["seat"], shown["hand"], shown["legalMoves"]) == (None, None, None)
                seen = (await ours.until(lambda u: u["version"] >= latest))["game"]
                for field in ("trick", "lastTrick", "turn", "stockCount", "trumpCard", "seats", "score"):
                    assert shown[field] == seen[field]
        room = await answer(display, ROOM_QUERY, id=table.room["id"])
        assert all(seat["player"]["id"] != display.player for seat in room["seats"])


async def test_game_M5_M6_opening_subscriptions_during_a_match_misses_and_doubles_nothing(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "TV") as (north, south, display):
        table = await sit_down([north, south])
        stop = asyncio.Event()
        runs: list[list[int]] = []

        async def look_in() -> None:
            while not stop.is_set():
                async with following(display, table.game) as follower:
                    await asyncio.sleep(0.02)
                    runs.append(list(follower.versions))
                    assert follower.resets == 1

        looking = [asyncio.create_task(look_in()) for _ in range(3)]
        async with following(display, table.game) as whole:
            await play_out(table, seed=5)
            await whole.until(lambda u: over(u["game"]) and bool(u["game"]["seed"]))
            happened = [h["atVersion"] for h in whole.happened if h["kind"] != "CARD_DRAWN"]
            assert happened == list(range(happened[0], whole.latest["version"] + 1)), "everything happened once"
        stop.set()
        await asyncio.gather(*looking)
        assert len(runs) > 10
        for versions in runs:
            assert versions == sorted(set(versions))
