"""Evenings at ranked tables through the public API: what document 003 gives and takes, and what follows from it."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from circolo_devstack.api import Api, ApiError, Json
from circolo_devstack.stack import Stack
from evening import ADD_CPU, JOIN, LEAVE, START, Table, answer, done, guests, key, play_out, refused, sit_down
from evening import following as following_game
from ranked import (
    ACCEPT,
    CREATE_RANKED,
    HISTORY,
    LEADERBOARD,
    OFFER,
    RANKED_ROOM,
    VOTE,
    WITHDRAW,
    brought,
    by_document_003,
    figures,
    last_match,
    left_by,
    open_ranked,
    rows_of,
    sit_down_ranked,
    until,
)

NAMES = ("Nord", "Ovest", "Sud", "Est")


async def settled(people: list[Api], played: int) -> list[Json]:
    """The cards of all of them, when all have so many matches and their balance is the sum of their entries."""

    def fits(cards: list[Json]) -> bool:
        return all(card["statistics"]["played"] == played and _adds_up(card) for card in cards)

    async def ask() -> list[Json]:
        return await asyncio.gather(*(figures(people[0], person.player) for person in people))

    cards: list[Json] = await until(ask, fits)
    return cards


def _adds_up(card: Json) -> bool:
    entries = card["brilli"]["entries"]["edges"]
    return bool(card["brilli"]["balance"] == sum(edge["node"]["amount"] for edge in entries))


def counts(card: Json) -> dict[str, int]:
    return {name: count for name, count in card["statistics"].items() if count and "Percent" not in name}


async def test_a_ranked_scopone_hands_out_two_hundred_brilli_and_its_rematch_that_somebody_leaves_takes_seventy(
    house: Stack,
) -> None:
    async with guests(house.url, *NAMES) as people:
        table = await sit_down_ranked(people)
        room = await answer(people[0], RANKED_ROOM, id=table.room["id"])
        assert room["ranked"]
        assert room["game"]["ranked"]
        followers = await play_out(table, seed=3)
        assert followers[0].latest["game"]["result"]["outcome"] == "WON"
        match = await last_match(people[0], table, by_document_003)
        assert sum(brought(match).values()) == 200
        cards = await settled(people, 1)
        won = match["result"]["winner"]
        for seat, card in enumerate(cards):
            assert counts(card) == {"played": 1, "won": 1} if seat % 2 == won else {"played": 1, "lost": 1}
            assert card["statistics"]["wonPercent"] == (100 if seat % 2 == won else 0)
            assert card["brilli"]["balance"] == brought(match)[people[seat].player]
            assert card["statisticsByGame"] == [{"gameKind": "SCOPONE_NOVE", "played": 1, "won": int(seat % 2 == won)}]

        first_game = table.game
        await _a_rematch_by_everybodys_yes(people, table)
        async with following_game(people[0], table.game) as follower:
            last_dealer = followers[0].latest["game"]["dealer"]
            assert follower.latest["game"]["dealer"] == (last_dealer + 1) % 4, "at the right of the last one"
        await done(people[2], LEAVE, roomId=table.room["id"], idempotencyKey=key())
        match = await last_match(people[0], table, left_by(2))
        assert match["result"] == {"outcome": "ABANDONED", "winner": 1, "abandonedBy": 2, "reason": "LEFT"}
        assert brought(match) == Counter(dict(zip(ids(people), (0, 12, -70, 12), strict=True)))
        cards = await settled(people, 2)
        expected = [Counter({"played": 2}) for _ in people]
        for seat in range(4):
            expected[seat]["won" if seat % 2 == won else "lost"] += 1
        expected[1]["won"] += 1
        expected[3]["won"] += 1
        expected[2].update({"lost": 1, "abandoned": 1})
        assert [counts(card) for card in cards] == [dict(each) for each in expected]
        assert cards[2]["statistics"]["abandonedPercent"] == 50
        assert {row["match"]["gameId"] for row in rows_of(cards[2])} == {first_game, table.game}
        assert "PENALTY" in [row["rule"] for row in rows_of(cards[2])]


def ids(people: list[Api]) -> list[str]:
    return [person.player for person in people]


async def _a_rematch_by_everybodys_yes(people: list[Api], table: Table) -> None:
    room = table.room["id"]
    assert (await refused(people[0], START, roomId=room))["code"] == "REMATCH_ONLY"
    assert (await refused(people[1], OFFER, roomId=room))["code"] == "NOT_HOST"
    assert (await refused(people[1], ACCEPT, roomId=room))["code"] == "NOT_OFFERED"
    await done(people[0], OFFER, roomId=room, idempotencyKey=key())
    await done(people[0], WITHDRAW, roomId=room, idempotencyKey=key())
    offer = key()
    first = (await done(people[0], OFFER, roomId=room, idempotencyKey=offer))["room"]
    assert first["rematch"] == {"offeredBy": {"id": people[0].player}, "accepted": [{"id": people[0].player}]}
    assert (await done(people[0], OFFER, roomId=room, idempotencyKey=offer))["replayed"]
    for person in people[1:]:
        room_now = (await done(person, ACCEPT, roomId=room, idempotencyKey=key()))["room"]
    assert (room_now["rematch"], room_now["gameNo"], room_now["phase"]) == (None, 2, "PLAYING")
    assert room_now["gameId"] != table.game
    table.game = room_now["gameId"]


async def test_a_clock_that_runs_out_says_whose_and_a_friendly_match_brings_nothing(house: Stack) -> None:
    """The thirty seconds of a ranked table are put forward in test_ranked_table.py; here a clock of one second runs."""
    async with guests(house.url, "Nord", "Sud") as people:
        table = await sit_down(people, clockSeconds=1, onTimeout="ABANDON")
        async with following_game(people[0], table.game) as follower:
            turn = (await follower.until(lambda update: update["game"]["turn"] is not None))["game"]["turn"]
            await follower.until(lambda update: update["game"]["status"] == "ENDED")

        async def newest() -> Json | None:
            edges = (await answer(people[0], HISTORY, player=people[0].player, first=1))["edges"]
            return edges[0]["node"] if edges else None

        match = await until(newest, lambda found: found is not None)
        assert match["result"] == {
            "outcome": "ABANDONED", "winner": 1 - turn, "abandonedBy": turn, "reason": "TIMEOUT"
        }  # fmt: skip
        assert [seat["brilli"] for seat in match["seats"]] == [None, None]
        assert not match["ranked"]
        card = await figures(people[0], people[turn].player)
        assert (counts(card), card["brilli"]["balance"]) == ({}, 0)


async def test_two_of_three_put_nobody_out_and_three_do(house: Stack) -> None:
    async with guests(house.url, *NAMES) as people:
        table = await sit_down_ranked(people)
        wish = {"roomId": table.room["id"], "player": people[1].player}
        async with following_game(people[0], table.game) as follower:
            assert (await refused(people[1], VOTE, **wish, inFavour=True))["code"] == "NOT_ALLOWED"
            await done(people[0], VOTE, **wish, inFavour=True, idempotencyKey=key())
            voted = (await done(people[2], VOTE, **wish, inFavour=True, idempotencyKey=key()))["room"]
            assert voted["votes"] == [
                {"target": {"id": people[1].player}, "inFavour": [{"id": people[0].player}, {"id": people[2].player}]}
            ]
            taken_back = (await done(people[2], VOTE, **wish, inFavour=False, idempotencyKey=key()))["room"]
            assert len(taken_back["votes"][0]["inFavour"]) == 1
            await done(people[2], VOTE, **wish, inFavour=True, idempotencyKey=key())
            assert follower.latest["game"]["status"] == "RUNNING"
            await done(people[3], VOTE, **wish, inFavour=True, idempotencyKey=key())
            await follower.until(lambda update: update["game"]["status"] == "ENDED")
        match = await last_match(people[0], table, left_by(1))
        assert match["result"] == {"outcome": "ABANDONED", "winner": 0, "abandonedBy": 1, "reason": "EXPELLED"}


async def test_at_a_ranked_table_sit_people_by_the_settings_of_ranked_tables(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud") as (north, south):
        room = await open_ranked(north, "briscola", players=2)
        assert (await refused(north, ADD_CPU, roomId=room["id"], seat=1, level="EASY"))["code"] == "RANKED"
        await done(south, JOIN, code=room["code"], watch=False)
        for game, code in (
            ({"briscola": {"clockSeconds": 0}}, "INVALID_SETTING"),
            ({"solitario": {}}, "NOT_RANKED"),
        ):
            got = await refused(north, CREATE_RANKED, game=game, ranked=True, key=key())
            assert got["code"] == code
        again = key()
        first = await done(north, CREATE_RANKED, game={"scopa": {}}, ranked=True, key=again)
        second = await done(north, CREATE_RANKED, game={"scopa": {}}, ranked=True, key=again)
        assert (second["replayed"], second["room"]["id"]) == (True, first["room"]["id"])
        friendly = {"game": {"scopa": {}}, "ranked": False, "key": again}
        assert (await refused(north, CREATE_RANKED, **friendly))["code"] == "KEY_REUSED"


async def test_standings_hold_still_while_their_pages_are_turned(house: Stack) -> None:
    """Whoever played above is in them; two pages say the same as one."""
    async with guests(house.url, "Nord", "Sud") as (north, south):
        table = await sit_down_ranked([north, south], "briscola", players=2)
        await done(north, LEAVE, roomId=table.room["id"], idempotencyKey=key())
        await settled([north, south], 1)

        async def ask(first: int, after: str | None = None) -> Json:
            return await answer(north, LEADERBOARD, game="BRISCOLA", by="BRILLI", first=first, after=after)

        whole = await until(lambda: ask(100), lambda page: page["mine"] is not None)
        turned: list[Json] = []
        after = None
        while True:
            page = await ask(1, after)
            turned += page["edges"]
            after = page["pageInfo"]["endCursor"]
            if not page["pageInfo"]["hasNextPage"]:
                break
        assert turned == whole["edges"]
        assert whole["mine"]["score"] == -70
        scores = [edge["node"]["score"] for edge in turned]
        assert scores == sorted(scores, reverse=True)
        assert [edge["node"]["rank"] for edge in turned] == [
            1 + sum(other > score for other in scores) for score in scores
        ]


@pytest.mark.parametrize("query", [
    'history(first: 101) { pageInfo { hasNextPage } }',
    'leaderboard(first: -1) { pageInfo { hasNextPage } }',
    'leaderboard(after: "nonsense") { pageInfo { hasNextPage } }',
    'leaderboard(season: "winter") { pageInfo { hasNextPage } }',
    'history(after: "WzFd") { pageInfo { hasNextPage } }',
])  # fmt: skip
async def test_a_page_that_there_cannot_be_is_refused_in_words(house: Stack, query: str) -> None:
    async with Api(house.url) as anybody:
        with pytest.raises(ApiError) as error:
            await anybody.call(f"{{ {query} }}")
        assert error.value.codes == ["BAD_USER_INPUT"]
