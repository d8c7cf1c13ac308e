"""Every byte that one client gets is searched for cards that are not his to know."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack

import asyncpg
import pytest
from circolo_devstack.api import Api, ApiError
from circolo_devstack.stack import Stack
from evening import (
    GAME_QUERY,
    GAME_SUBSCRIPTION,
    all_that_happened,
    answer,
    at_random,
    following,
    guests,
    over,
    play_on,
    play_out,
    sit_down,
)

CARD = re.compile(rb'"(10|[1-9])([DCSB])"')


async def dealt_deck(house: Stack, stream: str) -> list[list[str]]:
    """Each deal's deck from the store, top first."""
    connection = await asyncpg.connect(house.postgres_url)
    rows = await connection.fetch(
        "SELECT data FROM cardgames.event WHERE stream = $1 AND type = 'DealStarted' ORDER BY version",
        stream,
    )
    await connection.close()
    return [json.loads(row[0])["deck"] for row in rows]


def cards_in(frame: bytes) -> set[str]:
    return {(rank + suit).decode() for rank, suit in CARD.findall(frame)}


def unknown_cards(frames: list[bytes], own: set[str]) -> Iterator[tuple[int, set[str]]]:
    """For each frame, the cards in it that its reader could not know: not his own, not exposed, not yet on the table.

    Cards on the table and the exposed card become known by the frame that shows them there.
    """
    public: set[str] = set()
    for number, frame in enumerate(frames):
        document = json.loads(frame)
        public |= shown_to_everybody(document)
        yield number, cards_in(frame) - public - own


def shown_to_everybody(value: object) -> set[str]:
    """Cards under fields that are public by the rules: the trick, the last trick, the exposed card, cards played."""
    if isinstance(value, list):
        return set().union(*map(shown_to_everybody, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    found = set()
    for name, inner in value.items():
        if name in ("trick", "lastTrick") and inner:
            found |= {played["card"] for played in inner}
        elif name == "trumpCard" and inner:
            found.add(inner)
        elif name == "happened":
            found |= {h["card"] for h in inner if h.get("card") and h["kind"] in ("CARD_PLAYED", "DEAL_STARTED")}
        else:
            found |= shown_to_everybody(inner)
    return found


def cards_of_seat(deck: list[str], happened: list[dict[str, object]], seat: int, seats: int, leader: int) -> set[str]:
    """Everything that a seat had in hand in the deal: three dealt, then what it drew (winner first)."""
    block = (seat - leader) % seats
    own = set(deck[3 * block : 3 * block + 3])
    rest = deck[3 * seats :]
    stock = [*rest[1:], rest[0]]
    for happening in happened:
        if happening["kind"] == "CARD_DRAWN":
            card = stock.pop(0)
            if happening["seat"] == seat:
                own.add(card)
    return own


async def test_no_byte_names_a_card_that_its_reader_may_not_know(house: Stack) -> None:
    async with guests(house.url, "Nord", "Ospite", "TV") as (north, south, display), AsyncExitStack() as stack:
        anonymous = await stack.enter_async_context(Api(house.url))
        readers = [north, south, display, anonymous]
        table = await sit_down([north, south], players=4)
        for reader in readers:
            reader.record = True
        async with following(display, table.game), following(anonymous, table.game):
            await play_out(table, seed=7)
            for reader in readers:
                await answer(reader, GAME_QUERY, game=table.game)
        happened = await all_that_happened(display, table.game)
        decks = await dealt_deck(house, table.stream)
        assert len(decks) == 1
        leader = next(h["seat"] for h in happened if h["kind"] == "CARD_PLAYED")
        for seat, reader in ((0, north), (1, south), (None, display), (None, anonymous)):
            own = set() if seat is None else cards_of_seat(decks[0], happened, seat, 4, leader)
            assert len(own) == (0 if seat is None else 10)
            assert len(reader.received) > 20
            for number, leaked in unknown_cards(reader.received, own):
                assert not leaked, f"frame {number} of seat {seat} shows {leaked}"
            running = [f for f in reader.received if b'"RUNNING"' in f]
            assert all(b'"seed":null' in f for f in running), "no seed before the end"


async def test_a_second_tab_without_the_token_sees_no_more_than_a_spectator(house: Stack) -> None:
    async with guests(house.url, "Nord") as (north,), Api(house.url) as tab:
        table = await sit_down([north])
        async with following(north, table.game) as follower:
            await play_on(follower, table.game, at_random(3), moves=1)
            seen = await answer(tab, GAME_QUERY, game=table.game)
            assert (seen["seat"], seen["hand"], seen["legalMoves"]) == (None, None, None)
            assert not over(seen)


async def test_a_private_room_s_game_is_not_shown_to_a_stranger(house: Stack) -> None:
    async with guests(house.url, "Nord", "Sud", "Estraneo") as (north, south, stranger):
        table = await sit_down([north, south], visibility="PRIVATE")
        async with following(north, table.game):
            assert await answer(stranger, GAME_QUERY, game=table.game) is None
            with pytest.raises(ApiError) as refused:
                async with asyncio.timeout(5), stranger.subscribe(GAME_SUBSCRIPTION, game=table.game) as updates:
                    await anext(updates)
            assert refused.value.codes[0] in ("NOT_FOUND", "NOT_ALLOWED")
