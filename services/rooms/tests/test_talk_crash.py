"""``kill -9`` of the real process while people talk: every word that was acknowledged is there once, with its text."""

from __future__ import annotations

import asyncio
import signal
import uuid
from pathlib import Path

import asyncpg
import msgspec
from circolo_contracts.rooms import CreateRoom, JoinRoom, SignInAsGuest
from circolo_contracts.talk import MESSAGES_IN_WINDOW, ChatHappening
from circolo_contracts.wire import Actor, Ask, Command, Done, Seen, encoder
from circolo_events.bus import NatsBus
from circolo_events.client import CommandClient
from club import new_key, prepare, room_view
from msgspec import Raw, Struct
from nats.js.errors import NotFoundError
from talking import say
from test_crash import process

TALKERS = 12


async def test_a_killed_process_keeps_every_word_that_it_acknowledged_once(
    database: str, nats_url: str, tmp_path: Path
) -> None:
    await prepare(database)
    key, log = new_key(tmp_path), tmp_path / "rooms.log"
    bus = await NatsBus.connect(nats_url, name="talk-crash-test")
    client = CommandClient(bus, attempt=1.0, total=25.0)

    async def send(stream: str, data: Struct, player: str) -> Done:
        raw = Raw(encoder.encode(data))
        command = Command(actor=Actor("player", player), data=raw, id=uuid.uuid4().hex, type=type(data).__name__)
        answer = await client.send("rooms", stream, command)
        assert isinstance(answer, Done), (answer, log.read_text()[-3000:])
        return answer

    running = await process(database, nats_url, key, log)
    try:
        players = [uuid.uuid4().hex for _ in range(TALKERS)]
        await asyncio.gather(*(send(f"player-{each}", SignInAsGuest("Anna"), each) for each in players))
        view = room_view(await send(f"room-{uuid.uuid4().hex}", CreateRoom("BRISCOLA", {}, "PUBLIC"), players[0]))
        for each in players[1:]:
            await send(f"code-{view.code}", JoinRoom(watch=True), each)
        said: list[str] = []

        async def talk(player: str) -> None:
            for number in range(MESSAGES_IN_WINDOW):
                text = f"{number} di {player[:6]}"
                await send(f"chat-{view.room}", say(text), player)
                said.append(text)

        talks = [asyncio.create_task(talk(each)) for each in players]
        async with asyncio.timeout(15):
            while len(said) < 5:
                await asyncio.sleep(0.002)
        running.send_signal(signal.SIGKILL)
        await running.wait()
        running = await process(database, nats_url, key, log)
        await asyncio.gather(*talks)
        answer = await client.send("rooms", f"chat-{view.room}", Ask(viewer=players[0], after=0))
        assert isinstance(answer, Seen)
        heard = [msgspec.json.decode(each, type=ChatHappening).text for each in answer.happened]
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
        try:
            await bus.client.jetstream().delete_stream("LOG_rooms")
        except NotFoundError:
            log.touch()
        await bus.close()
    assert sorted(map(str, heard)) == sorted(said)
    assert len(said) == TALKERS * MESSAGES_IN_WINDOW
    connection = await asyncpg.connect(database)
    events = await connection.fetchval("SELECT count(*) FROM rooms.event WHERE type = 'MessagePosted'")
    await connection.close()
    assert events == len(said)
