"""Statistics, standings, history and balances agree with a recount of the events, whatever happens to the projector."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
import pytest
import recount
from circolo_contracts import ledger
from circolo_contracts.cardgames import MatchEvent, SeedRevealed
from circolo_contracts.ledger import Entry, Paid, PayoutEvent, Reversed
from circolo_events.checkpoints import Consumer, Move
from circolo_events.failures import CheckpointMoved
from circolo_events.store import Store
from circolo_events.subscription import ends_of
from circolo_projector import brilli, matches
from circolo_projector import generations as module
from circolo_projector.family import Family
from circolo_projector.matches import tables
from circolo_projector.rebuild import rebuild
from house import House, caught_up, reader, until_live
from msgspec import Struct
from tables_of_cards import NEW_YEAR_2026, at_random, deal, four, payouts, people

CLUB = people(40)
ANNA, BRUNO, CARLA, DINO = CLUB[:4]


class Evening(Struct):
    """What was committed, by match and by payout."""

    matches: dict[str, list[MatchEvent]] = {}
    payouts: dict[str, list[PayoutEvent]] = {}


async def play(house: House, seed: int, count: int) -> Evening:
    """Matches and what they pay, interleaved in small commits."""
    chance = random.Random(seed)
    evening = Evening({}, {})
    for _ in range(count):
        table, events = at_random(chance, CLUB)
        evening.matches[table.match] = events
        if table.ranked:
            evening.payouts |= payouts(chance, table, CLUB)

    async def told(stream: str, events: Sequence[Struct], source: str, steps: random.Random) -> None:
        at = 0
        while at < len(events):
            step = steps.randrange(1, 5)
            await house.commit(stream, at, events[at : at + step], source=source)
            at += step

    order = [(f"match-{match}", events, "cardgames") for match, events in evening.matches.items()]
    order += [(stream, events, "ledger") for stream, events in evening.payouts.items()]
    await asyncio.gather(*(told(*each, random.Random(number)) for number, each in enumerate(order)))
    return evening


async def check_matches(house: House, evening: Evening) -> None:
    stored = await house.pool.fetch("SELECT player, game, season, played, won, lost, tied, abandoned FROM standing_g1")
    words = ("played", "won", "lost", "tied", "abandoned")
    found = {tuple(row)[:3]: Counter(dict(zip(words, tuple(row)[3:], strict=True))) for row in stored}
    assert found == recount.standings(evening.matches.values())
    listed = await house.pool.fetch("SELECT match, deals_json FROM match_history")
    assert {row["match"] for row in listed} == recount.finished(evening.matches)
    mine: dict[str, set[str]] = {}
    for row in await house.pool.fetch("SELECT player, match FROM match_player"):
        mine.setdefault(row["player"], set()).add(row["match"])
    wanted: dict[str, set[str]] = {}
    for match in recount.finished(evening.matches):
        start, _ = recount.of_a_match(evening.matches[match]) or (None, None)
        for seat in start.seats if start else []:
            if seat.player:
                wanted.setdefault(seat.player, set()).add(match)
    assert mine == wanted


async def check_brilli(house: House, evening: Evening) -> None:
    by_account, by_season = recount.brilli(evening.payouts.values())
    assert dict(await house.pool.fetch("SELECT account, balance FROM balance")) == by_account
    assert sum(by_account.values()) == 0
    rows = await house.pool.fetch("SELECT player, game, season, brilli FROM brilli_standing")
    assert {tuple(row)[:3]: row[3] for row in rows} == by_season


FIGURES = [(matches.FAMILY, check_matches), (brilli.FAMILY, check_brilli)]
by_family = pytest.mark.parametrize(("family", "check"), FIGURES, ids=["matches", "brilli"])
Check = Callable[[House, Evening], "asyncio.Future[None]"]


async def agrees(house: House, seed: int, count: int) -> None:
    """With two replicas of which the one at work is killed in between, more than once."""

    async def restless(family: Family, playing: asyncio.Task[Evening]) -> None:
        while not playing.done():
            async with house.generations(family=family) as first, house.generations(family=family):
                await asyncio.sleep(0.25)
                for filling in first.filling.values():
                    if filling.subscription._task is not None:
                        filling.subscription._task.cancel()
                        await asyncio.wait([filling.subscription._task])

    playing = asyncio.create_task(play(house, seed, count))
    await asyncio.gather(playing, *(restless(family, playing) for family, _ in FIGURES))
    for family, check in FIGURES:
        async with house.generations(family=family) as kept:
            await until_live(kept, 1)
            await caught_up(kept, 1)
            assert reader(kept).parked == set()
            await check(house, playing.result())
            before = await house.rows(1, family)
            assert await rebuild(family, house.pool, show=False) == 2
            assert await house.rows(2, family) == before


async def test_store_6_18_hundreds_of_random_matches_agree_with_a_recount_and_a_rebuild_gives_the_same_bytes(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEEP_RETIRED_SECONDS", 60)
    await agrees(house, 1, 300)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 5))
async def test_thousands_of_random_matches_agree_with_a_recount(
    house: House, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(module, "KEEP_RETIRED_SECONDS", 600)
    await agrees(house, seed, 3000)


@by_family
async def test_game_L2_the_same_results_five_times_from_two_consumers_count_once(
    house: House, family: Family, check: Check
) -> None:
    evening = await play(house, 11, 40)
    async with house.generations(family=family) as kept:
        await until_live(kept, 1)
        await caught_up(kept, 1)
        before = await house.rows(1, family)
        log = await Store(house.pool, schema=family.source).read_log(dict.fromkeys(range(16), 0), 5000)
        events = [event for event in log if event.type in (family.types or ())]
        await asyncio.gather(*(deliver(house, family, f"again-{n}", events) for n in range(2) for _ in range(5)))
        assert await house.rows(1, family) == before
        await check(house, evening)


async def deliver(house: House, family: Family, name: str, events: Sequence[object]) -> None:
    """The whole log from its beginning, by a consumer that nobody knows; who is late has nothing to do."""
    consumer = Consumer(name, 1, family.source)
    positions = await consumer.load(house.pool)
    after = positions | ends_of(events)  # type: ignore[arg-type]
    try:
        await family.writer(1, None).commit(house.pool, events, Move(consumer, positions, after))  # type: ignore[arg-type]
    except CheckpointMoved:
        return


@by_family
async def test_a_checkpoint_that_was_lost_changes_no_sum(house: House, family: Family, check: Check) -> None:
    evening = await play(house, 12, 40)
    async with house.generations(family=family) as kept:
        await until_live(kept, 1)
        await caught_up(kept, 1)
        before = await house.rows(1, family)
    await house.pool.execute("UPDATE checkpoint SET pos = 0 WHERE consumer = $1", family.name)
    async with house.generations(family=family) as kept:
        await until_live(kept, 1)
        await caught_up(kept, 1)
        assert await house.rows(1, family) == before
        await check(house, evening)


async def test_store_18_to_rebuild_one_family_leaves_the_other_alone(house: House) -> None:
    evening = await play(house, 13, 30)
    async with house.generations(family=matches.FAMILY) as first, house.generations(family=brilli.FAMILY) as second:
        for kept in (first, second):
            await until_live(kept, 1)
            await caught_up(kept, 1)
        entries = await house.rows(1, brilli.FAMILY)
        assert await rebuild(matches.FAMILY, house.pool, show=False) == 2
        assert await house.rows(1, brilli.FAMILY) == entries
        assert await house.pool.fetchval("SELECT number FROM brilli_generation WHERE state = 'LIVE'") == 1
        await check_brilli(house, evening)


@by_family
async def test_store_6_a_rebuild_of_nothing_ends(house: House, family: Family, check: Check) -> None:
    async with house.generations(family=family) as kept:
        await until_live(kept, 1)
        assert await rebuild(family, house.pool, show=False) == 2
        await check(house, Evening({}, {}))


async def test_store_17_a_few_ends_in_a_long_log_are_found(house: House) -> None:
    table, stream = four(ANNA, BRUNO, CARLA, DINO), "match-" + "e" * 32
    await house.commit(stream, 0, [table.started()], source="cardgames")
    noise: list[Struct] = [SeedRevealed("0")] * 400
    others = [f"match-{number:032x}" for number in range(40)]
    await asyncio.gather(*(house.commit(other, 0, noise, source="cardgames") for other in others))
    await house.commit(stream, 1, [table.ended("WON", winner=0)], source="cardgames")
    async with house.generations(family=matches.FAMILY) as kept:
        await until_live(kept, 1)
        await caught_up(kept, 1)
        assert await house.pool.fetchval("SELECT count(*) FROM player_statistics WHERE game = 'ALL'") == 4


async def test_an_end_that_cannot_be_read_parks_its_match_and_counts_when_it_can(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, fine = four(ANNA, BRUNO, CARLA, DINO, match="0" * 32), four(ANNA, BRUNO, CARLA, DINO, match="1" * 32)
    unread = tables.results
    monkeypatch.setattr(tables, "results", lambda row: unread(row) if row.match != odd.match else row.nonsense)
    async with house.generations(family=matches.FAMILY) as kept:
        await until_live(kept, 1)
        for table in (odd, fine):
            events = [table.started(), *deal(1, 2, random.Random(0)), table.ended("WON", winner=0)]
            await house.commit(f"match-{table.match}", 0, events, source="cardgames")
        await caught_up(kept, 1)
        assert reader(kept).parked == {f"match-{odd.match}"}
        assert await won_by(house, ANNA) == 1
        monkeypatch.setattr(tables, "results", unread)
        assert await reader(kept).unpark(f"match-{odd.match}") == 1
        async with asyncio.timeout(5):
            while reader(kept).parked:
                await asyncio.sleep(0.02)
        assert await won_by(house, ANNA) == 2


async def won_by(house: House, player: str) -> int:
    query = "SELECT won FROM player_statistics WHERE player = $1 AND game = 'ALL'"
    found: int = await house.pool.fetchval(query, player)
    return found


async def test_a_payout_that_does_not_sum_to_zero_is_set_aside_and_not_booked(house: House) -> None:
    def paid(amount: int) -> Paid:
        entries = [Entry(f"player-{ANNA}", 30), Entry("pot", amount)]
        return Paid(NEW_YEAR_2026, "c" * 32, entries, "SCOPONE_NOVE", "e" * 32, "MATCH")

    wrong, right = "payout-" + "0" * 32, "payout-" + "1" * 32
    async with house.generations(family=brilli.FAMILY) as kept:
        await until_live(kept, 1)
        await house.commit(wrong, 0, [paid(-29)], source="ledger")
        await house.commit(right, 0, [paid(-30)], source="ledger")
        await caught_up(kept, 1)
        assert reader(kept).parked == {wrong}
        assert dict(await house.pool.fetch("SELECT account, balance FROM balance")) == {
            f"player-{ANNA}": 30,
            "pot": -30,
        }


@pytest.mark.parametrize("name", brilli.FAMILY.types or ())
def test_what_the_balances_take_is_in_the_ledgers_language_and_tells_on_no_operator(name: str) -> None:
    theirs = {field.name: field.required for field in msgspec.structs.fields(getattr(ledger, name))}
    read = {field.name: field.required for field in msgspec.structs.fields(getattr(brilli.events, name))}
    assert read.items() <= theirs.items()
    assert "by" not in read


async def test_what_is_taken_back_is_taken_from_the_season_that_it_was_won_in(house: House) -> None:
    stream = "payout-" + "1" * 32
    entries = [Entry(f"player-{ANNA}", 30), Entry("pot", -30)]
    back = [Entry(e.account, -e.amount) for e in entries]
    async with house.generations(family=brilli.FAMILY) as kept:
        await until_live(kept, 1)
        await house.commit(stream, 0, [Paid(NEW_YEAR_2026, "c", entries, "SCOPA", "e", "MATCH")], source="ledger")
        await caught_up(kept, 1)  # the counter-entry comes in another batch
        later = NEW_YEAR_2026 + 200 * 86_400_000
        await house.commit(stream, 1, [Reversed(later, BRUNO, "c", back, "FAULT")], source="ledger")
        await caught_up(kept, 1)
        rows = await house.pool.fetch("SELECT season, brilli FROM brilli_standing WHERE game = 'SCOPA' ORDER BY season")
        assert [tuple(row) for row in rows] == [("2026-Q1", 0), ("ALL", 0)]
        assert await house.pool.fetchval("SELECT balance FROM balance WHERE account = 'pot'") == 0


async def test_game_L1_fifty_parallel_payments_to_one_account_are_all_there(house: House) -> None:
    async def pay(number: int) -> None:
        amount = 1 if number % 2 else -1
        entries = [Entry(f"player-{ANNA}", amount), Entry("pot", -amount)]
        paid = Paid(NEW_YEAR_2026, uuid.uuid4().hex, entries, "SCOPA", "e" * 32, "DEAL")
        await house.commit(f"payout-{number:032x}", 0, [paid], source="ledger")

    async with house.generations(family=brilli.FAMILY) as kept:
        await until_live(kept, 1)
        await asyncio.gather(*(pay(number) for number in range(51)))
        await caught_up(kept, 1)
        row = await house.pool.fetchrow("SELECT balance, entries FROM balance WHERE account = $1", f"player-{ANNA}")
        assert tuple(row) == (-1, 51)


async def test_two_writers_at_once_count_a_batch_once(house: House) -> None:
    """Both have read the same rows and fold the same events; the checkpoint lets one of them through."""
    evening = await play(house, 14, 30)
    async with house.generations(family=matches.FAMILY) as kept:
        await until_live(kept, 1)
        await caught_up(kept, 1)
        await house.pool.execute("TRUNCATE match_g1, match_player_g1, standing_g1")
        log = await Store(house.pool, schema="cardgames").read_log(dict.fromkeys(range(16), 0), 5000)
        events = [event for event in log if event.type in (matches.FAMILY.types or ())]
        await asyncio.gather(*(deliver(house, matches.FAMILY, "both", events) for _ in range(6)))
        await check_matches(house, evening)
