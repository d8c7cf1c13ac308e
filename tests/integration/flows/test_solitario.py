"""The solitario by its frontend: piramide and anonimo to their end, and what their rules refuse."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from circolo_devstack.api import Api, Follower, Json
from circolo_devstack.stack import Stack
from evening import (
    ADD_CPU,
    DECLARE,
    GAME_QUERY,
    GAME_SUBSCRIPTION,
    PLAY,
    REFUSED,
    ROOM_SUBSCRIPTION,
    answer,
    done,
    following,
    guests,
    insist,
    key,
    mutation,
    open_room,
    over,
    refused,
    sit_down,
)
from hidden import leaks, told

ANSWER = f"{{ __typename ... on GameDone {{ version game {{ __typename id version }} }} {REFUSED} }}"
REMOVE = f"""mutation($game: ID!, $cards: [Card!]!, $key: UUID, $version: Int) {{
  removeCards(gameId: $game, cards: $cards, idempotencyKey: $key, expectedVersion: $version) {ANSWER} }}"""
MOVE = f"""mutation($game: ID!, $card: Card!, $to: Int, $key: UUID, $version: Int) {{
  moveCard(gameId: $game, card: $card, to: $to, idempotencyKey: $key, expectedVersion: $version) {ANSWER} }}"""
TURN = f"""mutation($game: ID!, $key: UUID, $version: Int) {{
  turnStock(gameId: $game, idempotencyKey: $key, expectedVersion: $version) {ANSWER} }}"""
ABANDON = f"mutation($game: ID!) {{ abandonGame(gameId: $game) {ANSWER} }}"
CHANGE = mutation("changeSettings", roomId="ID!", game="GameInput!")
TYPE_OF_THE_GAME = "query($id: ID!) { room(id: $id) { gameKind gameId game { __typename id kind } } }"
ENOUGH = 200
"""Moves: an anonimo lets one card go to and fro for ever."""


async def move(api: Api, game: str, chosen: Json, version: int) -> Json:
    if chosen["kind"] == "TURN":
        return await insist(api, TURN, game=game, key=key(), version=version)
    if chosen["kind"] == "REMOVE":
        return await insist(api, REMOVE, game=game, cards=chosen["cards"], key=key(), version=version)
    (card,) = chosen["cards"]
    return await insist(api, MOVE, game=game, card=card, to=chosen["to"], key=key(), version=version)


def any_of(game: Json, rng: random.Random) -> Json:
    chosen: Json = rng.choice(game["legalMoves"])
    return chosen


def forward(game: Json, rng: random.Random) -> Json:
    """To the bases, from the waste, else turned; between columns only when there is nothing else."""

    def rank(each: Json) -> int:
        if each["kind"] == "TURN":
            return 2
        return 0 if each["to"] is None else 1 if each["cards"][0] == (game["waste"] or [""])[-1] else 3

    best = min(map(rank, game["legalMoves"]))
    chosen: Json = rng.choice([each for each in game["legalMoves"] if rank(each) == best])
    return chosen


@pytest.mark.parametrize(("patience", "choose"), [("PIRAMIDE", any_of), ("ANONIMO", forward)])
async def test_one_person_plays_it_to_its_end(
    house: Stack, patience: str, choose: Callable[[Json, random.Random], Json]
) -> None:
    rng = random.Random(3)
    async with guests(house.url, "Nord", "Curioso") as (north, watcher):
        north.record = watcher.record = True
        table = await sit_down([north], kind="solitario", game=patience, redeals=1)
        seen: list[Follower] = []
        async with (
            Follower(north, "game", GAME_SUBSCRIPTION, after=0, game=table.game) as follower,
            Follower(watcher, "game", GAME_SUBSCRIPTION, after=0, game=table.game) as other,
        ):
            seen += [follower, other]
            await follower.until(lambda update: update["game"]["status"] != "STARTING")
            for _ in range(ENOUGH):
                update = follower.latest
                if over(update["game"]):
                    break
                version = (await move(north, table.game, choose(update["game"], rng), update["version"]))["version"]
                await follower.until(lambda newer, last=version: newer["version"] >= last)  # type: ignore[misc]
            else:
                await done(north, ABANDON, game=table.game)
            for each in seen:
                await each.until(lambda update: bool(update["game"]["seed"]))
            async with Follower(north, "room", ROOM_SUBSCRIPTION, room=table.room["id"]) as room:
                await room.until(lambda update: update["room"]["phase"] == "LOBBY")
        log = await told(house, table.stream)
        game = follower.latest["game"]
        assert game["result"]["outcome"] in ("WON", "BLOCKED", "ABANDONED")
        lying = [card for column in game["columns"] for card in column]
        lying += [place for row in game["pyramid"] for place in row if place["state"] != "EMPTY"]
        assert len(lying) + game["stockCount"] + game["wasteCount"] + game["removedCount"] == 40
        for each in seen:
            assert each.versions == sorted(set(each.versions))
            assert [happening["atVersion"] for happening in each.happened] == list(range(1, len(log.events) + 1))
        assert follower.happened == other.happened, "who watches sees the same"
        for reader in (north, watcher):
            assert list(leaks(reader.received, log, None)) == []


async def test_a_patience_has_refusals_of_its_own(house: Stack) -> None:
    async with guests(house.url, "Nord", "Curioso") as (north, watcher):
        table = await sit_down([north], kind="solitario", game="PIRAMIDE", redeals=0)

        async def code(api: Api, document: str, **variables: Any) -> str:
            return str((await refused(api, document, game=table.game, **variables))["code"])

        async with following(north, table.game) as follower:
            game = follower.latest["game"]
            free = [place["card"] for place in game["pyramid"][-1]]
            under = next(card for card in ("1D", "2D", "3D", "4D", "5D", "6D", "7D", "8D") if card not in free)
            assert await code(watcher, TURN) == "NOT_IN_GAME"
            assert await code(north, TURN, version=0) == "STALE_VERSION"
            assert await code(north, REMOVE, cards=[under]) == "CARD_NOT_FREE"
            assert await code(north, REMOVE, cards=[free[0]] * 2) == "ILLEGAL_MOVE"
            assert await code(north, REMOVE, cards=[]) == "ILLEGAL_MOVE"
            assert await code(north, MOVE, card=free[0], to=0) == "ILLEGAL_MOVE"
            assert await code(north, PLAY, card=free[0]) == "UNKNOWN_COMMAND"
            assert await code(north, DECLARE, declaration={"kind": "NAPOLETANA", "suit": "D"}) == "UNKNOWN_COMMAND"
            for _ in range(game["stockCount"]):
                await done(north, TURN, game=table.game)
            assert await code(north, TURN) == "NO_REDEALS"
            again = key()
            ended = await done(north, ABANDON, game=table.game)
            assert ended["game"] == {"__typename": "Solitaire", "id": table.game, "version": ended["version"]}
            assert await code(north, TURN, key=again) == "GAME_NOT_RUNNING"


async def test_moves_of_a_solitario_are_none_of_a_match(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        table = await sit_down([north], kind="scopa")
        async with following(north, table.game):
            version = (await answer(north, GAME_QUERY, game=table.game))["version"]
            for document, variables in ((REMOVE, {"cards": ["7D"]}), (MOVE, {"card": "7D"}), (TURN, {})):
                got = await refused(north, document, game=table.game, **variables)
                assert got["code"] == "UNKNOWN_COMMAND"
            declared = await refused(north, DECLARE, game=table.game, declaration={"kind": "NAPOLETANA", "suit": "D"})
            assert declared["code"] in ("ILLEGAL_DECLARATION", "NOT_YOUR_TURN")
            assert (await answer(north, GAME_QUERY, game=table.game))["version"] >= version


async def test_a_room_leads_to_its_game_whatever_it_plays_next(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,):
        room = await open_room(north, kind="solitario")
        assert (await refused(north, ADD_CPU, roomId=room["id"], seat=0, level="EASY"))["code"]
        table = await sit_down([north], kind="solitario")
        shown = await answer(north, TYPE_OF_THE_GAME, id=table.room["id"])
        assert shown["game"] == {"__typename": "Solitaire", "id": table.game, "kind": "SOLITARIO"}
        async with following(north, table.game):
            await done(north, ABANDON, game=table.game)
        async with Follower(north, "room", ROOM_SUBSCRIPTION, room=table.room["id"]) as follower:
            await follower.until(lambda update: update["room"]["phase"] == "LOBBY")
        await done(north, CHANGE, roomId=table.room["id"], game={"scopa": {}})
        shown = await answer(north, TYPE_OF_THE_GAME, id=table.room["id"])
        assert (shown["gameKind"], shown["gameId"]) == ("SCOPA", table.game)
        assert shown["game"] == {"__typename": "Solitaire", "id": table.game, "kind": "SOLITARIO"}
