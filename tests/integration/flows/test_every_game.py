"""Every game of the house, from the lobby to the final score, as its frontends live it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from circolo_contracts.games import CATALOGUE
from circolo_devstack.api import Api, Follower, Json
from circolo_devstack.stack import Stack
from evening import (
    DECLARE,
    GAME_QUERY,
    GAME_SUBSCRIPTION,
    PLAY,
    ROOM_SUBSCRIPTION,
    START,
    Table,
    answer,
    at_random,
    done,
    following,
    guests,
    insist,
    key,
    mutation,
    play_on,
    refused,
    sit_down,
)
from hidden import Told, leaks, told

TABLES: list[tuple[str, dict[str, Any], int]] = [
    ("briscola", {"players": 2}, 2),
    ("briscola", {"players": 4}, 4),
    ("scopa", {"players": 2, "target": 11}, 2),
    ("scopa", {"players": 4, "target": 11}, 4),
    ("scopaDassi", {"players": 2, "target": 11, "preset": "TRADITIONAL"}, 2),
    ("scopaDassi", {"players": 4, "target": 11, "preset": "PORTAL"}, 4),
    ("scoponeNove", {"target": 11, "finalSweep": "COUNTS"}, 4),
    ("scoponeDieci", {"target": 11}, 4),
    ("tressette", {"players": 2, "target": 11}, 2),
    ("tressette", {"players": 4, "target": 11}, 4),
    ("vinciperdi", {"players": 3, "limit": 21}, 3),
    ("vinciperdi", {"players": 4, "limit": 21}, 4),
]
"""As the settings input names it, its settings, its seats. Short targets: what is played is the same."""
END = mutation("endGame", roomId="ID!")
NAMES = ["Nord", "Est", "Sud", "Ovest"]
ONE_DEAL: dict[str, tuple[str, int]] = {
    "scopa": ("CARDS", 40), "scopaDassi": ("CARDS", 40), "scoponeNove": ("CARDS", 40), "scoponeDieci": ("CARDS", 40),
    "vinciperdi": ("CARD_POINTS", 32), "tressette": ("CARD_POINTS", 35),
}  # fmt: skip
"""What a line of the sheet compares adds up to this, over the teams."""


async def play_from_the_first_event(table: Table, seed: int) -> dict[int, Follower]:
    """Everybody hears everything from version 1 on and plays random legal moves to the end."""
    followers: dict[int, Follower] = {}

    async def one(seat: int, api: Api) -> None:
        api.record = True
        async with Follower(api, "game", GAME_SUBSCRIPTION, after=0, game=table.game) as follower:
            followers[seat] = follower
            await follower.until(lambda update: update["game"]["status"] != "STARTING")
            await play_on(follower, table.game, at_random(seed + seat))
            await follower.until(lambda update: bool(update["game"]["seed"]))

    await asyncio.gather(*(one(seat, api) for seat, api in table.people.items()))
    return followers


def assert_nothing_was_missed(follower: Follower, log: Told) -> None:
    """Each version is told once and none is left out, and only the first view may be a reset."""
    assert follower.versions == sorted(set(follower.versions))
    versions = [happening["atVersion"] for happening in follower.happened]
    assert versions == sorted(versions)
    assert sorted(set(versions)) == list(range(1, len(log.events) + 1))
    assert {happening["kind"] for happening in follower.happened} & {"OTHER"} == set()


def assert_the_sheets_add_up(kind: str, game: Json) -> None:
    for deal in game["deals"]:
        if kind == "briscola":
            assert deal["sheet"] is None
            assert sum(deal["points"]) == 120
            continue
        for team, points in enumerate(deal["points"]):
            assert points == sum(line["points"][team] for line in deal["sheet"])
        lines = {line["name"]: line for line in deal["sheet"]}
        name, total = ONE_DEAL[kind]
        assert sum(lines[name]["amounts"]) == total, lines
    if kind == "briscola":
        return
    totals = [sum(deal["points"][team] for deal in game["deals"]) for team in range(len(game["score"]))]
    assert game["score"] == totals
    best = min(totals) if kind == "vinciperdi" else max(totals)
    assert game["result"] == {"outcome": "WON", "winner": totals.index(best), "abandonedBy": None}


def test_every_game_and_number_of_seats_is_played_here() -> None:
    played = {(kind.lower(), seats) for kind, _, seats in TABLES}
    of_the_house = {
        (kind.replace("_", "").lower(), seats) for kind, game in CATALOGUE.items() if game.cpu for seats in game.seats
    }
    assert played == of_the_house
    assert [kind for kind, game in CATALOGUE.items() if not game.cpu] == ["SOLITARIO", "TOMBOLA", "TRIVIA"]


@pytest.mark.parametrize(
    ("kind", "settings", "seats"), TABLES, ids=lambda value: str(value) if isinstance(value, str) else ""
)
async def test_people_play_it_to_the_final_score(house: Stack, kind: str, settings: dict[str, Any], seats: int) -> None:
    async with guests(house.url, *NAMES[:seats]) as people:
        table = await sit_down(people, kind=kind, **settings)
        followers = await play_from_the_first_event(table, seed=seats)
        log = await told(house, table.stream)
        for seat, follower in followers.items():
            assert_nothing_was_missed(follower, log)
            assert list(leaks(people[seat].received, log, seat)) == []
            assert list(leaks(people[seat].received, log, 1 - seat % 2)) != [], "another's eyes would be caught"
        assert_the_sheets_add_up(kind, followers[0].latest["game"])


CPU_TABLES: list[tuple[str, dict[str, Any]]] = [
    ("briscola", {}),
    ("scopa", {"target": 11}),
    ("scopaDassi", {"target": 11}),
    ("scoponeNove", {"target": 11}),
    ("scoponeDieci", {"target": 11}),
    ("tressette", {"players": 2, "target": 11}),
    ("vinciperdi", {"players": 3}),
]


@pytest.mark.parametrize(("kind", "settings"), CPU_TABLES, ids=[kind for kind, _ in CPU_TABLES])
async def test_the_house_sits_in(house: Stack, kind: str, settings: dict[str, Any]) -> None:
    async with guests(house.url, "Nord") as people:
        table = await sit_down(people, kind=kind, levels=("EASY", "MEDIUM"), **settings)
        followers = await play_from_the_first_event(table, seed=1)
        game = followers[0].latest["game"]
        assert {seat["cpu"] for seat in game["seats"][1:]} <= {"EASY", "MEDIUM"}
        log = await told(house, table.stream)
        assert_nothing_was_missed(followers[0], log)
        assert list(leaks(people[0].received, log, 0)) == []
        assert_the_sheets_add_up(kind, game)


# ---------------------------------------------------------------- what is refused


@asynccontextmanager
async def everybody_at(table: Table) -> AsyncIterator[dict[int, Follower]]:
    async with AsyncExitStack() as stack:
        yield {seat: await stack.enter_async_context(following(api, table.game)) for seat, api in table.people.items()}


async def on_turn(followers: dict[int, Follower], after: int = 0) -> Follower:
    """Who must play, once everybody has seen it."""
    for follower in followers.values():
        await follower.until(lambda update: update["version"] > after and update["game"]["turn"] is not None)
    follower = followers[next(iter(followers.values())).latest["game"]["turn"]]
    await follower.until(lambda update: bool(update["game"]["legalMoves"]))
    return follower


async def play_until(
    table: Table, followers: dict[int, Follower], wanted: Callable[[Json], bool], seed: int = 5
) -> Follower:
    """Random cards until who is on turn is in such a place."""
    choose, version = at_random(seed), 0
    while True:
        follower = await on_turn(followers, version)
        game = follower.latest["game"]
        if wanted(game):
            return follower
        version = (await insist(follower.api, PLAY, game=table.game, **choose(game), key=key()))["version"] - 1


async def test_a_capture_that_the_rules_do_not_give_is_refused(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people, kind="scopa")
        async with everybody_at(table) as followers:

            def takes(game: Json) -> bool:
                return any(move["captures"] for move in game["legalMoves"])

            actor = await play_until(table, followers, takes)
            game = actor.latest["game"]
            move = next(move for move in game["legalMoves"] if move["captures"])
            wrong: list[list[str]] = [[], [*game["table"], "1D"], ["1D", "1D"], [game["hand"][0]]]
            for capture in wrong:
                got = await refused(actor.api, PLAY, game=table.game, card=move["card"], capture=capture)
                assert got["code"] == "ILLEGAL_CAPTURE", capture
            assert (await answer(actor.api, GAME_QUERY, game=table.game))["version"] == game["version"]
            taken = await done(actor.api, PLAY, game=table.game, card=move["card"], capture=move["captures"][0])
            play = taken["game"]["lastPlay"]
            assert (play["card"], sorted(play["captured"])) == (move["card"], sorted(move["captures"][0]))
            for follower in followers.values():
                await follower.until(lambda update: update["version"] >= taken["version"])
                told_of = next(h for h in follower.happened if h["kind"] == "CARD_PLAYED" and h["cards"])
                assert sorted(told_of["cards"]) == sorted(move["captures"][0])


async def test_a_card_of_several_captures_needs_one_of_them_named(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people, kind="scopa", target=21)
        async with everybody_at(table) as followers:

            def may_choose(game: Json) -> bool:
                return any(len(move["captures"]) > 1 for move in game["legalMoves"])

            actor = await play_until(table, followers, may_choose)
            move = next(move for move in actor.latest["game"]["legalMoves"] if len(move["captures"]) > 1)
            got = await refused(actor.api, PLAY, game=table.game, card=move["card"])
            assert got["code"] == "ILLEGAL_CAPTURE"
            await done(actor.api, PLAY, game=table.game, card=move["card"], capture=move["captures"][-1])


async def test_who_can_must_follow_suit(house: Stack) -> None:
    async with guests(house.url, *NAMES) as people:
        table = await sit_down(people, kind="tressette", players=4)
        async with everybody_at(table) as followers:
            actor = await play_until(table, followers, lambda game: len(game["legalMoves"]) < len(game["hand"]))
            game = actor.latest["game"]
            legal = {move["card"] for move in game["legalMoves"]}
            assert {card[-1] for card in legal} == {game["trick"][0]["card"][-1]}
            revoke = next(card for card in game["hand"] if card not in legal)
            assert (await refused(actor.api, PLAY, game=table.game, card=revoke))["code"] == "MUST_FOLLOW_SUIT"
            await done(actor.api, PLAY, game=table.game, card=legal.pop())


# ---------------------------------------------------------------- declarations


def can_declare(hand: Sequence[str]) -> bool:
    ranks = [card[:-1] for card in hand]
    napoletana = any({f"1{suit}", f"2{suit}", f"3{suit}"} <= {*hand} for suit in "DCSB")
    return napoletana or any(ranks.count(rank) >= 3 for rank in "123")


async def test_an_announced_hand_counts_at_once_and_everybody_hears_of_it(house: Stack) -> None:
    async with guests(house.url, *NAMES) as people:
        table = await sit_down(people, kind="tressette", players=4)
        for _ in range(60):  # every other deal has something to announce
            hands = [(await answer(person, GAME_QUERY, game=table.game))["hand"] for person in people]
            if any(map(can_declare, filter(None, hands))):
                break
            table = await another(table, people[0])
        async with everybody_at(table) as followers:
            actor = await play_until(table, followers, lambda game: bool(game["declarable"]))
            game = actor.latest["game"]
            first = game["declarable"][0]
            held = {name: first[name] for name in ("kind", "rank", "suit")}
            no_such = {"kind": "BUONGIOCO", "rank": 7}
            for other in (no_such, {"kind": "NAPOLETANA"}):
                got = await refused(actor.api, DECLARE, game=table.game, declaration=other)
                assert got["code"] == "ILLEGAL_DECLARATION"
            waiting = followers[(game["seat"] + 1) % 4]
            got = await refused(waiting.api, DECLARE, game=table.game, declaration=held)
            assert got["code"] == "NOT_YOUR_TURN"
            team, before = game["seat"] % 2, game["score"]
            heard = await done(actor.api, DECLARE, game=table.game, declaration=held, version=game["version"])
            assert heard["game"]["score"][team] == before[team] + first["points"]
            update = await waiting.until(lambda update: update["version"] >= heard["version"])
            assert update["game"]["declared"][-1] == {"seat": game["seat"], "declaration": first}
            assert update["game"]["declarable"] is None
            assert [h["declaration"] for h in waiting.happened if h["kind"] == "DECLARED"][-1] == first
            got = await refused(actor.api, DECLARE, game=table.game, declaration=held)
            assert got["code"] == "ILLEGAL_DECLARATION"
            card = game["legalMoves"][0]["card"]
            await done(actor.api, PLAY, game=table.game, card=card, version=game["version"])


async def another(table: Table, host: Api) -> Table:
    """The host stops the game and starts the next one with the same people."""
    await done(host, END, roomId=table.room["id"])
    async with Follower(host, "room", ROOM_SUBSCRIPTION, room=table.room["id"]) as room:
        await room.until(lambda update: update["room"]["phase"] == "LOBBY")
    started = (await done(host, START, roomId=table.room["id"], idempotencyKey=key()))["room"]
    async with following(host, started["gameId"]):
        return Table(started, started["gameId"], table.people)
