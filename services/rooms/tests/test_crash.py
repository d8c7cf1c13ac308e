"""``kill -9`` of the real process while people open rooms: nothing is lost, nothing is there twice."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import uuid
from collections import Counter
from pathlib import Path

import asyncpg
from circolo_contracts.rooms import CreateRoom, SignInAsGuest
from circolo_contracts.wire import Actor, Command, Done, encoder
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from club import new_key, player_view, prepare, room_view, schema_pool
from msgspec import Raw, Struct
from nats.js.errors import NotFoundError

OPENINGS = 60


async def process(database: str, nats_url: str, key: Path, log: Path) -> asyncio.subprocess.Process:
    settings = {
        "CIRCOLO_POSTGRES_URL": database,
        "CIRCOLO_NATS_URL": nats_url,
        "CIRCOLO_TOKEN_PRIVATE_KEY_FILE": str(key),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }
    with log.open("ab") as file:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "circolo_rooms", env={**os.environ, **settings}, stdout=file, stderr=file
        )


async def events_so_far(database: str) -> int:
    connection = await asyncpg.connect(database)
    count: int = await connection.fetchval("SELECT count(*) FROM rooms.event")
    await connection.close()
    return count


async def test_a_killed_process_opens_every_room_exactly_once(database: str, nats_url: str, tmp_path: Path) -> None:
    await prepare(database)
    key, log = new_key(tmp_path), tmp_path / "rooms.log"
    bus = await NatsBus.connect(nats_url, name="crash-test")
    client = CommandClient(bus, attempt=1.0, total=25.0)

    async def send(stream: str, data: Struct, player: str) -> Done:
        raw = Raw(encoder.encode(data))
        command = Command(actor=Actor("player", player), data=raw, id=uuid.uuid4().hex, type=type(data).__name__)
        answer = await client.send("rooms", stream, command)
        assert isinstance(answer, Done), (answer, log.read_text()[-3000:])
        return answer

    async def evening() -> tuple[str, str]:
        player = uuid.uuid4().hex
        assert player_view(await send(f"player-{player}", SignInAsGuest("Anna"), player)).player == player
        room = uuid.uuid4().hex
        view = room_view(await send(f"room-{room}", CreateRoom("BRISCOLA", {}, "PUBLIC"), player))
        return view.room, view.code

    running = await process(database, nats_url, key, log)
    try:
        await evening()
        evenings = [asyncio.create_task(evening()) for _ in range(OPENINGS)]
        for _ in range(3):
            async with asyncio.timeout(15):
                before = await events_so_far(database)
                while not all(e.done() for e in evenings) and await events_so_far(database) < before + 5:
                    await asyncio.sleep(0.005)
            running.send_signal(signal.SIGKILL)
            await running.wait()
            running = await process(database, nats_url, key, log)
        opened = await asyncio.gather(*evenings)
        opened.append(await evening())  # by the last process, which may have had nothing to do so far
        running.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(running.wait(), 15) == 0, log.read_text()[-3000:]
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
        try:
            await bus.client.jetstream().delete_stream("LOG_rooms")
        except NotFoundError:
            log.touch()
        await bus.close()

    async with schema_pool(database, "rooms") as pool:
        rows = await pool.fetch("SELECT type, stream, convert_from(data, 'UTF8')::json AS data FROM event")
        names = await pool.fetchval("SELECT count(*) FROM profile")
        waiting = await pool.fetchval("SELECT count(*) FROM profile_draft")
    created = Counter(row["stream"] for row in rows if row["type"] == "RoomCreated")
    assert {f"room-{room}" for room, _ in opened} <= set(created)
    assert set(created.values()) == {1}
    reserved = {(row["stream"], row["data"]) for row in rows if row["type"] == "CodeReserved"}
    assert len({stream for stream, _ in reserved}) == len(reserved) >= OPENINGS + 2
    for room, code in opened:
        assert any(stream == f"code-{code}" and room in data for stream, data in reserved)
    assert (names, waiting) == (OPENINGS + 2, 0)
