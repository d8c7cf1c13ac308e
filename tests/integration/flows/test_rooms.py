"""Rooms through the public API: coming, sitting, leaving, handing over, watching, the lobby."""

from __future__ import annotations

import asyncio

import pytest
from circolo_contracts.games import CATALOGUE
from circolo_devstack.api import Api, ApiError, Follower, Json
from circolo_devstack.stack import Stack
from evening import (
    ADD_CPU,
    CREATE,
    JOIN,
    LEAVE,
    ROOM_QUERY,
    ROOM_SUBSCRIPTION,
    START,
    TAKE_SEAT,
    answer,
    done,
    guests,
    key,
    mutation,
    open_room,
    refused,
    sit_down,
)

HAND_OVER = mutation("handOverHost", roomId="ID!", player="ID!")
ASSIGN_TEAM = mutation("assignTeam", roomId="ID!", player="ID!", team="Int!")
REMOVE_CPU = mutation("removeCpu", roomId="ID!", seat="Int!")
CHANGE = mutation("changeSettings", roomId="ID!", game="GameInput!")
END_GAME = mutation("endGame", roomId="ID!")
LOBBY = """
query Lobby($first: Int!, $after: String) {
  lobby(first: $first, after: $after) {
    edges { cursor node { id code seats taken phase } } pageInfo { hasNextPage endCursor }
  }
}"""
LOBBY_OF = """
query Lobby($game: GameKind!) {
  lobby(first: 100, filter: {game: $game}) {
    edges { node { id gameKind seats settings {
      __typename ... on TressetteSettings { players declarations target } ... on SolitarioSettings { game redeals }
      ... on ScoponeNoveSettings { finalSweep }
    } } }
  }
}"""
LOBBY_CHANGES = "subscription { lobby { kind roomId room { id seats taken phase } } }"


def seated(room: Json) -> list[str | None]:
    return [seat["player"]["id"] if seat["player"] else seat["cpu"] for seat in room["seats"]]


async def following_room(api: Api, room_id: str) -> Follower:
    return Follower(api, "room", ROOM_SUBSCRIPTION, room=room_id)


async def test_opening_the_same_room_twice_with_one_key_is_one_room(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        again = key()
        wish = {"game": {"briscola": {}}, "visibility": "PUBLIC", "key": again}
        first = await done(north, CREATE, **wish)
        second = await done(north, CREATE, **wish)
        assert second["replayed"]
        assert (first["room"]["id"], first["room"]["code"]) == (second["room"]["id"], second["room"]["code"])
        other = {**wish, "game": {"briscola": {"players": 4}}}
        assert (await refused(north, CREATE, **other))["code"] == "KEY_REUSED"


async def test_a_code_is_read_in_any_case_and_an_unknown_one_leads_nowhere(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        room = await open_room(north)
        assert len(room["code"]) == 6
        assert not set(room["code"]) & set("0O1IL")
        joined = await done(south, JOIN, code=f" {room['code'].lower()} ", watch=False)
        assert seated(joined["room"]) == [north.player, south.player]
        assert (await answer(south, ROOM_QUERY, code=room["code"]))["id"] == room["id"]
        assert (await refused(south, JOIN, code="ZZZZZZ", watch=False))["code"] == "NOT_FOUND"


async def test_partners_sit_opposite_and_change_places_in_the_lobby(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        room = await open_room(north, players=4)
        await done(south, JOIN, code=room["code"], watch=False)
        assert [seat["team"] for seat in room["seats"]] == [0, 1, 0, 1]
        moved = await done(north, ASSIGN_TEAM, roomId=room["id"], player=south.player, team=0)
        assert seated(moved["room"]) == [north.player, None, south.player, None]
        moved = await done(south, TAKE_SEAT, roomId=room["id"], seat=3)
        assert seated(moved["room"]) == [north.player, None, None, south.player]
        assert (await refused(south, TAKE_SEAT, roomId=room["id"], seat=0))["code"] == "SEAT_TAKEN"
        assert (await refused(south, TAKE_SEAT, roomId=room["id"], seat=4))["code"] == "NO_SUCH_SEAT"
        assert (await refused(south, ADD_CPU, roomId=room["id"], seat=1, level="EASY"))["code"] == "NOT_HOST"
        await done(north, ADD_CPU, roomId=room["id"], seat=1, level="EASY")
        assert (await refused(north, REMOVE_CPU, roomId=room["id"], seat=3))["code"] == "NOT_A_CPU"
        assert (await refused(north, START, roomId=room["id"]))["code"] == "SEATS_EMPTY"


async def test_the_host_s_place_goes_to_who_came_next_when_he_leaves(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "Ovest") as (north, south, west):
        room = await open_room(north, players=4)
        for person in (south, west):
            await done(person, JOIN, code=room["code"], watch=False)
        async with await following_room(west, room["id"]) as follower:
            await done(north, LEAVE, roomId=room["id"])
            update = await follower.until(lambda u: u["room"]["host"]["id"] == south.player)
            assert seated(update["room"]) == [None, south.player, west.player, None]
            await done(south, HAND_OVER, roomId=room["id"], player=west.player)
            await follower.until(lambda u: u["room"]["host"]["id"] == west.player)
        await done(south, LEAVE, roomId=room["id"])
        closed = await done(west, LEAVE, roomId=room["id"])
        assert closed["room"]["phase"] == "CLOSED"
        assert (await refused(north, JOIN, code=room["code"], watch=False))["code"] in ("ROOM_CLOSED", "NOT_FOUND")


async def test_settings_change_in_the_lobby_only_and_by_the_host_only(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        room = await open_room(north, players=4)
        await done(south, JOIN, code=room["code"], watch=False)
        assert (await refused(south, CHANGE, roomId=room["id"], game={"briscola": {"players": 2}}))[
            "code"
        ] == "NOT_HOST"
        bad = await refused(north, CHANGE, roomId=room["id"], game={"briscola": {"bestOf": 2}})
        assert (bad["code"], bad["field"]) == ("INVALID_SETTING", "bestOf")
        changed = await done(north, CHANGE, roomId=room["id"], game={"briscola": {"players": 2}})
        assert len(changed["room"]["seats"]) == 2
        await done(north, START, roomId=room["id"])
        assert (await refused(north, CHANGE, roomId=room["id"], game={"briscola": {"players": 4}}))[
            "code"
        ] == "GAME_STARTED"
        ended = await done(north, END_GAME, roomId=room["id"])
        assert ended["room"]["phase"] in ("PLAYING", "LOBBY")
        async with await following_room(north, room["id"]) as follower:
            await follower.until(lambda u: u["room"]["phase"] == "LOBBY")


async def test_game_J2_J3_simultaneous_joins_fill_the_free_seats_and_refuse_the_rest(house: Stack) -> None:
    async with guests(house.url, "Host", "A", "B", "C", "D") as (host, *others):
        room = await open_room(host, players=4)
        answers = await asyncio.gather(*(answer(p, JOIN, code=room["code"], watch=False) for p in others))
        codes = sorted(a.get("code") or "in" for a in answers)
        assert codes == ["ROOM_FULL", "in", "in", "in"]
        now = await answer(host, ROOM_QUERY, id=room["id"])
        assert len(set(seated(now))) == 4


async def test_game_J8_joining_twice_gives_the_same_seat_and_the_full_view(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        room = await open_room(north)
        first = await done(south, JOIN, code=room["code"], watch=False)
        second = await done(south, JOIN, code=room["code"], watch=False)
        assert first["room"] == second["room"]


async def test_who_watches_takes_no_seat_also_while_a_game_is_on(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "TV") as (north, south, display):
        table = await sit_down([north, south], visibility="PRIVATE")
        assert await answer(display, ROOM_QUERY, id=table.room["id"]) is None
        assert (await refused(display, JOIN, code=table.room["code"], watch=False))["code"] in (
            "GAME_STARTED",
            "ROOM_FULL",
        )
        watching = await done(display, JOIN, code=table.room["code"], watch=True)
        member = next(m for m in watching["room"]["members"] if m["player"]["id"] == display.player)
        assert member["spectator"]
        assert display.player not in seated(watching["room"])
        assert (await answer(display, ROOM_QUERY, id=table.room["id"]))["id"] == table.room["id"]


async def test_presence_comes_with_a_live_subscription_and_goes_with_the_last_one(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        room = await open_room(north)
        await done(south, JOIN, code=room["code"], watch=False)

        def connected(update: Json, player: str) -> bool:
            return any(m["connected"] for m in update["room"]["members"] if m["player"]["id"] == player)

        async with await following_room(north, room["id"]) as ours:
            async with await following_room(south, room["id"]), await following_room(south, room["id"]):
                await ours.until(lambda u: connected(u, south.player) and connected(u, north.player))
            # a house that has just been started believes nobody to be gone for one lease, 15 s
            update = await ours.until(lambda u: not connected(u, south.player), timeout=20)
            assert seated(update["room"]) == [north.player, south.player], "the seat is kept"


async def test_the_lobby_lists_public_rooms_and_tells_of_changes(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        async with south.subscribe(LOBBY_CHANGES) as changes:
            await asyncio.sleep(0.3)
            room = await open_room(north)
            private = await open_room(north, visibility="PRIVATE")

            async def change_of(room_id: str, kind: str) -> Json:
                async for data in changes:
                    change: Json = data["lobby"]
                    assert change["roomId"] != private["id"]
                    if change["roomId"] == room_id and change["kind"] == kind:
                        return change
                raise AssertionError("the lobby ended")

            async with asyncio.timeout(10):
                assert (await change_of(room["id"], "UPSERT"))["room"]["taken"] == 1
                listed = (await answer(south, LOBBY, first=100))["edges"]
                assert room["id"] in [edge["node"]["id"] for edge in listed]
                assert private["id"] not in [edge["node"]["id"] for edge in listed]
                await done(north, LEAVE, roomId=room["id"])
                await change_of(room["id"], "REMOVE")
        listed = (await answer(south, LOBBY, first=100))["edges"]
        assert room["id"] not in [edge["node"]["id"] for edge in listed]


async def test_a_room_of_every_game_is_found_by_its_game_with_all_its_defaults(house: Stack) -> None:
    shown: dict[str, Json] = {}
    async with guests(house.url, "Nord") as (north,):
        for kind in CATALOGUE:
            pascal = kind.title().replace("_", "")
            more = {"players": 2} if kind == "TRESSETTE" else {}
            room = await open_room(north, kind=pascal[0].lower() + pascal[1:], **more)
            found: Json | None = None
            async with asyncio.timeout(10):
                while found is None:
                    nodes = [edge["node"] for edge in (await answer(north, LOBBY_OF, game=kind))["edges"]]
                    found = next((node for node in nodes if node["id"] == room["id"]), None)
            assert {node["gameKind"] for node in nodes} == {kind}
            assert found["seats"] == len(room["seats"])
            shown[kind] = found["settings"]
            assert shown[kind].pop("__typename") == f"{pascal}Settings"
    assert shown["TRESSETTE"] == {"players": 2, "declarations": False, "target": 21}
    assert shown["SCOPONE_NOVE"] == {"finalSweep": "NEVER"}
    assert shown["SOLITARIO"] == {"game": "PIRAMIDE", "redeals": 2}


async def test_the_lobby_is_read_page_by_page_without_a_gap(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        mine = [await open_room(north) for _ in range(5)]
        async with asyncio.timeout(10):
            while True:
                whole = (await answer(north, LOBBY, first=100))["edges"]
                if {r["id"] for r in mine} <= {e["node"]["id"] for e in whole}:
                    break
                await asyncio.sleep(0.05)
        paged: list[str] = []
        after = None
        while True:
            page = await answer(north, LOBBY, first=2, after=after)
            paged += [edge["node"]["id"] for edge in page["edges"]]
            if not page["pageInfo"]["hasNextPage"]:
                break
            after = page["pageInfo"]["endCursor"]
        assert paged == [edge["node"]["id"] for edge in whole]


async def test_without_signing_in_nothing_can_be_done_and_a_bad_token_is_said(house: Stack) -> None:
    async with Api(house.url) as nobody, Api(house.url, token="not.a.token") as liar:
        assert (await answer(nobody, "{ me { id } }")) is None
        wish = {"game": {"briscola": {}}, "visibility": "PUBLIC"}
        assert (await refused(nobody, CREATE, **wish))["code"] == "UNAUTHENTICATED"
        with pytest.raises(ApiError) as error:
            await answer(liar, "{ me { id } }")
        assert error.value.codes == ["UNAUTHENTICATED"]
