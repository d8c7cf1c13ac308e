"""What an evening at a ranked table needs, through the public API only."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from circolo_devstack.api import Api, Closed, Json
from circolo_devstack.stack import Stack
from evening import JOIN, REFUSED, ROOM_FIELDS, START, Table, answer, done, key, mutation

RANKED_FIELDS = f"""
  {ROOM_FIELDS} ranked votes {{ target {{ id }} inFavour {{ id }} }} rematch {{ offeredBy {{ id }} accepted {{ id }} }}
"""
CREATE_RANKED = f"""
mutation Create($game: GameInput!, $ranked: Boolean!, $key: UUID) {{
  createRoom(input: {{game: $game, ranked: $ranked}}, idempotencyKey: $key) {{
    __typename ... on RoomDone {{ version replayed room {{ {RANKED_FIELDS} }} }} {REFUSED}
  }}
}}"""
VOTE = mutation("voteToExpel", roomId="ID!", player="ID!", inFavour="Boolean!").replace(ROOM_FIELDS, RANKED_FIELDS)
OFFER = mutation("offerRematch", roomId="ID!").replace(ROOM_FIELDS, RANKED_FIELDS)
ACCEPT = mutation("acceptRematch", roomId="ID!").replace(ROOM_FIELDS, RANKED_FIELDS)
WITHDRAW = mutation("withdrawRematch", roomId="ID!").replace(ROOM_FIELDS, RANKED_FIELDS)
RANKED_ROOM = f"query Room($id: ID!) {{ room(id: $id) {{ {RANKED_FIELDS} game {{ id ranked status }} }} }}"
SAY = f"""
mutation Say($room: ID!, $text: String!, $to: Channel!, $key: UUID) {{
  sendMessage(roomId: $room, text: $text, to: $to, idempotencyKey: $key) {{
    __typename ... on MessageDone {{ version replayed id cursor }} {REFUSED}
  }}
}}"""
CHAT = """
subscription Chat($room: ID!, $after: String) {
  chat(roomId: $room, after: $after) { cursor kind id at to team text player { id } }
}"""
MESSAGES = """
query Messages($room: ID!, $first: Int!, $after: String) {
  messages(roomId: $room, first: $first, after: $after) {
    edges { cursor node { kind id text to player { id } } } pageInfo { hasNextPage endCursor }
  }
}"""
REPORT = f"""
mutation Report($room: ID!, $player: ID!, $reason: ReportReason!, $note: String!, $key: UUID) {{
  reportPlayer(roomId: $room, player: $player, reason: $reason, note: $note, idempotencyKey: $key) {{
    __typename ... on ReportDone {{ version replayed reportId }} {REFUSED}
  }}
}}"""
REPORTS = """
query Reports($after: String, $openOnly: Boolean!) {
  reports(first: 20, after: $after, openOnly: $openOnly) {
    edges { cursor node {
      id reason verdict player { id } reporter { id } closedBy { id }
      frozen { note gameVersion until position { id status } said { id text digest to player { id } } }
    } }
    pageInfo { hasNextPage endCursor }
  }
}"""
FIGURES = """
query Figures($player: ID!) {
  player(id: $player) {
    id name
    statistics { played won lost tied abandoned wonPercent abandonedPercent }
    statisticsByGame { gameKind played won }
    brilli { balance entries(first: 100) { edges { node { amount at rule gameKind payoutId match { gameId } } } } }
  }
}"""
HISTORY = """
query History($player: ID, $first: Int!, $after: String) {
  history(player: $player, first: $first, after: $after) {
    edges { cursor node {
      gameId gameKind ranked gameNo score seats { seat team brilli player { id } }
      deals { dealNo points sheet { name } } result { outcome winner abandonedBy reason }
    } }
    pageInfo { hasNextPage endCursor }
  }
}"""
LEADERBOARD = """
query Leaderboard($game: GameKind, $by: Measure!, $first: Int!, $after: String) {
  leaderboard(game: $game, by: $by, first: $first, after: $after) {
    edges { cursor node { rank score player { id } } } pageInfo { hasNextPage endCursor } mine { rank score }
  }
}"""
REFRESH = "mutation { refreshToken { __typename ... on SignInDone { token } ... on Refused { code } } }"


async def open_ranked(host: Api, kind: str = "scoponeNove", **settings: Any) -> Json:
    room: Json = (await done(host, CREATE_RANKED, game={kind: settings}, ranked=True, key=key()))["room"]
    return room


async def sit_down_ranked(people: list[Api], kind: str = "scoponeNove", **settings: Any) -> Table:
    """Started, people only."""
    room = await open_ranked(people[0], kind, **settings)
    for person in people[1:]:
        await done(person, JOIN, code=room["code"], watch=False)
    started = (await done(people[0], START, roomId=room["id"], idempotencyKey=key()))["room"]
    return Table(started, started["gameId"], dict(enumerate(people)))


async def until(ask: Callable[[], Any], wanted: Callable[[Any], bool], seconds: float = 15) -> Any:
    """Ask again until it is as ``wanted``: what follows from a match follows a moment later."""
    end = time.monotonic() + seconds
    while not wanted(got := await ask()):
        assert time.monotonic() < end, got
        await asyncio.sleep(0.03)
    return got


async def make_operator(house: Stack, api: Api) -> None:
    """By the house's own command; the next token has the role."""
    command = [sys.executable, "-m", "circolo_rooms.grant", api.player, "operator"]
    env = {**os.environ, "CIRCOLO_NATS_URL": house.nats_url}
    said = await asyncio.to_thread(subprocess.run, command, env=env, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    api.token = (await answer(api, REFRESH))["token"]


async def figures(api: Api, player: str) -> Json:
    return await answer(api, FIGURES, player=player)


def rows_of(card: Json) -> list[Json]:
    """Of a player's account, the newest first."""
    return [edge["node"] for edge in card["brilli"]["entries"]["edges"]]


def brought(match: Json) -> Counter[str]:
    """To whom, by the history."""
    return Counter({seat["player"]["id"]: seat["brilli"] for seat in match["seats"]})


def shares(match: Json) -> Counter[str]:
    """What the finished deals bring to each player, from their score sheets."""
    given: Counter[str] = Counter()
    for seat in match["seats"]:
        for deal in match["deals"][:5]:
            mine, theirs = deal["points"][seat["team"]], deal["points"][1 - seat["team"]]
            most = mine + theirs
            share = (24 * max(mine, theirs) + most) // (2 * most) if most else 6
            given[seat["player"]["id"]] += share if mine >= theirs else 12 - share
    return given


def by_document_003(match: Json) -> Counter[str]:
    """What a scopone that was played out brings to each player."""
    given = shares(match)
    for seat in match["seats"]:
        won = seat["team"] == match["result"]["winner"]
        given[seat["player"]["id"]] += 30 + 12 * max(0, 5 - len(match["deals"])) if won else 10
    return given


def left_by(leaver: int) -> Callable[[Json], Counter[str]]:
    """The same for a match that this seat abandoned."""

    def due(match: Json) -> Counter[str]:
        given = shares(match)
        for seat in match["seats"]:
            if seat["team"] != leaver % 2 and len(match["deals"]) < 5:
                given[seat["player"]["id"]] += 12
        given[match["seats"][leaver]["player"]["id"]] -= 70
        return given

    return due


async def last_match(api: Api, table: Table, due: Callable[[Json], Counter[str]]) -> Json:
    """The table's last match in the history, when it is there and everybody has got what is ``due`` by it."""

    async def newest() -> Json | None:
        edges = (await answer(api, HISTORY, player=table.people[0].player, first=1))["edges"]
        return edges[0]["node"] if edges else None

    def is_it(match: Json | None) -> bool:
        return match is not None and match["gameId"] == table.game and brought(match) == due(match)

    found: Json = await until(newest, is_it)
    return found


class Ear:
    """Hears a chat: ``heard`` is all that was said to it."""

    def __init__(self, api: Api, room: str, after: str | None = None) -> None:
        self.heard: list[Json] = []
        self.closed: Exception | None = None
        self._api, self._room, self._after = api, room, after
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Ear:
        self._task = asyncio.create_task(self._hear())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _hear(self) -> None:
        try:
            async with self._api.subscribe(CHAT, room=self._room, after=self._after) as updates:
                async for data in updates:
                    self.heard.append(data["chat"])
        except Exception as error:
            self.closed = error

    @property
    def texts(self) -> list[str | None]:
        return [each["text"] for each in self.heard if each["kind"] == "SAID"]

    @property
    def kinds(self) -> list[str]:
        return [each["kind"] for each in self.heard]

    async def until(self, wanted: Callable[[Ear], bool]) -> None:
        async with asyncio.timeout(10):
            while not wanted(self):
                assert self.closed is None, self.closed
                await asyncio.sleep(0.01)

    async def until_closed(self) -> Closed:
        async with asyncio.timeout(10):
            while self.closed is None:
                await asyncio.sleep(0.01)
        assert isinstance(self.closed, Closed), self.closed
        return self.closed


@asynccontextmanager
async def hearing(room: str, *people: Api) -> AsyncIterator[list[Ear]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Ear(person, room)) for person in people]
