"""The read models are right, can be built again beside the old ones, and are swapped without a stop."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest
from circolo_contracts import rooms
from circolo_events.bus import Message, NatsBus
from circolo_events.checkpoints import MOVE
from circolo_projector import generations as module
from circolo_projector.brilli import tables as brilli_tables
from circolo_projector.matches import tables as matches_tables
from circolo_projector.rebuild import rebuild
from circolo_projector.rooms import FAMILY, tables
from circolo_projector.rooms.room import Room, follow
from circolo_service.migrate import migrate
from evenings import ANNA, BRUNO, NOON, evening, opened
from house import FAMILIES, KIT, OWN, TABLES, House, caught_up, until_live
from msgspec import Struct
from msgspec.structs import replace

OLDER = replace(FAMILY, model=FAMILY.model - 1)


async def fill(house: House, seed: int, count: int = 40) -> dict[str, Room]:
    """Evenings in many rooms, interleaved in small commits. Returns a plain fold of each."""
    chance = random.Random(seed)
    plays = {uuid.UUID(int=chance.getrandbits(128)).hex: chance.randrange(1, 12) for _ in range(count)}

    async def one(room: str, length: int) -> Room:
        events = evening(random.Random(room), room, length)
        row, at = Room(room), 0
        while at < len(events):
            step = chance.randrange(1, 4)
            await house.commit(f"room-{room}", at, events[at : at + step])
            at += step
        for version, event in enumerate(events, 1):
            row = follow(row, version, event)
        return row

    folded = await asyncio.gather(*(one(room, length) for room, length in plays.items()))
    return {row.room: row for row in folded}


async def test_the_rows_are_a_plain_fold_of_every_room(house: House) -> None:
    async with house.generations() as kept:
        await until_live(kept, 1)
        folded = await fill(house, 1)
        await caught_up(kept, 1)
        stored = {r["room"]: tables.room_of(r) for r in await house.pool.fetch(tables.load(1), list(folded))}
        assert stored == folded
        assert set(await house.lobby()) == {r.room for r in folded.values() if r.in_lobby}
        listed = await house.pool.fetch("SELECT created_at, room FROM lobby ORDER BY created_at DESC, room")
        assert [tuple(r) for r in listed] == sorted(map(tuple, listed), key=lambda r: (-r[0], r[1]))


async def test_store_6_18_a_rebuild_gives_the_same_bytes_and_the_old_rows_are_dropped_after(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEEP_RETIRED_SECONDS", 0.2)
    async with house.generations() as kept:
        await until_live(kept, 1)
        await fill(house, 2)
        await caught_up(kept, 1)
        before = await house.rows(1)
        assert await rebuild(FAMILY, house.pool, show=False) == 2
        assert await house.rows(2) == before
        await until_live(kept, 2)
        async with asyncio.timeout(5):
            while await house.pool.fetchval("SELECT to_regclass('room_g1') IS NOT NULL"):
                await asyncio.sleep(0.05)
        assert await house.pool.fetch("SELECT number, state FROM generation") == [(2, "LIVE")]
        assert await house.pool.fetchval("SELECT count(*) FROM checkpoint WHERE version = 1") == 0
        await house.commit("room-" + "9" * 32, 0, [opened("9" * 32)])
        await caught_up(kept, 2)
        assert "9" * 32 in await house.lobby()


async def test_the_list_never_goes_away_or_back_in_time_during_a_rebuild(house: House) -> None:
    room = "7" * 32
    async with house.generations() as kept:
        await until_live(kept, 1)
        await fill(house, 3, 20)
        await house.commit(f"room-{room}", 0, [opened(room, players=4)])
        await caught_up(kept, 1)
        seen: list[int] = []
        done = asyncio.Event()

        async def play() -> None:
            version = 1
            while not done.is_set():
                version = await house.commit(f"room-{room}", version, [rooms.HostChanged(NOON, BRUNO)])
                await asyncio.sleep(0.002)

        async def watch() -> None:
            while not done.is_set():
                seen.append(await house.pool.fetchval("SELECT version FROM lobby WHERE room = $1", room))

        work = [asyncio.create_task(play()), asyncio.create_task(watch())]
        await rebuild(FAMILY, house.pool, show=False)
        await until_live(kept, 2)
        await asyncio.sleep(0.1)
        done.set()
        await asyncio.gather(*work)
        assert None not in seen
        assert seen == sorted(seen)
        assert seen[-1] > seen[0]


async def test_newer_code_rebuilds_by_itself_and_older_code_leaves_its_work_alone(house: House) -> None:
    async with house.generations(family=OLDER) as old:
        await until_live(old, 1)
        await fill(house, 4, 10)
        async with house.generations(family=FAMILY) as new:
            await until_live(new, 2)
            await until_live(old, 2)
            assert not old.filling
            assert await house.rows(2)
    async with house.generations(family=OLDER) as older:
        await asyncio.sleep(0.3)
        assert not older.filling
        assert await house.pool.fetchval("SELECT max(number) FROM generation") == 2


async def test_two_projectors_begin_one_generation(house: House) -> None:
    await fill(house, 5, 10)
    async with house.generations() as first, house.generations() as second:
        await until_live(first, 1)
        await until_live(second, 1)
        assert await house.pool.fetchval("SELECT count(*) FROM generation") == 1
        states = {kept.filling[1].subscription.state for kept in (first, second)}
        assert states == {"RUNNING", "STANDBY"}


async def test_store_14_rooms_that_are_not_there_yet_are_waited_for(database: str) -> None:
    await migrate(database, "projector", [("kit", KIT), ("projector", OWN)])
    async with asyncpg.create_pool(database, min_size=1, server_settings={"search_path": "projector"}) as pool:
        kept = module.Generations(FAMILY, pool, None)
        await kept.start()
        await asyncio.sleep(0.3)
        assert not kept.is_served
        assert await pool.fetch("SELECT * FROM lobby") == [], "the gateway finds an empty list, and no error"
        assert await pool.fetchval("SELECT count(*) FROM checkpoint") == 0
        await migrate(database, "rooms", [("kit", KIT)])
        await until_live(kept, 1)
        async with asyncio.timeout(10):  # an empty log is caught up with before anybody has looked at it
            while not kept.is_served:
                await asyncio.sleep(0.02)
        await kept.stop()


async def test_whoever_watches_the_lobby_is_told_what_to_read_again(house: House, nats_url: str) -> None:
    bus = await NatsBus.connect(nats_url, name="test")
    told: list[tuple[str, str]] = []

    def on_change(message: Message) -> None:
        change = json.loads(message.data)
        told.append((change["kind"], change["room"]))

    await bus.subscribe("view.lobby.public", on_change)
    await bus.flush()
    public, private = "1" * 32, "2" * 32
    async with house.generations(bus) as kept:
        await until_live(kept, 1)
        await house.commit(f"room-{private}", 0, [opened(private, visibility="PRIVATE")])
        await house.commit(f"room-{public}", 0, [opened(public)])
        await caught_up(kept, 1)
        await house.commit(f"room-{public}", 1, [rooms.RoomClosed(NOON, "ABC234", "EMPTY")])
        await house.commit("player-" + ANNA, 0, [rooms.PlayerRegistered(NOON, "d", ANNA)])
        await caught_up(kept, 1)
        async with asyncio.timeout(3):
            while len(told) < 2:
                await asyncio.sleep(0.01)
    await bus.close()
    assert told == [("upsert", public), ("remove", public)]


async def test_an_event_of_newer_rooms_parks_that_room_only(house: House) -> None:
    from circolo_events.registry import EventRegistry

    class RoomPainted(Struct, frozen=True):
        colour: str

    odd, fine = "3" * 32, "4" * 32
    house.registry = EventRegistry.of_unions(rooms.RoomEvent, RoomPainted)
    async with house.generations() as kept:
        await until_live(kept, 1)
        await house.commit(f"room-{odd}", 0, [opened(odd), RoomPainted("green"), rooms.HostChanged(NOON, BRUNO)])
        await house.commit(f"room-{fine}", 0, [opened(fine)])
        await caught_up(kept, 1)
        assert kept.filling[1].subscription.parked == {f"room-{odd}"}
        assert set(await house.lobby()) == {odd, fine}
        assert await house.pool.fetchval("SELECT host FROM lobby WHERE room = $1", odd) == ANNA


async def test_the_lobby_is_read_by_its_index(house: House) -> None:
    async with house.generations() as kept:
        await until_live(kept, 1)
    rows = [Room(f"{n:032x}", 1, "ABC234", NOON + n, "PUBLIC", "LOBBY", "BRISCOLA") for n in range(3000)]
    await house.pool.execute(tables.upsert(1), *tables.arguments(rows))
    await house.pool.execute("ANALYZE room_g1")
    plan = await house.pool.fetch(
        "EXPLAIN SELECT * FROM lobby WHERE game = 'BRISCOLA' ORDER BY created_at DESC, room LIMIT 20"
    )
    text = "\n".join(r[0] for r in plan)
    assert "room_g1_lobby" in text
    assert "Sort" not in text


@pytest.mark.parametrize("statement", [tables.upsert, matches_tables.upsert, brilli_tables.insert])
def test_a_batch_is_one_statement_with_its_checkpoint(statement: Callable[[int, int], str]) -> None:
    sql = statement(3, 7)
    assert sql.count(MOVE) == 1
    assert "INSERT INTO" in sql
    assert ";" not in sql


VIEWS = [
    "lobby", "room", "match_player", "match_history", "player_statistics", "win_standing", "ledger_entry", "balance",
    "brilli_standing",
]  # fmt: skip


async def test_the_readers_role_may_read_the_views_and_nothing_else(house: House) -> None:
    pool = house.pool
    name = f"circolo_reader_{uuid.uuid4().hex[:8]}"
    await pool.execute(f"CREATE ROLE {name}")
    try:
        for migration in sorted(OWN.glob("*.sql")):
            text = migration.read_text()
            await pool.execute(text[text.rindex("DO $$") :].replace("circolo_reader", name))
        for family in FAMILIES.values():
            async with house.generations(family=family) as kept:
                await until_live(kept, 1)
        behind = [f"{table}_g1" for tables_ in TABLES.values() for table in tables_]
        relations = {**dict.fromkeys(VIEWS, True), **dict.fromkeys([*behind, "checkpoint", "match_generation"], False)}
        for relation, may in relations.items():
            assert await pool.fetchval("SELECT has_table_privilege($1, $2, 'SELECT')", name, relation) is may, relation
        async with pool.acquire() as connection, connection.transaction():
            await connection.execute(f"SET LOCAL ROLE {name}")
            for view in VIEWS:
                assert await connection.fetch(f"SELECT * FROM projector.{view}") == []
    finally:
        await pool.execute(f"DROP OWNED BY {name}")
        await pool.execute(f"DROP ROLE {name}")


async def test_rows_of_before_there_were_ranked_rooms_are_read_until_new_ones_are_there(
    database: str, tmp_path: Path
) -> None:
    """The gateway's new code may come before the projector's rows."""
    room = "7" * 32
    shutil.copy(OWN / "0001_read_models.sql", tmp_path)
    await migrate(database, "projector", [("kit", KIT), ("projector", tmp_path)])
    async with asyncpg.create_pool(database, min_size=1, server_settings={"search_path": "projector"}) as pool:
        await pool.execute(tables.create(1) + tables.turn_views(1).replace(", ranked FROM", " FROM"))
        await pool.execute(tables.upsert(1), *tables.arguments([Room(room, 1, "ABC234", NOON, "PUBLIC")]))
        await migrate(database, "projector", [("kit", KIT), ("projector", OWN)])
        seen = await pool.fetch("SELECT room, ranked FROM lobby")
        assert [tuple(row) for row in seen] == [(room, False)]
        await pool.execute(tables.create(2) + tables.turn_views(2) + tables.drop(1))
        assert await pool.fetch("SELECT room, ranked FROM room") == []
