"""Seats and presence that others gave twice, lost or showed late: rows J2 to J4, J11 of the game backends' faults."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from circolo_devstack.api import Api, Follower, Json
from circolo_devstack.stack import Stack
from evening import (
    JOIN,
    ROOM_QUERY,
    ROOM_SUBSCRIPTION,
    answer,
    done,
    guests,
    open_room,
)


async def over_websocket(api: Api, document: str, **variables: object) -> Json:
    """A mutation as a socket's operation."""
    async with api.subscribe(document, **variables) as answers:
        data = await anext(answers)
    only: Json = next(iter(data.values()))
    return only


def connected(update: Json) -> int:
    return sum(member["connected"] for member in update["room"]["members"])


async def test_game_J2_two_who_join_at_once_both_get_in(victim: Stack, gateways: list[str]) -> None:
    async with asyncio.timeout(30), guests(victim.url, "Host", "A", "B") as (host, *others):
        room = await open_room(host, players=4)
        for person, url in zip(others, gateways, strict=True):
            person.url = url.rstrip("/") + "/graphql"
        answers = await asyncio.gather(*(answer(person, JOIN, code=room["code"], watch=False) for person in others))
        assert [each["__typename"] for each in answers] == ["RoomDone", "RoomDone"]
        now = await answer(host, ROOM_QUERY, id=room["id"])
        assert {seat["player"]["id"] for seat in now["seats"] if seat["player"]} == {
            person.player for person in (host, *others)
        }


async def test_game_J3_six_for_three_seats_over_http_and_websocket_and_two_gateways(
    victim: Stack, gateways: list[str]
) -> None:
    names = ["Host", "A", "B", "C", "D", "E", "F"]
    async with asyncio.timeout(30), guests(victim.url, *names) as (host, *others):
        room = await open_room(host, players=4)
        for n, person in enumerate(others):
            person.url = gateways[n // 2 % 2].rstrip("/") + "/graphql"
        answers = await asyncio.gather(
            *(
                (answer, over_websocket)[n % 2](person, JOIN, code=room["code"], watch=False)
                for n, person in enumerate(others)
            )
        )
        assert sorted(each.get("code") or "in" for each in answers) == ["ROOM_FULL"] * 3 + ["in"] * 3
        now = await answer(host, ROOM_QUERY, id=room["id"])
        assert len({seat["player"]["id"] for seat in now["seats"]}) == 4
        assert len(now["members"]) == 4


async def test_game_J4_when_24_connect_at_once_every_one_sees_24(victim: Stack, gateways: list[str]) -> None:
    """A tombola's table is full then."""
    async with asyncio.timeout(60), guests(victim.url, *(f"Guest {n}" for n in range(24))) as everybody:
        host, *others = everybody
        room = await open_room(host, kind="tombola")
        await asyncio.gather(*(done(person, JOIN, code=room["code"], watch=False) for person in others))
        for n, person in enumerate(everybody):
            person.url = gateways[n % 2].rstrip("/") + "/graphql"
        async with AsyncExitStack() as stack:
            followers = [Follower(person, "room", ROOM_SUBSCRIPTION, room=room["id"]) for person in everybody]
            await asyncio.gather(*(stack.enter_async_context(follower) for follower in followers))
            await asyncio.gather(*(follower.until(lambda update: connected(update) == 24) for follower in followers))
            now = await answer(host, ROOM_QUERY, id=room["id"])
            assert connected({"room": now}) == 24
            assert {seat["player"]["id"] for seat in now["seats"]} == {person.player for person in everybody}


async def test_game_J11_who_was_away_hears_who_is_there_now(victim: Stack, gateways: list[str]) -> None:
    """The opponent goes and comes back while I am away: the resync carries presence as it is, not as an edge."""
    async with asyncio.timeout(60), guests(victim.url, "Nord", "Sud") as (north, south):
        room = await open_room(north)
        await done(south, JOIN, code=room["code"], watch=False)

        def there(update: Json, player: str) -> bool:
            return any(m["connected"] for m in update["room"]["members"] if m["player"]["id"] == player)

        async with Follower(north, "room", ROOM_SUBSCRIPTION, room=room["id"]) as ours:
            async with Follower(south, "room", ROOM_SUBSCRIPTION, room=room["id"]):
                known = (await ours.until(lambda update: there(update, south.player)))["version"]
            await ours.until(lambda update: not there(update, south.player), timeout=30)
        north.url = gateways[1].rstrip("/") + "/graphql"
        async with Follower(south, "room", ROOM_SUBSCRIPTION, room=room["id"]) as theirs:
            await theirs.until(lambda update: there(update, south.player))
            async with Follower(north, "room", ROOM_SUBSCRIPTION, after=known, room=room["id"]) as back:
                assert there(back.latest, south.player)
                kinds = [told["kind"] for told in back.happened]
                assert kinds.index("PLAYER_DISCONNECTED") < kinds.index("PLAYER_CONNECTED")
                assert back.resets == 0
