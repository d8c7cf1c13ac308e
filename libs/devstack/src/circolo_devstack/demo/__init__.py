"""``circolo demo``: two people and two CPUs play a game for four through the public API, for somebody to watch.

Everything here is what any frontend could do: sign in, open a room, take seats, start, follow, play a legal card. Each
game is a module with what it wants of the room, how its people choose a card, and how it is told.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..api import Api, ApiError, Follower, Json
from ..console import console, say
from . import briscola, scopa

GAMES: Mapping[str, ModuleType] = {module.GAME: module for module in (briscola, scopa)}

CREATE = """
mutation Create($game: GameInput!, $key: UUID!) {
  createRoom(input: {game: $game, visibility: PUBLIC}, idempotencyKey: $key) {
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
mutation Play($game: ID!, $card: Card!, $capture: [Card!], $key: UUID!, $version: Int!) {
  playCard(gameId: $game, card: $card, capture: $capture, idempotencyKey: $key, expectedVersion: $version) {
    __typename ... on GameDone { version } ... on Refused { code message }
  }
}"""
FOLLOW = """
subscription Game($game: ID!, $after: Int) {
  game(id: $game, after: $after) {
    version reset
    happened { kind atVersion ... on CardGameEvent { seat card cards sweep points team } }
    game {
      status
      ... on CardGame {
        seat hand legalMoves { card captures } turn trump trumpCard trick { seat card } table stockCount dealer
        commitment seed score deals { dealNo points winner sheet { name points amounts } } result { outcome winner }
      }
    }
  }
}"""


async def done(api: Api, document: str, **variables: Any) -> Json:
    """A mutation that must succeed here. Raises ApiError with the refusal."""
    answer: Json = next(iter((await api.call(document, key=str(uuid.uuid4()), **variables)).values()))
    if answer["__typename"] == "Refused":
        raise ApiError([{"message": answer["message"], "extensions": {"code": answer["code"]}}])
    return answer


async def seat_everybody(south: Api, north: Api, show: ModuleType) -> str:
    """A started game's id: two people opposite each other, CPUs between them."""
    await asyncio.gather(south.sign_in("South"), north.sign_in("North"))
    room = (await done(south, CREATE, game=show.WISH))["room"]
    say(f"South opens a public room of {show.GAME} for four; its code is {room['code']}")
    await done(north, JOIN, code=room["code"])
    await done(north, SIT, room=room["id"], seat=2)
    for seat in (1, 3):
        await done(south, SEAT_CPU, room=room["id"], seat=seat)
    say("North comes in by the code and sits opposite; CPUs sit at East and West")
    game: str = (await done(south, START, room=room["id"]))["room"]["gameId"]
    return game


async def play(
    api: Api, game_id: str, choose: Callable[[Json], Json], watch: Callable[[Json, Json], None] | None = None
) -> Json:
    """Follow the game and play whenever it is our turn; the last view. ``watch`` sees each thing that happens."""
    seen = 0
    async with Follower(api, "game", FOLLOW, after=0, game=game_id) as follower:
        await follower.until(lambda update: update["game"]["status"] != "STARTING")
        acted = -1
        while True:
            update = follower.latest
            game: Json = update["game"]
            if watch:
                for happening in follower.happened[seen:]:
                    watch(happening, game)
            seen = len(follower.happened)
            if game["status"] == "ENDED" and (game["seed"] or game["result"]["outcome"] == "CANCELLED"):
                return game
            if game["turn"] == game["seat"] and game["legalMoves"] and update["version"] > acted:
                acted = update["version"]
                await done(api, PLAY, game=game_id, **choose(game), version=acted)
            last = update["version"]
            await follower.until(lambda newer, last=last: newer["version"] > last)  # type: ignore[misc]


async def match(url: str, show: ModuleType) -> Json:
    """The whole evening; the game as it ended, with its ``id``."""
    async with Api(url) as south, Api(url) as north:
        game_id = await seat_everybody(south, north, show)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
        with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
            commentary = show.Commentary(progress)
            game, _ = await asyncio.gather(
                play(south, game_id, show.choose, commentary), play(north, game_id, show.choose)
            )
        return {**game, "id": game_id}


def run(url: str, verify: Callable[[str], int], game: str = briscola.GAME) -> int:
    """Play, print, and let ``verify`` (a game's id to an exit code) prove the shuffle; the exit code."""
    show = GAMES[game]
    try:
        ended = asyncio.run(match(url, show))
    except (ApiError, TimeoutError) as error:
        say(f"The demo could not go on: {error}")
        return 1
    show.report(ended)
    say(f"The shuffle was promised as {ended['commitment'][:16]}... and is revealed as {ended['seed'][:16]}...")
    return verify(ended["id"])
