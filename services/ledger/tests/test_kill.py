"""``kill -9`` of the ledger's process at any point while results come in: each rule is paid once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

import pytest
from counting_house import CountingHouse, due_of
from ranked_table import Match, random_match, some_id


async def process(database: str, nats_url: str, log: Path) -> asyncio.subprocess.Process:
    settings = {"CIRCOLO_POSTGRES_URL": database, "CIRCOLO_NATS_URL": nats_url}
    with log.open("ab") as output:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "circolo_ledger", env={**os.environ, **settings}, stdout=output, stderr=output
        )


def end_of(log: Path) -> str:
    return log.read_text()[-100_000:]


async def kill_again_and_again(
    house: CountingHouse, database: str, nats_url: str, log: Path, *, seed: int, matches: int, kills: int
) -> None:
    source = random.Random(seed)
    people = [some_id(source) for _ in range(10)]
    played = [random_match(source, people) for _ in range(matches)]
    due = due_of(played)
    running = await process(database, nats_url, log)
    try:
        playing = asyncio.create_task(house.play_all(played))
        for _ in range(kills):
            async with asyncio.timeout(30):
                before = len(await house.log())
                while len(await house.log()) < before + source.randrange(1, 12) and not await _is_paid(house, due):
                    await asyncio.sleep(0.002)
            running.send_signal(signal.SIGKILL)
            await running.wait()
            running = await process(database, nats_url, log)
        await playing
        last = Match().deal(4, 2).abandoned_by(0)
        await house.plays(last)
        due.update(due_of([last]))  # by the last process, which may have had nothing to do so far
        async with asyncio.timeout(60):
            while not await _is_paid(house, due):
                await asyncio.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(running.wait(), 15) == 0, end_of(log)
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    assert (await house.prove()).differences == []
    assert "Traceback" not in end_of(log)


async def _is_paid(house: CountingHouse, due: object) -> bool:
    return await house.balances() == due


async def test_a_ledger_that_is_killed_pays_every_result_once(
    house: CountingHouse, database: str, nats_url: str, tmp_path: Path
) -> None:
    await kill_again_and_again(house, database, nats_url, tmp_path / "ledger.log", seed=1, matches=60, kills=2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 14))
async def test_a_ledger_that_is_killed_again_and_again_pays_every_result_once(
    house: CountingHouse, database: str, nats_url: str, tmp_path: Path, seed: int
) -> None:
    await kill_again_and_again(house, database, nats_url, tmp_path / "ledger.log", seed=seed, matches=600, kills=12)
