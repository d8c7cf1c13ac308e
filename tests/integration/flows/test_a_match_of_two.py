"""A whole match of two, as two frontends live it."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys

import pytest
from circolo_devstack.api import Api, Follower
from circolo_devstack.stack import Stack
from evening import (
    GAME_QUERY,
    JOIN,
    PLAY,
    ROOM_QUERY,
    ROOM_SUBSCRIPTION,
    START,
    all_that_happened,
    answer,
    at_random,
    done,
    following,
    guests,
    key,
    open_room,
    play_on,
    play_out,
    refused,
    sit_down,
)


async def test_two_people_play_to_the_end_and_every_update_comes_once(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people)
        followers = await play_out(table)
        for follower in followers.values():
            assert follower.versions == sorted(set(follower.versions)), "each version once, in order"
            assert follower.resets <= 1
            game = follower.latest["game"]
            assert sum(game["deals"][0]["points"]) == 120
            assert game["stockCount"] == 0
            assert [seat["handCount"] for seat in game["seats"]] == [0, 0]
        one, two = (f.latest["game"] for f in followers.values())
        assert one["result"] == two["result"]
        points = one["deals"][0]["points"]
        expected = {"outcome": "TIED", "winner": None} if points[0] == 60 else {
            "outcome": "WON", "winner": points.index(max(points)),
        }  # fmt: skip
        assert {k: one["result"][k] for k in expected} == expected

        room = await answer(people[0], ROOM_QUERY, id=table.room["id"])
        async with Follower(people[0], "room", ROOM_SUBSCRIPTION, room=room["id"]) as follower:
            await follower.until(lambda update: update["room"]["phase"] == "LOBBY")

        again = (await done(people[0], START, roomId=room["id"], idempotencyKey=key()))["room"]
        assert again["gameNo"] == 2
        assert again["gameId"] != table.game


async def test_the_shuffle_of_a_finished_match_is_verified_from_outside(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people)
        await play_out(table)
    environment = {**os.environ, "CIRCOLO_POSTGRES_URL": house.postgres_url}
    command = [sys.executable, "-m", "circolo_cardgames.verify", table.game]
    verified = await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, timeout=20, check=False
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "FALSE" not in verified.stdout


async def test_game_is_known_at_once_and_starting_until_its_first_event(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        room = await open_room(people[0])
        await done(people[1], JOIN, code=room["code"], watch=False)
        started = (await done(people[0], START, roomId=room["id"]))["room"]
        seen = await answer(people[1], GAME_QUERY, game=started["gameId"])
        assert seen["status"] in ("STARTING", "RUNNING")
        async with following(people[1], started["gameId"]) as follower:
            assert follower.latest["game"]["commitment"]
            assert follower.latest["game"]["seed"] is None


@pytest.mark.parametrize(("players", "people"), [(2, 1), (4, 1), (4, 3)])
async def test_cpus_fill_the_table_and_the_match_ends(house: Stack, players: int, people: int) -> None:
    async with guests(house.url, *(f"Seat {n}" for n in range(people))) as persons:
        table = await sit_down(persons, players=players)
        followers = await play_out(table)
        game = followers[0].latest["game"]
        assert [bool(seat["cpu"]) for seat in game["seats"]] == [n >= people for n in range(players)]
        assert sum(game["deals"][0]["points"]) == 120


async def test_best_of_three_goes_on_until_two_games_are_won(house: Stack) -> None:
    async with guests(house.url, "Nord") as people:
        table = await sit_down(people, bestOf=3)
        game = (await play_out(table))[0].latest["game"]
        assert max(game["score"]) == 2
        dealers = [h["seat"] for h in (await all_that_happened(people[0], table.game)) if h["kind"] == "DEAL_STARTED"]
        assert all(a != b for a, b in itertools.pairwise(dealers)), "the deal goes round, whoever won"


async def test_a_card_is_refused_when_it_is_not_ones_turn_not_ones_card_or_the_turn_has_moved(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "Estraneo") as (north, south, stranger):
        table = await sit_down([north, south])
        async with following(north, table.game) as ours, following(south, table.game) as theirs:
            waiting, acting = (
                (ours, theirs) if ours.latest["game"]["turn"] != ours.latest["game"]["seat"] else (theirs, ours)
            )
            before = acting.latest["version"]
            card = acting.latest["game"]["hand"][0]
            hidden = waiting.latest["game"]["hand"][0]

            async def code(api: Api, **more: object) -> str:
                got = await refused(api, PLAY, game=table.game, **more)
                return str(got["code"])

            assert await code(stranger, card=card) == "NOT_IN_GAME"
            assert await code(waiting.api, card=hidden) == "NOT_YOUR_TURN"
            assert await code(acting.api, card=hidden) == "CARD_NOT_IN_HAND"
            assert await code(acting.api, card=card, version=before - 1) == "STALE_VERSION"
            assert (await answer(north, GAME_QUERY, game=table.game))["version"] == before, "no event by a refusal"

            again = key()
            first = await done(acting.api, PLAY, game=table.game, card=card, key=again, version=before)
            second = await done(acting.api, PLAY, game=table.game, card=card, key=again, version=before)
            assert (first["replayed"], second["replayed"]) == (False, True)
            assert second["version"] == first["version"]
            assert await code(acting.api, card=hidden, key=again) == "KEY_REUSED"
            assert await code(acting.api, card=card) == "NOT_YOUR_TURN"
    async with Api(house.url) as nobody:
        assert (await refused(nobody, PLAY, game=table.game, card=card))["code"] == "UNAUTHENTICATED"


async def test_whoever_abandons_ends_the_match_and_everybody_sees_it(house: Stack) -> None:
    abandon = """mutation($game: ID!) { abandonGame(gameId: $game) { __typename ... on Refused { code } } }"""
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people)
        async with following(people[1], table.game) as follower:
            await done(people[0], abandon, game=table.game)
            update = await follower.until(lambda u: u["game"]["status"] == "ENDED")
            assert update["game"]["result"]["outcome"] == "ABANDONED"
            assert update["game"]["result"]["abandonedBy"] == 0
            assert (await refused(people[1], PLAY, game=table.game, card="1D"))["code"] == "GAME_NOT_RUNNING"


async def test_with_a_clock_a_silent_seat_has_a_legal_card_played_for_it(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people, clockSeconds=1)
        async with following(people[0], table.game) as follower:
            assert follower.latest["game"]["deadline"]
            await follower.until(lambda u: u["game"]["stockCount"] < 34, timeout=8)
            await play_on(follower, table.game, at_random(1), moves=1)
