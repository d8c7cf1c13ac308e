"""No list is found by reading a whole table, however many have played: plans at fifty thousand rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import asyncpg
from circolo_gateway.records import brilli, history, leaderboard
from circolo_gateway.records.statistics import statistics
from circolo_projector.brilli import tables as brilli_tables
from circolo_projector.matches import tables as match_tables

ROWS = 50_000
FIRST = 20
MIDDLE = f"{ROWS // 2:032x}"
ID = "lpad(to_hex({}), 32, '0')"
MATCH, PLAYER, NEIGHBOUR = ID.format("n"), ID.format("n % 500"), ID.format("(n + side) % 500")
GAME = "CASE WHEN n % 1000 = 0 THEN 'SCOPA' ELSE 'BRISCOLA' END"
NUMBERS = f"generate_series(1, {ROWS}) AS n"
LISTS = "unnest(ARRAY['BRISCOLA', 'ALL']) AS game, unnest(ARRAY['2026-Q1', 'ALL']) AS season"
FILL = f"""
INSERT INTO match_g1 (match, version, game, ranked, room, game_no, players, seats_json, settings_json, deals_json,
                      score_json, outcome, started_at, ended_at)
SELECT {MATCH}, 9, {GAME}, n % 10 < 9, 'r', 1, ARRAY[{PLAYER}], '[]', '{{}}', '[]', '[]', 'WON', n, n FROM {NUMBERS};
INSERT INTO match_player_g1
SELECT {NEIGHBOUR}, n, {MATCH}, {GAME}, '2026-Q1', true, 'WON' FROM {NUMBERS}, generate_series(0, 1) AS side;
INSERT INTO standing_g1 SELECT {MATCH}, game, season, 9, n % 300, 0, 0, 0 FROM {NUMBERS}, {LISTS};
INSERT INTO brilli_standing_g1 SELECT {MATCH}, game, season, n % 3000 - 100 FROM {NUMBERS}, {LISTS};
INSERT INTO ledger_entry_g1
SELECT {MATCH}, 1, side, 'player-' || {NEIGHBOUR}, 5, n, 'DEAL', 'BRISCOLA', {MATCH}, '2026-Q1', 'c'
FROM {NUMBERS}, generate_series(0, 1) AS side;
INSERT INTO balance_g1 SELECT 'player-' || {MATCH}, 5, 1 FROM {NUMBERS};
"""
LARGE = "match_g1", "match_player_g1", "standing_g1", "brilli_standing_g1", "ledger_entry_g1", "balance_g1"


class Watched:
    """A connection that keeps the plan of what is read through it, with what it really visited."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.plans: list[dict[str, Any]] = []

    async def fetch(self, query: str, *arguments: Any, timeout: float | None = None) -> list[Any]:
        await self.explain(query, *arguments)
        found: list[Any] = await self.connection.fetch(query, *arguments)
        return found

    async def fetchrow(self, query: str, *arguments: Any, timeout: float | None = None) -> Any:
        await self.explain(query, *arguments)
        return await self.connection.fetchrow(query, *arguments)

    async def explain(self, query: str, *arguments: Any) -> None:
        told = await self.connection.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}", *arguments)
        self.plans.append(json.loads(told)[0]["Plan"])


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def visited(node: dict[str, Any]) -> float:
    """Rows that a scan touched, those that it threw away included."""
    thrown = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float(node["Actual Loops"] * (node["Actual Rows"] + thrown))


async def read_all(pool: Any, counted: Any) -> None:
    """Every statement of the records: first, middle and last pages. What counts people goes through ``counted``."""
    viewer, player, ended = f"{7:032x}", f"{9:032x}", ROWS // 2
    for game in (None, "BRISCOLA", "SCOPA"):
        for of in (None, player):
            for after in (None, (ended, MIDDLE), (1, "")):
                await history.history(pool, viewer, player=of, game=game, first=FIRST, after=after)
    await history.finished_matches(pool, viewer, [MIDDLE])
    await statistics(pool, [player, viewer])
    await brilli.balances(pool, [player, viewer])
    await brilli.given_by(pool, [MIDDLE])
    for key in (None, (ended, MIDDLE, 1, 0)):
        await brilli.entries(pool, player, first=FIRST, after=key)
    measures: tuple[leaderboard.Measure, ...] = ("WINS", "BRILLI")
    for measure in measures:
        for season in (None, "2026-Q1"):
            await leaderboard.leaderboard(pool, measure, season=season, first=FIRST)
            await leaderboard.leaderboard(counted, measure, season=season, first=FIRST, after=(150, MIDDLE))
        await leaderboard.place_of(counted, measure, player)


async def test_every_list_and_every_batch_goes_straight_to_its_rows_at_fifty_thousand(pool: asyncpg.Pool) -> None:
    await pool.execute(FILL)
    async with pool.acquire() as connection:
        for table in LARGE:
            await connection.execute(f"VACUUM (ANALYZE) {table}")
        lists, counted, batches = Watched(connection), Watched(connection), Watched(connection)
        for plans in ("force_custom_plan", "force_generic_plan"):
            await connection.execute(f"SET plan_cache_mode = {plans}")
            await read_all(lists, counted)
        for load in (match_tables.load(1), brilli_tables.load(1)):
            await batches.fetch(load, [f"{n:032x}" for n in range(1, 100)])
    for plan in (*lists.plans, *counted.plans, *batches.plans):
        kinds = {node["Node Type"] for node in nodes(plan) if node.get("Relation Name", "") in LARGE}
        assert "Seq Scan" not in kinds, plan
    for plan in lists.plans:
        assert sum(visited(node) for node in nodes(plan) if "Relation Name" in node) < 20 * FIRST, plan
    for plan in counted.plans:  # a rank is counted, but from an index alone
        fetched = [node for node in nodes(plan) if "Relation Name" in node and node["Node Type"] != "Index Only Scan"]
        assert sum(map(visited, fetched)) <= FIRST + 1, plan
