"""Ranked matches by the real rules, paid by the real ledger, read by the gateway: all of it agrees with a recount."""

from __future__ import annotations

import asyncio
import hashlib
import random
import uuid
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress

import asyncpg
import pytest
from circolo_cardgames.conformance.matches import at_random
from circolo_cardgames.registry import REGISTRY
from circolo_cardgames.rehearsal import SERVICE, Rehearsal
from circolo_contracts.cardgames import AbandonSeat, DealEnded, MatchEnded, MatchEvent, MatchStarted
from circolo_contracts.games import CATALOGUE, ranked_settings
from circolo_contracts.rooms import SeatOccupant
from circolo_events.appender import ANY_VERSION, Append, Appender, NewEvent
from circolo_events.bus import NatsBus
from circolo_events.clock import DatabaseClock
from circolo_gateway.records.brilli import balances, given_by
from circolo_gateway.records.history import history
from circolo_gateway.records.leaderboard import Measure, leaderboard
from circolo_gateway.records.statistics import Statistics, statistics
from circolo_ledger.oracle import MatchOracle
from circolo_ledger.service import compose
from circolo_projector import brilli, matches
from circolo_projector.generations import Generations
from circolo_service.migrate import migrate
from circolo_service.platform import Platform
from circolo_service.settings import Settings
from nats.js.errors import NotFoundError

from .conftest import KIT, OWN, of_service

RANKED = [(kind, seats) for kind, game in CATALOGUE.items() if game.ranked for seats in game.seats]
CLUB = [f"{number:032x}" for number in range(1, 13)]
HOUSE = {"pot", "penalties"}


class Club:
    """Cardgames' log, a ledger and the figures, in one database."""

    def __init__(self, pool: asyncpg.Pool, games: Appender, generations: Sequence[Generations]) -> None:
        self.pool = pool
        self.games = games
        self.generations = generations

    async def plays(self, table: Rehearsal, pieces: random.Random) -> None:
        at = 0
        while at < len(table.events):
            step = pieces.randrange(1, 40)
            made = []
            for event in table.events[at : at + step]:
                name, schema_v, data = REGISTRY.encode(event)
                made.append(NewEvent(uuid.uuid4().hex, name, schema_v, data, b"{}"))
            await self.games.append(Append(f"match-{table.state.game_id}", ANY_VERSION, uuid.uuid4().hex, made))
            at += step

    async def settled(self) -> None:
        """The ledger has read what was played, and the figures what both have written."""
        heads = dict(await self.pool.fetch("SELECT shard, head FROM cardgames.shard_head"))
        async with asyncio.timeout(120):
            while True:
                read = await self.pool.fetch("SELECT shard, pos FROM ledger.checkpoint WHERE source = 'cardgames'")
                if len(read) == 16 and all(row["pos"] >= heads[row["shard"]] for row in read):
                    break
                await asyncio.sleep(0.05)
        assert await self.pool.fetchval("SELECT count(*) FROM ledger.parked") == 0
        for generations in self.generations:
            await generations.filling[1].subscription.caught_up(60)
            assert generations.filling[1].subscription.parked == set()


@pytest.fixture
async def club(database: str, nats_url: str) -> AsyncIterator[Club]:
    for name in ("cardgames", "ledger", "projector"):
        await migrate(database, name, [KIT, *([OWN[name]] if name in OWN else [])])
    async with AsyncExitStack() as stack:
        bus = await NatsBus.connect(nats_url, name="club")
        stack.push_async_callback(bus.close)
        with suppress(NotFoundError):  # the feed of another test's database
            await bus.client.jetstream().delete_stream("LOG_ledger")
        pools = {name: await stack.enter_async_context(of_service(database, name)) for name in ("ledger", "projector")}
        games = Appender(lambda: asyncpg.connect(database, server_settings={"search_path": "cardgames"}))
        games.start()
        stack.push_async_callback(games.stop)
        clock = DatabaseClock()
        await clock.start(pools["ledger"])
        stack.push_async_callback(clock.stop)
        settings = Settings(postgres_url=database, nats_url=nats_url)
        ledger = await compose(Platform("ledger", settings, bus, pools["ledger"], clock, "ledger"))
        await ledger.start()
        stack.push_async_callback(ledger.stop)
        generations = [Generations(family, pools["projector"], bus) for family in (matches.FAMILY, brilli.FAMILY)]
        for each in generations:
            await each.start()
            stack.push_async_callback(each.stop)
        async with asyncio.timeout(10):
            while not all(each.is_served for each in generations):
                await asyncio.sleep(0.02)
        yield Club(pools["projector"], games, generations)


def played(number: int) -> Rehearsal:
    """A match of a ranked game by chance, to its end or until one, or two at once, leave the table."""
    chance = random.Random(f"ranked {number}")
    kind, count = RANKED[number % len(RANKED)]
    game = CATALOGUE[kind]
    settings = ranked_settings(game, {"players": count} if game.setting("players") else {})
    assert isinstance(settings, dict)
    seats = [SeatOccupant(player=player) for player in chance.sample(CLUB, count)]
    seed = hashlib.sha256(f"{number}".encode()).digest()
    table = Rehearsal(kind, seats, settings, seed=seed, game_id=f"{number:032x}", ranked=True)
    table.play_on(at_random(chance), plays=chance.choice([20_000, 20_000, chance.randrange(200)]))
    for leaver in chance.sample(seats, 2 if table.state.is_running else 0):
        table.do(AbandonSeat(str(leaver.player), chance.choice(["LEFT", "EXPELLED"])), SERVICE)
    assert table.state.result is not None
    return table


def marks(events: Sequence[MatchEvent]) -> dict[str, tuple[int, int, int, int, int]]:
    """By player: played, won, lost, tied, abandoned, as document 003 and the house's rules put it."""
    start, end = events[0], next(event for event in events if isinstance(event, MatchEnded))
    assert isinstance(start, MatchStarted)
    in_pairs = len(start.seats) == 4 and start.game != "VINCIPERDI"
    found = {}
    for seat, occupant in enumerate(start.seats):
        side = seat % 2 if in_pairs else seat
        mark = (1, 1, 0, 0, 0)
        if end.outcome == "TIED":
            mark = (1, 0, 0, 1, 0)
        elif end.outcome == "WON":
            mark = (1, 1, 0, 0, 0) if side == end.winner else (1, 0, 1, 0, 0)
        elif seat == end.abandoned_by:
            mark = (1, 0, 1, 0, 1)
        elif in_pairs and side == int(end.abandoned_by or 0) % 2:
            mark = (1, 0, 0, 0, 0)
        found[str(occupant.player)] = mark
    return found


def owed(table: Rehearsal) -> Counter[str]:
    start = table.events[0]
    assert isinstance(start, MatchStarted)
    oracle, total = MatchOracle(start), Counter[str]()
    for number, event in enumerate(table.events):
        if isinstance(event, (DealEnded, MatchEnded)):
            for _, payment in oracle.owed(f"{number:032x}", event):
                for account, amount in payment.items():
                    total[account] += amount
    return total


async def agrees(club: Club, count: int) -> None:
    tables = [played(number) for number in range(count)]
    await asyncio.gather(*(club.plays(table, random.Random(number)) for number, table in enumerate(tables)))
    await club.settled()
    cards: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 5)
    brilli_of: Counter[str] = Counter()
    for table in tables:
        for player, mark in marks(table.events).items():
            for game in (table.state.game, "ALL"):
                cards[player, game] = [a + b for a, b in zip(cards[player, game], mark, strict=True)]
        brilli_of.update(owed(table))
    found = await statistics(club.pool, CLUB)
    assert {(player, game): card for player in CLUB for game, card in found[player].items()} == {
        key: Statistics(*counts) for key, counts in cards.items()
    }
    have = await balances(club.pool, CLUB)
    assert have == {player: brilli_of[f"player-{player}"] for player in CLUB}
    assert sum(brilli_of.values()) == 0
    await standings_agree(club, {p: cards[p, "ALL"][1] for p in CLUB if (p, "ALL") in cards}, "WINS")
    await standings_agree(club, {p: n for p, n in have.items() if f"player-{p}" in brilli_of}, "BRILLI")
    await pots_agree(club, tables)


async def standings_agree(club: Club, scores: dict[str, int], measure: Measure) -> None:
    page = await leaderboard(club.pool, measure, first=100)
    assert {place.player: place.score for place in page.rows} == scores
    assert [place.rank for place in page.rows] == sorted(
        1 + sum(other > score for other in scores.values()) for score in scores.values()
    )


async def pots_agree(club: Club, tables: Sequence[Rehearsal]) -> None:
    """A completed scopone hands out exactly 200, and the history knows every match with all its deals."""
    given = await given_by(club.pool, [table.state.game_id for table in tables])
    for table in tables:
        match = given[table.state.game_id]
        assert match == {a.removeprefix("player-"): n for a, n in owed(table).items() if a not in HOUSE and n} | {
            player: 0 for player, amount in match.items() if amount == 0
        }
        assert table.state.result is not None
        if table.state.game.startswith("SCOPONE") and table.state.result.outcome == "WON":
            assert sum(match.values()) == 200
    page = await history(club.pool, None, first=len(tables) + 1)
    assert {found.match: found.deals for found in page.rows} == {
        table.state.game_id: list(table.state.deals) for table in tables
    }


async def test_random_ranked_matches_with_leavers_agree_with_a_recount_of_their_events(club: Club) -> None:
    await agrees(club, 60)


@pytest.mark.soak
async def test_thousands_of_ranked_matches_with_leavers_agree_with_a_recount_of_their_events(club: Club) -> None:
    await agrees(club, 3000)
