"""``circolo demo``: a game for four, or a tombola, is played through the public API, for somebody to watch.

Everything here is what any frontend could do: sign in, open a room, take seats, start, follow, play a legal card. Each
game is a module with what it wants of the room, how its people choose a card, and how it is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from types import ModuleType

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ..api import Api, ApiError, Follower, Json
from ..console import console, say
from . import briscola, payout, scopa, scopone, tombola
from .asking import CREATE, JOIN, START, done
from .cards import TABLE

GAMES: Mapping[str, ModuleType] = {module.GAME: module for module in (briscola, scopa, scopone)}

SIT = """
mutation Sit($room: ID!, $seat: Int!, $key: UUID!) {
  takeSeat(roomId: $room, seat: $seat, idempotencyKey: $key) { __typename ... on Refused { code message } }
}"""
SEAT_CPU = """
mutation SeatCpu($room: ID!, $seat: Int!, $key: UUID!) {
  addCpu(roomId: $room, seat: $seat, level: MEDIUM, idempotencyKey: $key) { __typename ... on Refused { code message } }
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


async def seat_everybody(south: Api, north: Api, show: ModuleType) -> str:
    """A started game's id: two people opposite each other, CPUs between them."""
    await asyncio.gather(south.sign_in("South"), north.sign_in("North"))
    room = (await done(south, CREATE, game=show.WISH, ranked=False))["room"]
    say(f"South opens a public room of {show.GAME} for four; its code is {room['code']}")
    await done(north, JOIN, code=room["code"])
    await done(north, SIT, room=room["id"], seat=2)
    for seat in (1, 3):
        await done(south, SEAT_CPU, room=room["id"], seat=seat)
    say("North comes in by the code and sits opposite; CPUs sit at East and West")
    game: str = (await done(south, START, room=room["id"]))["room"]["gameId"]
    return game


async def seat_ranked(people: Sequence[Api], show: ModuleType) -> str:
    """A started game's id: four people, in the order of their seats."""
    await asyncio.gather(*(api.sign_in(name) for api, name in zip(people, TABLE, strict=True)))
    room = (await done(people[0], CREATE, game=show.WISH, ranked=True))["room"]
    say(f"South opens a ranked room of {show.GAME}: people only, thirty seconds for a card; its code is {room['code']}")
    for api in people[1:]:
        await done(api, JOIN, code=room["code"])
    say("East, North and West come in by the code")
    game: str = (await done(people[0], START, room=room["id"]))["room"]["gameId"]
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


async def match(url: str, show: ModuleType, *, ranked: bool) -> Json:
    """The whole evening; the game as it ended, with its ``id`` and, of a ranked one, the players' ``cards``."""
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(Api(url)) for _ in range(4 if ranked else 2)]
        game_id = await (seat_ranked(people, show) if ranked else seat_everybody(people[0], people[1], show))
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
        with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
            watches = [show.Commentary(progress), *[None] * (len(people) - 1)]
            played = [play(api, game_id, show.choose, watch) for api, watch in zip(people, watches, strict=True)]
            game = (await asyncio.gather(*played))[0]
        return {**game, "id": game_id, "cards": await payout.paid(people) if ranked else []}


def run(url: str, verify: Callable[[str], int], game: str = briscola.GAME, *, ranked: bool = False) -> int:
    """Play, print, and let ``verify`` (a game's id to an exit code) prove the shuffle; the exit code."""
    show = tombola if game == tombola.GAME else GAMES[game]
    try:
        ended = asyncio.run(tombola.evening(url) if show is tombola else match(url, show, ranked=ranked))
    except (ApiError, TimeoutError) as error:
        say(f"The demo could not go on: {error}")
        return 1
    show.report(ended)
    if ranked:
        payout.show(ended["cards"])
    what = "All chance" if show is tombola else "The shuffle"
    say(f"{what} was promised as {ended['commitment'][:16]}... and is revealed as {ended['seed'][:16]}...")
    return verify(ended["id"])
