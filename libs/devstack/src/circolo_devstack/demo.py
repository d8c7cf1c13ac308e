"""``circolo demo``: two people and two CPUs play a four-handed briscola through the public API, for somebody to watch.

Everything here is what any frontend could do: sign in, open a room, take seats, start, follow, play a legal card.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from .api import Api, ApiError, Follower, Json
from .console import console, say

TABLE = ("South", "East", "North", "West")
"""The seats as one sits: the next to play is at one's right, the partner opposite."""
TRICKS = 10
SUITS = {"D": "denari", "C": "coppe", "S": "spade", "B": "bastoni"}
RANKS = {"1": "Asso", "8": "Fante", "9": "Cavallo", "10": "Re"}
POINTS = {"1": 11, "3": 10, "10": 4, "9": 3, "8": 2}
STRENGTH = ("2", "4", "5", "6", "7", "8", "9", "10", "3", "1")

CREATE = """
mutation Create($key: UUID!) {
  createRoom(input: {game: {briscola: {players: 4, bestOf: 1}}, visibility: PUBLIC}, idempotencyKey: $key) {
    __typename ... on RoomDone { room { id code } } ... on Refused { code message }
  }
}"""
JOIN = """
mutation Join($code: String!, $key: UUID!) {
  joinRoom(code: $code, idempotencyKey: $key) { __typename ... on Refused { code message } }
}"""
SIT = """
mutation Sit($room: ID!, $seat: Int!, $key: UUID!) {
  takeSeat(roomId: $room, seat: $seat, idempotencyKey: $key) { __typename ... on Refused { code message } }
}"""
SEAT_CPU = """
mutation SeatCpu($room: ID!, $seat: Int!, $key: UUID!) {
  addCpu(roomId: $room, seat: $seat, level: MEDIUM, idempotencyKey: $key) { __typename ... on Refused { code message } }
}"""
START = """
mutation Start($room: ID!, $key: UUID!) {
  startGame(roomId: $room, idempotencyKey: $key) {
    __typename ... on RoomDone { room { gameId } } ... on Refused { code message }
  }
}"""
PLAY = """
mutation Play($game: ID!, $card: Card!, $key: UUID!, $version: Int!) {
  playCard(gameId: $game, card: $card, idempotencyKey: $key, expectedVersion: $version) {
    __typename ... on GameDone { version } ... on Refused { code message }
  }
}"""
GAME = """
subscription Game($game: ID!, $after: Int) {
  game(id: $game, after: $after) {
    version reset
    happened { kind atVersion ... on CardGameEvent { seat card points team } }
    game {
      status
      ... on CardGame {
        seat hand legalMoves { card } turn trump trumpCard trick { seat card } stockCount dealer commitment seed
        deals { points winner } result { outcome winner }
      }
    }
  }
}"""


def card_name(card: str) -> str:
    """``7D`` as the table says it: 7 di denari."""
    return f"{RANKS.get(card[:-1], card[:-1])} di {SUITS[card[-1]]}"


def choose(game: Json) -> str:
    """A decent card: take what is worth it as cheaply as possible, load the partner's trick, else throw the least."""
    trump, trick = game["trump"], game["trick"]
    cards: list[str] = [move["card"] for move in game["legalMoves"]]

    def worth(card: str) -> int:
        return POINTS.get(card[:-1], 0)

    def cost(card: str) -> tuple[int, int]:
        return worth(card) + 5 * (card[-1] == trump), STRENGTH.index(card[:-1])

    cheapest = min(cards, key=cost)
    if not trick:
        return cheapest
    led, is_last = trick[0]["card"][-1], len(trick) == len(TABLE) - 1
    best = max(trick, key=lambda played: power(played["card"], led, trump))
    stake = sum(worth(played["card"]) for played in trick)
    if best["seat"] % 2 == game["seat"] % 2 and (is_last or best["card"][-1] == trump):
        return max((c for c in cards if c[-1] != trump), key=worth, default=cheapest)
    winning = [c for c in cards if power(c, led, trump) > power(best["card"], led, trump)]
    gains = [c for c in winning if c[-1] != trump and is_last and worth(c)]
    if gains:
        return max(gains, key=worth)
    return min(winning, key=cost) if winning and stake >= (3 if is_last else 10) else cheapest


def power(card: str, led: str, trump: str) -> tuple[int, int]:
    """What wins a trick: trump before the led suit before the rest, then the rank."""
    return (2 if card[-1] == trump else 1 if card[-1] == led else 0), STRENGTH.index(card[:-1])


async def done(api: Api, document: str, **variables: Any) -> Json:
    """A mutation that must succeed here. Raises ApiError with the refusal."""
    answer: Json = next(iter((await api.call(document, key=str(uuid.uuid4()), **variables)).values()))
    if answer["__typename"] == "Refused":
        raise ApiError([{"message": answer["message"], "extensions": {"code": answer["code"]}}])
    return answer


async def seat_everybody(south: Api, north: Api) -> str:
    """A started game's id: two people opposite each other, CPUs between them."""
    await asyncio.gather(south.sign_in("South"), north.sign_in("North"))
    room = (await done(south, CREATE))["room"]
    say(f"South opens a public room of briscola for four; its code is {room['code']}")
    await done(north, JOIN, code=room["code"])
    await done(north, SIT, room=room["id"], seat=2)
    for seat in (1, 3):
        await done(south, SEAT_CPU, room=room["id"], seat=seat)
    say("North comes in by the code and sits opposite; CPUs sit at East and West")
    game: str = (await done(south, START, room=room["id"]))["room"]["gameId"]
    return game


async def play(api: Api, game_id: str, watch: Callable[[Json], None] | None = None) -> Json:
    """Follow the game and play whenever it is our turn; the last update. ``watch`` sees each thing that happens."""
    seen = 0
    async with Follower(api, "game", GAME, after=0, game=game_id) as follower:
        await follower.until(lambda update: update["game"]["status"] != "STARTING")
        acted = -1
        while True:
            update = follower.latest
            game = update["game"]
            if watch:
                for happening in follower.happened[seen:]:
                    watch(happening)
            seen = len(follower.happened)
            if game["status"] == "ENDED" and (game["seed"] or game["result"]["outcome"] == "CANCELLED"):
                return update
            if game["turn"] == game["seat"] and game["legalMoves"] and update["version"] > acted:
                acted = update["version"]
                await done(api, PLAY, game=game_id, card=choose(game), version=acted)
            last = update["version"]
            await follower.until(lambda newer, last=last: newer["version"] > last)  # type: ignore[misc]


class Commentary:
    """Prints each trick as one line, with who took it and for how much."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bar = progress.add_task("tricks", total=TRICKS)
        self._trick: list[str] = []
        self._number = 0
        self.points = [0, 0]

    def __call__(self, happening: Json) -> None:
        kind = happening["kind"]
        if kind == "DEAL_STARTED":
            say(f"{TABLE[happening['seat']]} deals; the exposed card is the {card_name(happening['card'])}")
        elif kind == "CARD_PLAYED":
            self._trick.append(f"{TABLE[happening['seat']]} {card_name(happening['card'])}")
        elif kind == "TRICK_ENDED":
            self._number += 1
            points, seat = happening["points"][0], happening["seat"]
            self.points[seat % 2] += points
            cards = "".join(f"{played:<26}" for played in self._trick)
            say(f"{self._number:>3}  {cards} {TABLE[seat]} takes {points}")
            self._trick = []
            self._progress.update(self._bar, advance=1)


async def match(url: str) -> Json:
    """The whole evening; returns what ``report`` prints."""
    async with Api(url) as south, Api(url) as north:
        game_id = await seat_everybody(south, north)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
        with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
            commentary = Commentary(progress)
            update, _ = await asyncio.gather(play(south, game_id, commentary), play(north, game_id))
        return {**update["game"], "id": game_id, "counted": commentary.points}


def report(game: Json) -> None:
    """Who won, and what the match was dealt from."""
    pairs = ("South and North", "East and West")
    points = game["deals"][-1]["points"]
    say(f"     {pairs[0]} {points[0]}, {pairs[1]} {points[1]}")
    result = game["result"]
    say(f"{pairs[result['winner']]} win." if result["outcome"] == "WON" else "60 to 60: a tie.")
    say(f"The shuffle was promised as {game['commitment'][:16]}... and is revealed as {game['seed'][:16]}...")


def run(url: str, verify: Callable[[str], int]) -> int:
    """Play, print, and let ``verify`` (a game's id to an exit code) prove the shuffle; the exit code."""
    try:
        game = asyncio.run(match(url))
    except (ApiError, TimeoutError) as error:
        say(f"The demo could not go on: {error}")
        return 1
    report(game)
    return verify(game["id"])
