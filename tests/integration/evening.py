"""What every flow needs: people at a table, through the public API only."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from circolo_contracts.ids import parse_global_id
from circolo_devstack.api import Api, Follower, Json

ROOM_FIELDS = """
  id code phase version visibility host { id } gameKind gameNo gameId
  seats { seat team cpu player { id name } } members { connected spectator player { id name } }
"""
GAME_FIELDS = """
  status version
  ... on CardGame {
    seat hand legalMoves { card captures } turn trump trumpCard trick { seat card } lastTrick { seat card } stockCount
    dealer dealNo commitment seed seats { seat team cpu handCount pileCount sweeps player { id } }
    table lastPlay { card seat captured sweep } drawn { seat card } declarable { kind rank suit points }
    declared { seat declaration { kind rank suit points } }
    score deals { points winner sheet { name points amounts } } result { outcome winner abandonedBy } deadline
  }
  ... on Solitaire {
    pyramid { state card } columns bases { suit count } waste wasteCount stockCount redealsLeft removedCount
    legalMoves { kind cards to } commitment seed result { outcome winner abandonedBy } player { id }
  }
"""
REFUSED = "... on Refused { code message currentVersion field }"

CREATE = f"""
mutation Create($game: GameInput!, $visibility: Visibility!, $key: UUID) {{
  createRoom(input: {{game: $game, visibility: $visibility}}, idempotencyKey: $key) {{
    __typename ... on RoomDone {{ version replayed room {{ {ROOM_FIELDS} }} }} {REFUSED}
  }}
}}"""
PLAY = f"""
mutation Play($game: ID!, $card: Card!, $capture: [Card!], $key: UUID, $version: Int) {{
  playCard(gameId: $game, card: $card, capture: $capture, idempotencyKey: $key, expectedVersion: $version) {{
    __typename ... on GameDone {{ version replayed game {{ {GAME_FIELDS} }} }} {REFUSED}
  }}
}}"""
DECLARE = f"""
mutation Declare($game: ID!, $declaration: DeclarationInput!, $key: UUID, $version: Int) {{
  declare(gameId: $game, declaration: $declaration, idempotencyKey: $key, expectedVersion: $version) {{
    __typename ... on GameDone {{ version replayed game {{ {GAME_FIELDS} }} }} {REFUSED}
  }}
}}"""
GAME_SUBSCRIPTION = f"""
subscription Game($game: ID!, $after: Int) {{
  game(id: $game, after: $after) {{
    version reset
    happened {{
      kind atVersion
      ... on CardGameEvent {{ seat card cards sweep points team declaration {{ kind rank suit points }} }}
      ... on SolitaireEvent {{ cards revealed to toBase }}
    }}
    game {{ {GAME_FIELDS} }}
  }}
}}"""
ROOM_SUBSCRIPTION = f"""
subscription Room($room: ID!, $after: Int) {{
  room(id: $room, after: $after) {{ version reset happened {{ kind atVersion }} room {{ {ROOM_FIELDS} }} }}
}}"""
GAME_QUERY = f"query Game($game: ID!) {{ game(id: $game) {{ {GAME_FIELDS} }} }}"
ROOM_QUERY = f"query Room($id: ID, $code: String) {{ room(id: $id, code: $code) {{ {ROOM_FIELDS} }} }}"


def key() -> str:
    return str(uuid.uuid4())


def mutation(call: str, **types: str) -> str:
    """A mutation on a room: ``mutation("takeSeat", roomId="ID!", seat="Int!")``."""
    declared = ", ".join(f"${name}: {kind}" for name, kind in types.items())
    passed = ", ".join(f"{name}: ${name}" for name in types)
    arguments = f"{passed}, " if passed else ""
    declared = f"{declared}, " if declared else ""
    return (
        f"mutation({declared}$idempotencyKey: UUID) {{ {call}({arguments}idempotencyKey: $idempotencyKey) {{ "
        f"__typename ... on RoomDone {{ version replayed room {{ {ROOM_FIELDS} }} }} {REFUSED} }} }}"
    )


JOIN = mutation("joinRoom", code="String!", watch="Boolean!")
TAKE_SEAT = mutation("takeSeat", roomId="ID!", seat="Int!")
ADD_CPU = mutation("addCpu", roomId="ID!", seat="Int!", level="CpuLevel!")
LEAVE = mutation("leaveRoom", roomId="ID!")
START = mutation("startGame", roomId="ID!")


async def answer(api: Api, document: str, **variables: Any) -> Json:
    """The one field of a mutation's or query's answer."""
    only: Json = next(iter((await api.call(document, **variables)).values()))
    return only


async def done(api: Api, document: str, **variables: Any) -> Json:
    got = await answer(api, document, **variables)
    assert got["__typename"].endswith("Done"), got
    return got


async def insist(api: Api, document: str, **variables: Any) -> Json:
    """As ``done``, repeated with the same key while the outcome is not known."""
    until = time.monotonic() + 20
    while True:
        got = await answer(api, document, **variables)
        if got.get("code") != "UNAVAILABLE" or time.monotonic() > until:
            assert got["__typename"].endswith("Done"), got
            return got
        await asyncio.sleep(0.1)


async def refused(api: Api, document: str, **variables: Any) -> Json:
    got = await answer(api, document, **variables)
    assert got["__typename"] == "Refused", got
    assert got["message"], "a refusal has words for people"
    return got


class Table:
    """A started game: ``people[seat]`` for seats with a person."""

    def __init__(self, room: Json, game: str, people: dict[int, Api]) -> None:
        self.room = room
        self.game = game
        self.people = people

    @property
    def stream(self) -> str:
        """Of the game, as it is stored."""
        parsed = parse_global_id(self.game)
        assert parsed is not None
        return parsed[1]


@asynccontextmanager
async def guests(url: str, *names: str) -> AsyncIterator[list[Api]]:
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(Api(url)) for _ in names]
        await asyncio.gather(*(person.sign_in(name) for person, name in zip(people, names, strict=True)))
        yield people


async def open_room(host: Api, *, kind: str = "briscola", visibility: str = "PUBLIC", **settings: Any) -> Json:
    """``kind`` as the settings input names it."""
    room: Json = (await done(host, CREATE, game={kind: settings}, visibility=visibility, key=key()))["room"]
    return room


async def sit_down(
    people: list[Api],
    *,
    kind: str = "briscola",
    visibility: str = "PUBLIC",
    levels: Sequence[str] = ("MEDIUM",),
    **settings: Any,
) -> Table:
    """A room with these people from seat 0 on and CPUs of these levels in turn on the other seats, started."""
    host = people[0]
    room = await open_room(host, kind=kind, visibility=visibility, **settings)
    for person in people[1:]:
        await done(person, JOIN, code=room["code"], watch=False)
    for seat in range(len(people), len(room["seats"])):
        await done(host, ADD_CPU, roomId=room["id"], seat=seat, level=levels[seat % len(levels)])
    started = (await done(host, START, roomId=room["id"], idempotencyKey=key()))["room"]
    return Table(started, started["gameId"], dict(enumerate(people)))


@asynccontextmanager
async def following(api: Api, game: str) -> AsyncIterator[Follower]:
    async with Follower(api, "game", GAME_SUBSCRIPTION, game=game) as follower:
        await follower.until(lambda update: update["game"]["status"] != "STARTING")
        yield follower


Choose = Callable[[Json], Json]
"""From a view to what ``playCard`` takes: a card and, in games that capture, what it takes."""


def at_random(seed: int) -> Choose:
    rng = random.Random(seed)

    def choose(game: Json) -> Json:
        move = rng.choice(game["legalMoves"])
        return {"card": move["card"], **({"capture": rng.choice(move["captures"])} if move["captures"] else {})}

    return choose


async def play_on(follower: Follower, game_id: str, choose: Choose, *, moves: int = 10_000) -> list[Json]:
    """Play whenever it is our turn, until the match is over or ``moves`` cards are played; the answers.

    Whatever the hand holds is announced first.
    """
    api, answers = follower.api, []
    acted = -1
    while True:
        update = follower.latest
        game = update["game"]
        if over(game) or len(answers) == moves:
            return answers
        if game["turn"] == game["seat"] and game["legalMoves"] and update["version"] > acted:
            acted = update["version"]
            for each in game["declarable"] or ():
                named = {name: each[name] for name in ("kind", "rank", "suit")}
                await insist(api, DECLARE, game=game_id, declaration=named, key=key(), version=acted)
            answers.append(await insist(api, PLAY, game=game_id, **choose(game), key=key(), version=acted))
        last = update["version"]
        await follower.until(lambda newer, last=last: newer["version"] > last or over(newer["game"]))  # type: ignore[misc]


def over(game: Json) -> bool:
    return game["status"] == "ENDED"


async def play_out(table: Table, seed: int = 0) -> dict[int, Follower]:
    """Everybody follows and plays random legal cards to the end; the followers with all that they saw."""
    followers: dict[int, Follower] = {}

    async def one(seat: int, api: Api) -> None:
        async with following(api, table.game) as follower:
            followers[seat] = follower
            await play_on(follower, table.game, at_random(seed + seat))
            await follower.until(lambda update: bool(update["game"]["seed"]))

    await asyncio.gather(*(one(seat, api) for seat, api in table.people.items()))
    return followers


async def all_that_happened(api: Api, game: str) -> list[Json]:
    """From the first event on, as this viewer may know it."""
    async with api.subscribe(GAME_SUBSCRIPTION, game=game, after=0) as updates:
        update = (await anext(updates))["game"]
        assert not update["reset"]
        happened: list[Json] = update["happened"]
        return happened
