"""What the gateway reads of players and matches: right, in pages that hold still, no more than is allowed."""

from __future__ import annotations

import random
from typing import Any

import asyncpg
import pytest
from circolo_contracts.cardgames import Category, DealScore
from circolo_contracts.ledger import Entry
from circolo_contracts.rooms import SeatOccupant
from circolo_gateway.records import brilli as purse
from circolo_gateway.records import history, leaderboard
from circolo_gateway.records.pages import MAX_CURSOR, cursor_of, read_cursor
from circolo_gateway.records.statistics import NONE, Statistics, percent, statistics
from circolo_projector.brilli import tables as brilli_tables
from circolo_projector.brilli.events import Paid, Reversed
from circolo_projector.brilli.payout import About, lines
from circolo_projector.matches import tables as match_tables
from circolo_projector.matches.match import Match
from circolo_projector.rooms import tables as room_tables
from circolo_projector.rooms.room import Room
from msgspec.structs import replace

Pool = asyncpg.Pool
SPRING = 1_775_100_000_000
DAY = 86_400_000
CLUB = [f"{number:032x}" for number in range(1, 31)]
ANNA, BRUNO, CARLA, DINO = CLUB[:4]
PRIVATE, PUBLIC = "a" * 32, "b" * 32
SETTINGS: dict[str, Any] = {"target": 16, "finalSweep": "NEVER", "clockSeconds": 30, "onTimeout": "ABANDON"}


def match(number: int, *players: str, ranked: bool = True, room: str = PRIVATE, **ending: Any) -> Match:
    """Scopone to sixteen: won by the first and the third, unless it is said otherwise."""
    deals = (DealScore(1, [3, 1], 0, [Category("SWEEPS", [2, 0])]), DealScore(2, [13, 2], 0))
    seats = tuple(SeatOccupant(player=player) for player in players)
    ends = {"outcome": "WON", "winner": 0, "ended_at": SPRING + number * 1000, **ending}
    return Match(
        f"{number:032x}", 9, "SCOPONE_NOVE", room, 1, ranked, seats, SETTINGS, deals, (16, 3), SPRING, **ends
    )  # fmt: skip


async def store(pool: Pool, *rows: Match) -> None:
    await pool.execute(match_tables.upsert(1), *match_tables.arguments(rows))


async def pay(pool: Pool, number: int, at: int, amounts: dict[str, int], *, back: bool = False) -> None:
    entries = [Entry(f"player-{player}", amount) for player, amount in amounts.items()]
    entries.append(Entry("pot", -sum(amounts.values())))
    game, of = "SCOPONE_NOVE", f"{number:032x}"
    event = Reversed(at, "c", entries) if back else Paid(at, "c", entries, game, of, "MATCH")
    made = lines(f"{number:032x}", 2 if back else 1, About(game, of, "2026-Q2"), event)
    await pool.execute(brilli_tables.insert(1), *brilli_tables.arguments(made))


async def test_a_card_has_matches_and_shares_of_won_and_abandoned_as_the_portal_shows_them(pool: Pool) -> None:
    four = (ANNA, BRUNO, CARLA, DINO)
    left = {"outcome": "ABANDONED", "winner": 1, "abandoned_by": 0, "reason": "LEFT"}
    await store(
        pool, match(1, *four), match(2, *four, winner=1), match(3, *four, **left), match(4, *four, ranked=False)
    )
    found = await statistics(pool, [ANNA, BRUNO, CARLA, DINO, CLUB[9]])
    assert found[ANNA]["SCOPONE_NOVE"] == found[ANNA]["ALL"] == Statistics(3, 1, 2, 0, 1)
    assert found[CARLA]["ALL"] == Statistics(3, 1, 1, 0, 0), "the partner has neither lost nor abandoned"
    assert found[BRUNO]["ALL"] == found[DINO]["ALL"] == Statistics(3, 2, 1, 0, 0)
    assert found[CLUB[9]] == {}
    assert (found[ANNA]["ALL"].won_percent, found[ANNA]["ALL"].abandoned_percent) == (33, 33)
    assert (NONE.won_percent, percent(1, 8), percent(2, 3)) == (0, 13, 67)


async def standings(pool: Pool, measure: leaderboard.Measure, first: int, **of: Any) -> list[leaderboard.Place]:
    places: list[leaderboard.Place] = []
    after = None
    while True:
        page = await leaderboard.leaderboard(pool, measure, first=first, after=after, **of)
        places += page.rows
        if not page.more:
            return places
        assert len(page.rows) == first
        after = leaderboard.key_of(page.rows[-1])


async def filled_at_random(pool: Pool) -> tuple[dict[str, int], dict[str, int]]:
    chance = random.Random(5)
    wins, brilli = dict.fromkeys(CLUB, 0), dict.fromkeys(CLUB, 0)
    rows = []
    for number in range(60):
        players = chance.sample(CLUB, 4)
        rows.append(match(number, *players))
        for winner in (players[0], players[2]):
            wins[winner] += 1
        amounts = {player: chance.choice([-70, 10, 20, 30]) for player in players}
        await pay(pool, number, SPRING, amounts)
        for player, amount in amounts.items():
            brilli[player] += amount
    await store(pool, *rows)
    return wins, brilli


@pytest.mark.parametrize("first", [1, 3, 7, 30, 100])
async def test_who_is_level_shares_the_rank_however_the_list_is_cut_into_pages(pool: Pool, first: int) -> None:
    wins, brilli = await filled_at_random(pool)
    for measure, scores in (("WINS", wins), ("BRILLI", brilli)):
        places = await standings(pool, measure, first)  # type: ignore[arg-type]
        assert [p.player for p in places] == sorted(CLUB, key=lambda player: (scores[player], player), reverse=True)
        for place in places:
            assert place.rank == 1 + sum(other > scores[place.player] for other in scores.values())
            assert await leaderboard.place_of(pool, measure, place.player) == place  # type: ignore[arg-type]


async def test_one_one_three(pool: Pool) -> None:
    await store(pool, match(1, ANNA, BRUNO, CARLA, DINO))
    assert [place.rank for place in await standings(pool, "WINS", 2)] == [1, 1, 3, 3]


async def test_a_page_does_not_shift_when_others_win_meanwhile(pool: Pool) -> None:
    wins, _ = await filled_at_random(pool)
    order = sorted(CLUB, key=lambda player: (wins[player], player), reverse=True)
    page = await leaderboard.leaderboard(pool, "WINS", first=10)
    await store(pool, *(match(100 + n, order[0], order[20], order[2], order[21]) for n in range(40)))
    await store(pool, *(match(200 + n, "f" * 32, order[25], "e" * 32, order[26]) for n in range(3)))
    rest = await leaderboard.leaderboard(pool, "WINS", first=100, after=leaderboard.key_of(page.rows[-1]))
    unmoved = [player for player in order[10:] if player not in ("f" * 32, "e" * 32)]
    assert [place.player for place in rest.rows if place.player in order] == unmoved, "nobody twice, nobody passed over"


async def test_a_season_and_a_game_have_a_list_of_their_own(pool: Pool) -> None:
    summer = match(2, BRUNO, ANNA, DINO, CARLA, ended_at=SPRING + 120 * DAY)
    await store(pool, match(1, ANNA, BRUNO, CARLA, DINO), replace(summer, game="SCOPONE_DIECI"))
    for of, best in (
        ({"season": "2026-Q2"}, {ANNA, CARLA}), ({"season": "2026-Q3"}, {BRUNO, DINO}),
        ({"game": "SCOPONE_NOVE"}, {ANNA, CARLA}), ({"game": "SCOPONE_DIECI", "season": "2026-Q3"}, {BRUNO, DINO}),
    ):  # fmt: skip
        assert {place.player for place in await standings(pool, "WINS", 10, **of) if place.rank == 1} == best
    assert {place.rank for place in await standings(pool, "WINS", 10)} == {1}
    assert await standings(pool, "WINS", 10, season="2026-Q1") == []
    assert [leaderboard.is_season(text) for text in ("2026-Q4", "2026-Q5", "ALL", "2026", "２026-Q1")] == [
        True, False, False, False, False,
    ]  # fmt: skip


async def test_the_history_has_the_score_sheets_and_how_it_ended(pool: Pool) -> None:
    left = {"outcome": "ABANDONED", "winner": 1, "abandoned_by": 2, "reason": "TIMEOUT"}
    await store(pool, match(1, ANNA, BRUNO, CARLA, DINO, **left))
    (found,) = (await history.history(pool, None, first=5)).rows
    assert (found.outcome, found.reason, found.winner, found.abandoned_by) == ("ABANDONED", "TIMEOUT", 1, 2)
    assert found.deals[0] == DealScore(1, [3, 1], 0, [Category("SWEEPS", [2, 0])])
    assert (found.score, found.settings, found.seats[3].player) == ([16, 3], SETTINGS, DINO)
    assert await history.finished_matches(pool, None, [found.match]) == {found.match: found}


async def test_a_match_that_is_still_played_is_not_history(pool: Pool) -> None:
    await store(pool, match(1, ANNA, BRUNO, CARLA, DINO, outcome=None, winner=None, ended_at=0))
    assert (await history.history(pool, ANNA, first=5)).rows == []
    assert await history.finished_matches(pool, ANNA, [f"{1:032x}"]) == {}


async def test_a_friendly_match_of_a_private_room_is_seen_by_who_sat_in_it(pool: Pool) -> None:
    open_room = Room(PUBLIC, 1, "ABC234", SPRING, "PUBLIC")
    hidden = Room(PRIVATE, 1, "ABC235", SPRING, "PRIVATE")
    await pool.execute(room_tables.upsert(1), *room_tables.arguments([open_room, hidden]))
    four = (ANNA, BRUNO, CARLA, DINO)
    await store(
        pool, match(1, *four), match(2, *four, ranked=False), match(3, *four, ranked=False, room=PUBLIC),
        match(4, *four, ranked=False, room="c" * 32),
    )  # fmt: skip

    async def seen(viewer: str | None, **of: Any) -> list[int]:
        page = await history.history(pool, viewer, first=10, **of)
        listed = [int(found.match, 16) for found in page.rows]
        by_id = await history.finished_matches(pool, viewer, [f"{n:032x}" for n in (4, 3, 2, 1)])
        assert sorted(int(match, 16) for match in by_id) == sorted(listed)
        return listed

    for of in ({}, {"player": ANNA}, {"game": "SCOPONE_NOVE"}, {"player": ANNA, "game": "SCOPONE_NOVE"}):
        assert await seen(DINO, **of) == [4, 3, 2, 1]
        assert await seen(CLUB[9], **of) == await seen(None, **of) == [3, 1]


@pytest.mark.parametrize("of", [{}, {"player": ANNA}, {"game": "SCOPONE_NOVE"}, {"player": ANNA, "game": "SCOPA"}])
async def test_a_history_is_turned_page_by_page_while_matches_end(pool: Pool, of: dict[str, str]) -> None:
    """Also when several ended in the same millisecond."""
    rows = [match(n, ANNA, *CLUB[n % 20 + 4 : n % 20 + 7], ended_at=SPRING + n // 4) for n in range(40)]
    rows = [replace(row, game="SCOPA", settings={"players": 4}) if n % 3 == 0 else row for n, row in enumerate(rows)]
    await store(pool, *rows)
    wanted = [row for row in rows if of.get("game") in (None, row.game)]
    order = [row.match for row in sorted(wanted, key=lambda row: (row.ended_at, row.match), reverse=True)]
    got: list[str] = []
    after = None
    for number in range(100):
        page = await history.history(pool, None, first=7, after=after, **of)  # type: ignore[arg-type]
        got += [found.match for found in page.rows]
        if not page.more:
            break
        after = history.key_of(page.rows[-1])
        await store(pool, match(1000 + number, ANNA, *CLUB[4:7], ended_at=SPRING + DAY + number))
    assert got == order


async def test_a_balance_may_be_below_zero_and_a_counter_entry_is_an_entry(pool: Pool) -> None:
    await pay(pool, 1, SPRING, {ANNA: 30, BRUNO: -70})
    await pay(pool, 2, SPRING + 5, {ANNA: 12})
    await pay(pool, 1, SPRING + 9, {ANNA: -30, BRUNO: 70}, back=True)
    await pay(pool, 3, SPRING + 10, {BRUNO: -70})
    assert await purse.balances(pool, [ANNA, BRUNO, CARLA]) == {ANNA: 12, BRUNO: -70, CARLA: 0}
    got = []
    after = None
    for _ in range(10):
        page = await purse.entries(pool, ANNA, first=1, after=after)
        got += page.rows
        if not page.more:
            break
        after = purse.key_of(page.rows[-1])
    assert [(entry.amount, entry.rule, entry.at - SPRING) for entry in got] == [
        (-30, "REVERSED", 9), (12, "MATCH", 5), (30, "MATCH", 0),
    ]  # fmt: skip
    assert got[0].match == got[2].match == f"{1:032x}"
    given = await purse.given_by(pool, [f"{n:032x}" for n in (1, 2, 9)])
    assert given == {f"{1:032x}": {ANNA: 0, BRUNO: 0}, f"{2:032x}": {ANNA: 12}, f"{9:032x}": {}}


def test_a_cursor_is_read_back_and_anything_else_is_no_cursor() -> None:
    for key in ((5, "a"), (-70, ANNA), (SPRING, ANNA, 2, 0)):
        kinds = [type(part) for part in key]
        assert read_cursor(cursor_of(key), *kinds) == key
        assert read_cursor(cursor_of(key), *kinds, str) is None
    for wrong in ("", "x", "a" * (MAX_CURSOR + 1), "\u00e9", cursor_of(("5", "a")), cursor_of((5, "a\x00")),
                  cursor_of((2**60, "a")), cursor_of((True, "a"))):  # fmt: skip
        assert read_cursor(wrong, int, str) is None
