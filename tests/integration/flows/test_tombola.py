"""A tombola by its frontends: three people with tickets, a television without one, two games of an evening."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import asyncpg
import msgspec
import pytest
from circolo_contracts.tombola import MarkSet, TombolaStarted
from circolo_devstack.api import Api, ApiError, Follower, Json
from circolo_devstack.demo.tombola import claims
from circolo_devstack.stack import Stack
from circolo_tombola.registry import REGISTRY
from evening import (
    JOIN,
    PLAY,
    REFUSED,
    ROOM_SUBSCRIPTION,
    START,
    Table,
    answer,
    done,
    following,
    guests,
    key,
    mutation,
    open_room,
    refused,
)

TOMBOLA_FIELDS = """
  __typename id version status deadline result { outcome winner }
  ... on Tombola {
    host { id } called calling everySeconds paused superseded commitment seed
    seats { seat player { id name } } prizes { prize winningDraw winners { seat row numbers } }
    seat ticket marks marksVersion settings { ... on TombolaSettings { claimRule calling everySeconds } }
  }
"""
HAPPENED = """kind atVersion seat
  ... on TombolaEvent { number seq prize row numbers winningDraw calling everySeconds pauseReason player { id } }"""
FOLLOW = f"""subscription($game: ID!, $after: Int) {{
  game(id: $game, after: $after) {{ version reset happened {{ {HAPPENED} }} game {{ {TOMBOLA_FIELDS} }} }} }}"""
QUERY = f"query($game: ID!) {{ game(id: $game) {{ {TOMBOLA_FIELDS} }} }}"
ANSWER = f"{{ __typename ... on GameDone {{ version replayed game {{ {TOMBOLA_FIELDS} }} }} {REFUSED} }}"


def move(name: str, **types: str) -> str:
    declared = "".join(f", ${each}: {kind}" for each, kind in types.items())
    passed = "".join(f", {each}: ${each}" for each in types)
    return (
        f"mutation($game: ID!, $key: UUID, $version: Int{declared}) {{ "
        f"{name}(gameId: $game, idempotencyKey: $key, expectedVersion: $version{passed}) {ANSWER} }}"
    )


DRAW, CLAIM_ALL = move("drawNumber"), move("claimAll")
PAUSE, RESUME = move("pauseCalling"), move("resumeCalling")
CLAIM = move("claimPrize", prize="Prize!")
CALL = move("setCalling", mode="Calling!", everySeconds="Int")
MARK = move("markNumber", number="Int!", marked="Boolean!")
ABANDON = f"mutation($game: ID!) {{ abandonGame(gameId: $game) {ANSWER} }}"
END = mutation("endGame", roomId="ID!")
RECORD = "query($game: ID!) { game(id: $game) { record room { gameKind } } node(id: $game) { __typename id } }"
SMORFIA = "{ smorfia { number neapolitan italian english } coarse: smorfia(family: false) { number neapolitan } }"


class Evening(Table):
    """People with tickets by seat; ``live[seat]`` follows for each of them, ``tv`` for the television."""

    live: dict[int, Follower]
    tv: Follower

    @property
    def host(self) -> Api:
        return self.people[0]

    @property
    def board(self) -> Json:
        shown: Json = self.tv.latest["game"]
        return shown

    def game_of(self, seat: int) -> Json:
        shown: Json = self.live[seat].latest["game"]
        return shown

    async def draw(self) -> int:
        """The host calls; everybody sees the number."""
        version = self.tv.latest["version"]
        now = (await done(self.host, DRAW, game=self.game, key=key(), version=version))["version"]
        await self.all_at(now)
        number: int = self.board["called"][-1]
        return number

    async def all_at(self, version: int) -> None:
        for follower in (self.tv, *self.live.values()):
            await follower.until(lambda update: update["version"] >= version)


@asynccontextmanager
async def evening(url: str, *names: str, **settings: Any) -> AsyncIterator[Evening]:
    """Everybody in the room and at the screen before it starts, and a television that only has the code."""
    async with AsyncExitStack() as stack:
        people = await stack.enter_async_context(guests(url, *names))
        screen = await stack.enter_async_context(Api(url))
        for each in (*people, screen):
            each.record = True
        room = await open_room(people[0], kind="tombola", **settings)
        for person in people[1:]:
            await done(person, JOIN, code=room["code"], watch=False)
        started = (await done(people[0], START, roomId=room["id"], idempotencyKey=key()))["room"]
        table = Evening(started, started["gameId"], dict(enumerate(people)))
        await follow(stack, table, screen)
        yield table


async def follow(stack: AsyncExitStack, table: Evening, screen: Api) -> None:
    table.tv = await stack.enter_async_context(Follower(screen, "game", FOLLOW, after=0, game=table.game))
    table.live = {
        seat: await stack.enter_async_context(Follower(person, "game", FOLLOW, after=0, game=table.game))
        for seat, person in table.people.items()
    }
    await table.all_at(1)


async def rows(house: Stack, stream: str) -> list[Any]:
    connection = await asyncpg.connect(house.postgres_url)
    try:
        found = await connection.fetch(
            "SELECT type, schema_v, data FROM tombola.event WHERE stream = $1 ORDER BY version", stream
        )
        return [REGISTRY.decode(row["type"], row["schema_v"], row["data"]) for row in found]
    finally:
        await connection.close()


async def marks_of(house: Stack, game_id: str) -> list[MarkSet]:
    connection = await asyncpg.connect(house.postgres_url)
    try:
        found = await connection.fetch(
            "SELECT type, schema_v, data FROM tombola.event WHERE stream LIKE 'marks-%' ORDER BY stream, version"
        )
        told = [REGISTRY.decode(row["type"], row["schema_v"], row["data"]) for row in found]
        return [each for each in told if isinstance(each, MarkSet) and each.game_id == game_id]
    finally:
        await connection.close()


def everything_in(value: object) -> list[object]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(found for each in inner for found in everything_in(each))]


def rows_shown(frame: bytes) -> set[tuple[int, ...]]:
    """Every list of five numbers or of fifteen: rows and whole tickets."""
    found = set()
    for each in everything_in(msgspec.json.decode(frame)):
        if isinstance(each, list) and len(each) in (5, 15) and all(isinstance(n, int) for n in each):
            found.add(tuple(each))
    return found


def won_rows(board: Json) -> set[tuple[int, ...]]:
    return {tuple(each["numbers"]) for prize in board["prizes"] for each in prize["winners"]}


async def test_an_evening_of_three_from_the_lobby_to_the_tombola_and_once_more(house: Stack) -> None:
    async with AsyncExitStack() as stack:
        table = await stack.enter_async_context(evening(house.url, "Anna", "Bruno", "Carla"))
        room = table.room
        assert (len(room["seats"]), sum(seat["player"] is not None for seat in room["seats"])) == (24, 3)
        assert [seat["player"]["name"] for seat in table.board["seats"]] == ["Anna", "Bruno", "Carla"]
        assert (table.board["ticket"], table.board["marks"], table.board["seat"]) == (None, None, None)
        tickets = {seat: table.game_of(seat)["ticket"] for seat in table.people}
        for seat, ticket in tickets.items():
            assert [len(row) for row in ticket] == [5, 5, 5]
            assert all(row == sorted(row) for row in ticket)
            assert (table.game_of(seat)["seat"], table.game_of(seat)["marks"]) == (seat, [])
        while table.board["status"] == "RUNNING":
            await table.draw()
            for seat, person in table.people.items():
                if claims(table.game_of(seat)):
                    await table.all_at((await done(person, CLAIM_ALL, game=table.game, key=key()))["version"])
        for follower in (table.tv, *table.live.values()):
            await follower.until(lambda update: bool(update["game"]["seed"]))
        board = table.board
        assert board["result"]["outcome"] == "WON"
        assert board["result"]["winner"] == board["prizes"][-1]["winners"][0]["seat"]
        assert [prize["prize"] for prize in board["prizes"]] == ["AMBO", "TERNO", "QUATERNA", "CINQUINA", "TOMBOLA"]
        assert all(prize["winners"] and prize["winningDraw"] for prize in board["prizes"])
        seen = table.tv.happened
        assert [each["number"] for each in seen if each["kind"] == "NUMBER_DRAWN"] == board["called"]
        awarded = [each for each in seen if each["kind"] == "PRIZE_AWARDED"]
        assert [each["prize"] for each in awarded if each["seat"] == board["result"]["winner"]][-1] == "TOMBOLA"
        versions = [each["atVersion"] for each in seen]
        assert versions == list(range(1, len(versions) + 1))
        assert all(follower.happened == seen for follower in table.live.values())

        first = table.game
        for person in (table.host, table.tv.api):
            assert await person.call(RECORD, game=first) == {
                "game": {"record": None, "room": {"gameKind": "TOMBOLA"}},
                "node": {"__typename": "Tombola", "id": first},
            }
        async with Follower(table.host, "room", ROOM_SUBSCRIPTION, room=room["id"]) as lobby:
            await lobby.until(lambda update: update["room"]["phase"] == "LOBBY")
        again = (await done(table.host, START, roomId=room["id"], idempotencyKey=key()))["room"]
        for follower in (table.tv, *table.live.values()):
            await follower.until(lambda update: update["game"]["superseded"])
        assert (await refused(table.host, CLAIM_ALL, game=first))["code"] == "STALE_GAME"
        next_game = Evening(again, again["gameId"], table.people)
        await follow(stack, next_game, table.tv.api)
        assert next_game.game != first
        assert next_game.board["called"] == []
        assert {seat: next_game.game_of(seat)["ticket"] for seat in tickets} != tickets
        await done(table.host, END, roomId=room["id"])
        await next_game.tv.until(lambda update: update["game"]["status"] == "ENDED")
        assert next_game.board["result"] == {"outcome": "STOPPED", "winner": None}

        (started,) = (each for each in await rows(house, table.stream) if isinstance(each, TombolaStarted))
        for seat, person in table.people.items():
            assert_nothing_of_others(person, started, won_rows(board), seat)
        assert_nothing_of_others(table.tv.api, started, won_rows(board), None)


def assert_nothing_of_others(api: Api, started: TombolaStarted, won: set[tuple[int, ...]], seat: int | None) -> None:
    """In all the bytes that somebody was sent: rows and tickets that are not his own only when they have won."""
    hidden = {
        rows
        for number, ticket in enumerate(started.tickets)
        if ticket and number != seat
        for rows in (*map(tuple, ticket), tuple(sorted(n for row in ticket for n in row)))
    } - won
    assert hidden
    for frame in api.received:
        assert not rows_shown(frame) & hidden, "a ticket of somebody else"
        shown = [each for each in everything_in(msgspec.json.decode(frame)) if isinstance(each, dict)]
        for view in shown:
            if "seed" in view and view.get("status") == "RUNNING":
                assert view["seed"] is None
            if seat is None and "ticket" in view:
                assert (view["ticket"], view["marks"], view["marksVersion"]) == (None, None, None)
    running = [frame for frame in api.received if b'"RUNNING"' in frame and b'"ENDED"' not in frame]
    to_come = msgspec.json.encode(started.draws[-10:])[1:-1]
    assert len(running) > 10
    for frame in running:
        assert started.seed.encode() not in frame
        assert to_come not in frame.replace(b" ", b""), "numbers that are not called yet"


async def test_marks_are_ones_own_kept_and_live_on_every_screen_of_their_owner(house: Stack) -> None:
    async with evening(house.url, "Anna", "Bruno") as table:
        anna, bruno = table.people[0], table.people[1]
        number = table.game_of(0)["ticket"][0][0]
        version = table.board["version"]
        async with Follower(anna, "game", FOLLOW, game=table.game) as phone:
            marked = await done(anna, MARK, game=table.game, number=number, marked=True, key=key())
            assert (marked["version"], marked["game"]["marks"]) == (version, [number])
            for screen in (phone, table.live[0]):
                update = await screen.until(lambda update: update["game"]["marks"] == [number])
                assert (update["version"], update["happened"]) == (version, [])
                assert update["game"]["marksVersion"] == marked["game"]["marksVersion"]
            await done(anna, MARK, game=table.game, number=number, marked=False, key=key())
            await phone.until(lambda update: update["game"]["marks"] == [])
            await done(anna, MARK, game=table.game, number=number, marked=True, key=key())
            await phone.until(lambda update: update["game"]["marks"] == [number])
            await table.draw()
            assert phone.latest["game"]["marks"] == [number]
        version = table.board["version"]
        for after in (None, version):
            async with Follower(anna, "game", FOLLOW, after=after, game=table.game) as again:
                assert (again.latest["version"], again.latest["reset"]) == (version, True)
                assert again.latest["game"]["marks"] == [number], "after a reconnect"
        assert (await answer(anna, QUERY, game=table.game))["marks"] == [number], "after a refresh"
        assert (await answer(bruno, QUERY, game=table.game))["marks"] == []
        assert table.tv.versions == sorted(set(table.tv.versions)), "a display is told nothing of marks"
        assert table.live[1].versions == sorted(set(table.live[1].versions)), "nor is anybody else"
        foreign = next(n for n in range(1, 91) if not any(n in row for row in table.game_of(0)["ticket"]))
        assert (await refused(anna, MARK, game=table.game, number=foreign, marked=True))["code"] == "NOT_ON_YOUR_TICKET"
        told = await marks_of(house, table.stream.removeprefix("tombola-"))
        assert [(each.seat, each.number, each.marked) for each in told] == [
            (0, number, True), (0, number, False), (0, number, True),
        ]  # fmt: skip
        for api in (bruno, table.tv.api):
            for frame in api.received:
                for view in everything_in(msgspec.json.decode(frame)):
                    assert not (isinstance(view, dict) and view.get("marks")), "marks of somebody else"


async def test_the_host_calls_by_hand_or_by_the_clock(house: Stack) -> None:
    async with evening(house.url, "Anna", "Bruno", calling="AUTOMATIC", everySeconds=3) as table:
        anna, bruno, game = table.people[0], table.people[1], table.game
        assert table.board["settings"] == {"claimRule": "SHARED_DRAW", "calling": "AUTOMATIC", "everySeconds": 3}
        assert (table.board["calling"], table.board["everySeconds"]) == ("AUTOMATIC", 3)
        assert table.board["deadline"] is not None
        await table.tv.until(lambda update: len(update["game"]["called"]) == 1)
        assert (await refused(anna, DRAW, game=game))["code"] == "CALLED_AUTOMATICALLY"
        assert (await refused(bruno, PAUSE, game=game))["code"] == "NOT_HOST"
        paused = (await done(anna, PAUSE, game=game, key=key()))["game"]
        assert (paused["paused"], paused["deadline"]) == ("HOST", None)
        assert (await done(anna, RESUME, game=game, key=key()))["game"]["paused"] is None
        wrong = await refused(anna, CALL, game=game, mode="AUTOMATIC", everySeconds=2)
        assert (wrong["code"], wrong["field"]) == ("INVALID_SETTING", "everySeconds")
        by_hand = (await done(anna, CALL, game=game, mode="MANUAL", key=key()))["game"]
        assert (by_hand["calling"], by_hand["everySeconds"], by_hand["deadline"]) == ("MANUAL", 3, None)
        await table.draw()
        told = {each["kind"]: each for each in table.tv.happened}
        assert told["CALLING_PAUSED"]["pauseReason"] == "HOST"
        assert told["CALLING_CHANGED"]["calling"] == "MANUAL"
        assert "CALLING_RESUMED" in told


async def test_a_tombola_has_refusals_of_its_own(house: Stack) -> None:
    async with evening(house.url, "Anna", "Bruno") as table, guests(house.url, "Zeno") as (zeno,):
        anna, bruno, tv, game = table.people[0], table.people[1], table.tv.api, table.game

        async def code(api: Api, document: str, **variables: Any) -> str:
            return str((await refused(api, document, game=game, **variables))["code"])

        assert await code(tv, DRAW) == "UNAUTHENTICATED"
        assert await code(zeno, CLAIM, prize="AMBO") == "NO_TICKET"
        assert await code(zeno, MARK, number=1, marked=True) == "NO_TICKET"
        assert await code(bruno, DRAW) == "NOT_HOST"
        assert await code(bruno, CLAIM, prize="TOMBOLA") == "NOT_SATISFIED"
        assert await code(anna, PLAY, card="7D") == "UNKNOWN_COMMAND"
        assert await code(anna, ABANDON) == "UNKNOWN_COMMAND"
        version, same = table.board["version"], key()
        first, second = await asyncio.gather(
            *(answer(anna, DRAW, game=game, version=version, key=each) for each in (key(), key()))
        )
        assert sorted((first.get("code", ""), second.get("code", ""))) == ["", "STALE_VERSION"], "a double tap"
        done_once = await done(anna, DRAW, game=game, key=same)
        again = await done(anna, DRAW, game=game, key=same)
        assert (done_once["version"], done_once["replayed"], again["version"], again["replayed"]) == (
            version + 2, False, version + 2, True,
        )  # fmt: skip


async def test_a_television_comes_into_a_private_room_by_its_code_and_takes_no_seat(house: Stack) -> None:
    async with guests(house.url, "Anna", "Televisore") as (anna, tv), Api(house.url) as stranger:
        room = await open_room(anna, kind="tombola", visibility="PRIVATE")
        entered = await done(tv, JOIN, code=room["code"], watch=True)
        assert [member["spectator"] for member in entered["room"]["members"]] == [False, True]
        game = (await done(anna, START, roomId=room["id"], idempotencyKey=key()))["room"]["gameId"]
        async with Follower(tv, "game", FOLLOW, game=game) as board, Follower(anna, "game", FOLLOW, game=game) as own:
            for screen in (board, own):
                await screen.until(lambda update: update["game"]["status"] == "RUNNING")
            assert [seat["player"]["name"] for seat in board.latest["game"]["seats"]] == ["Anna"]
            assert (board.latest["game"]["ticket"], board.latest["game"]["seat"]) == (None, None)
            assert own.latest["game"]["ticket"] is not None
            assert (await refused(tv, CLAIM_ALL, game=game))["code"] == "NO_TICKET"
        with pytest.raises(ApiError) as refusal:
            async with stranger.subscribe(FOLLOW, game=game, after=None) as updates:
                await anext(updates)
        assert refusal.value.codes == ["NOT_ALLOWED"]
        assert (await answer(stranger, QUERY, game=game)) is None


async def test_the_clock_stands_while_nobody_holds_a_connection_for_the_host(house: Stack) -> None:
    async with evening(house.url, "Anna", "Bruno", calling="AUTOMATIC", everySeconds=3) as table:
        await table.live[1].__aexit__()
        await table.live[0].__aexit__()
        await table.tv.until(lambda update: update["game"]["paused"] is not None)
        assert (table.board["paused"], table.board["deadline"]) == ("HOST_DISCONNECTED", None)
        told = next(each for each in table.tv.happened if each["kind"] == "CALLING_PAUSED")
        assert told["pauseReason"] == "HOST_DISCONNECTED"
        assert (await refused(table.people[1], RESUME, game=table.game))["code"] == "NOT_HOST"
        assert (await done(table.host, RESUME, game=table.game, key=key()))["game"]["paused"] is None


@pytest.mark.parametrize(
    ("document", "variables"), [(DRAW, {}), (MARK, {"number": 7, "marked": True}), (CLAIM_ALL, {})]
)
async def test_moves_of_a_tombola_are_none_of_a_match(house: Stack, document: str, variables: Json) -> None:
    async with guests(house.url, "Anna") as (anna,):
        room = await open_room(anna, kind="solitario")
        game = (await done(anna, START, roomId=room["id"], idempotencyKey=key()))["room"]["gameId"]
        async with following(anna, game):
            assert (await refused(anna, document, game=game, **variables))["code"] == "UNKNOWN_COMMAND"


async def test_every_number_of_the_smorfia_has_its_names(house: Stack) -> None:
    async with Api(house.url) as anybody:
        named = await anybody.call(SMORFIA)
        assert [each["number"] for each in named["smorfia"]] == list(range(1, 91))
        assert all(each["neapolitan"] and each["italian"] and each["english"] for each in named["smorfia"])
        softened = [a["number"] for a, b in zip(named["smorfia"], named["coarse"], strict=True)
                    if a["neapolitan"] != b["neapolitan"]]  # fmt: skip
        assert softened
