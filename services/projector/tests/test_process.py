"""The projector as its operators meet it: a service that is ready, and a rebuild by hand."""

from __future__ import annotations

import asyncio
import os
import sys

from circolo_events.bus import NatsBus
from circolo_events.clock import DatabaseClock
from circolo_projector.service import compose
from circolo_service.platform import Platform
from circolo_service.settings import Settings
from evenings import opened
from house import House


async def run(module: str, *arguments: str, **environment: str) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await asyncio.wait_for(process.communicate(), 20)
    return process.returncode, output.decode()


async def test_a_rebuild_by_hand_needs_no_running_service_and_shows_how_far_it_is(
    house: House, database: str, nats_url: str
) -> None:
    await house.commit("room-" + "1" * 32, 0, [opened("1" * 32)])
    urls = {"CIRCOLO_POSTGRES_URL": database, "CIRCOLO_NATS_URL": nats_url}
    code, output = await run("circolo_projector.rebuild", **urls)
    assert (code, "rooms: what is read is generation 1" in output) == (0, True), output
    assert "of 1 events" in output
    assert [f"{name}: what is read is generation 1" in output for name in ("matches", "brilli")] == [True, True]
    assert await house.lobby() == ["1" * 32]


async def test_a_rebuild_of_what_there_is_not_names_what_there_is(house: House, database: str, nats_url: str) -> None:
    code, output = await run(
        "circolo_projector.rebuild", "lobby", CIRCOLO_POSTGRES_URL=database, CIRCOLO_NATS_URL=nats_url
    )
    assert code == 2
    assert "no family lobby; there are rooms, matches, brilli" in output


async def test_a_rebuild_without_settings_says_what_is_missing() -> None:
    code, output = await run("circolo_projector.rebuild", CIRCOLO_POSTGRES_URL="", CIRCOLO_NATS_URL="")
    assert code == 1
    assert "CIRCOLO_POSTGRES_URL is not set" in output


async def test_the_service_is_ready_when_there_are_rows_to_read(house: House, database: str, nats_url: str) -> None:
    bus = await NatsBus.connect(nats_url, name="test")
    settings = Settings(postgres_url=database, nats_url=nats_url)
    projector = await compose(Platform("projector", settings, bus, house.pool, DatabaseClock(), "projector"))
    assert not projector.ready()
    await projector.start()
    async with asyncio.timeout(5):
        while not projector.ready():
            await asyncio.sleep(0.02)
    await house.commit("room-" + "1" * 32, 0, [opened("1" * 32)])
    bus.publish("poke.rooms", b"")
    async with asyncio.timeout(2):
        while await house.lobby() != ["1" * 32]:
            await asyncio.sleep(0.01)
    await projector.stop()
    await bus.close()
