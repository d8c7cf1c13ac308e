"""A tombola of three people: the host calls as fast as he can, everybody marks and claims; the prizes as lines."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ..api import Api, Follower, Json
from ..console import console, say
from .asking import CREATE, JOIN, START, done

GAME = "tombola"
PEOPLE = ("Anna", "Bruno", "Carla")
NUMBERS, COLUMNS = 90, 9
ON_A_ROW = {"AMBO": 2, "TERNO": 3, "QUATERNA": 4, "CINQUINA": 5}
SMORFIA = "{ smorfia { number neapolitan english } }"
DRAW = """
mutation Draw($game: ID!, $key: UUID!, $version: Int!) {
  drawNumber(gameId: $game, idempotencyKey: $key, expectedVersion: $version) {
    __typename ... on GameDone { version } ... on Refused { code message }
  }
}"""
MARK = """
mutation Mark($game: ID!, $number: Int!, $key: UUID!) {
  markNumber(gameId: $game, number: $number, marked: true, idempotencyKey: $key) {
    __typename ... on Refused { code message }
  }
}"""
CLAIM = """
mutation Claim($game: ID!, $prize: Prize!, $key: UUID!) {
  claimPrize(gameId: $game, prize: $prize, idempotencyKey: $key) {
    __typename ... on GameDone { version } ... on Refused { code message }
  }
}"""
FOLLOW = """
subscription Game($game: ID!, $after: Int) {
  game(id: $game, after: $after) {
    version reset
    happened { kind atVersion ... on TombolaEvent { seat number prize } }
    game {
      status
      ... on Tombola {
        called seat ticket marks commitment seed prizes { prize winningDraw winners { seat } } result { outcome winner }
      }
    }
  }
}"""


async def evening(url: str) -> Json:
    """From the room to the tombola; the game as it ended for the host, with its ``id``."""
    async with AsyncExitStack() as stack:
        people = [await stack.enter_async_context(Api(url)) for _ in PEOPLE]
        await asyncio.gather(*(api.sign_in(name) for api, name in zip(people, PEOPLE, strict=True)))
        room = (await done(people[0], CREATE, game={GAME: {}}, ranked=False))["room"]
        say(f"{PEOPLE[0]} opens a public room of tombola; its code is {room['code']}")
        for api in people[1:]:
            await done(api, JOIN, code=room["code"])
        say(f"{' and '.join(PEOPLE[1:])} come in by the code; the other seats stay empty")
        game_id: str = (await done(people[0], START, room=room["id"]))["room"]["gameId"]
        screens = [
            await stack.enter_async_context(Follower(api, "game", FOLLOW, after=0, game=game_id)) for api in people
        ]
        named = {each["number"]: each for each in (await people[0].call(SMORFIA))["smorfia"]}
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
        with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
            await _call(game_id, screens, named, progress)
        return {**screens[0].latest["game"], "id": game_id}


async def _call(game_id: str, screens: list[Follower], named: dict[int, Json], progress: Progress) -> None:
    host, told = screens[0], 0
    bar = progress.add_task("numbers", total=NUMBERS)
    await _all_at(screens, 1)
    console.print(ticket(host.latest["game"]))
    while host.latest["game"]["status"] == "RUNNING":
        drawn = await done(host.api, DRAW, game=game_id, version=host.latest["version"])
        await _all_at(screens, drawn["version"])
        progress.update(bar, completed=len(host.latest["game"]["called"]))
        reached = await asyncio.gather(*(_mark_and_claim(game_id, screen) for screen in screens))
        await _all_at(screens, max(reached))
        for each in host.happened[told:]:
            if each["kind"] == "PRIZE_AWARDED":
                say(award(each, host.latest["game"], named))
        told = len(host.happened)
    await asyncio.gather(*(screen.until(lambda update: bool(update["game"]["seed"])) for screen in screens))


async def _all_at(screens: list[Follower], version: int) -> None:
    await asyncio.gather(*(screen.until(lambda update: update["version"] >= version) for screen in screens))


async def _mark_and_claim(game_id: str, screen: Follower) -> int:
    """What the number on the board is good for; the version that is known then."""
    game, version = screen.latest["game"], screen.latest["version"]
    if not any(game["called"][-1] in row for row in game["ticket"]):
        return int(version)
    await done(screen.api, MARK, game=game_id, number=game["called"][-1])
    for prize in claims(game):
        version = (await done(screen.api, CLAIM, game=game_id, prize=prize))["version"]
    return int(version)


def claims(game: Json) -> list[str]:
    """Prizes that the last number has made on this ticket, and that no earlier one has given away."""
    called, last = set(game["called"]), game["called"][-1]
    won = {each["prize"]: each["winningDraw"] for each in game["prizes"]}
    marked = [len(called & set(row)) for row in game["ticket"] if last in row]
    made = [prize for prize, count in ON_A_ROW.items() if count in marked]
    if all(called >= set(row) for row in game["ticket"]):
        made.append("TOMBOLA")
    return [prize for prize in made if won[prize] in (None, len(called))]


def award(happening: Json, game: Json, named: dict[int, Json]) -> str:
    draw = next(each["winningDraw"] for each in game["prizes"] if each["prize"] == happening["prize"])
    number = game["called"][draw - 1]
    name = named[number]
    what = f"{happening['prize'].lower():<9}"
    return f"     {what} to {PEOPLE[happening['seat']]:<6} with {number}, {name['neapolitan']} ({name['english']})"


def ticket(game: Json) -> Table:
    """The host's own, as it is printed: three rows in nine columns."""
    table = Table(title=f"{PEOPLE[game['seat']]}'s ticket", show_header=False, padding=(0, 1))
    for _ in range(COLUMNS):
        table.add_column(justify="right", min_width=2)
    for row in game["ticket"]:
        by_column = {min(number // 10, COLUMNS - 1): str(number) for number in row}
        table.add_row(*(by_column.get(column, "") for column in range(COLUMNS)))
    return table


def report(game: Json) -> None:
    say(f"{PEOPLE[game['result']['winner']]} has the tombola after {len(game['called'])} numbers.")
