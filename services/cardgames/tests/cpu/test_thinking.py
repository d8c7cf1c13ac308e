"""The search worker and what stands in for it: whatever happens to it, a CPU moves."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
from circolo_cardgames.cpu import Thinker, choose
from circolo_cardgames.cpu.search import Budget, search
from circolo_cardgames.rehearsal import Rehearsal
from circolo_cardgames.sight import Sight

Open = Callable[..., Thinker]
BRISCOLA = {"players": 2, "bestOf": 1}
SMALL = Budget(plays=3_000, seconds=30.0)
LONG = Budget(plays=10**12, seconds=30.0)
ID = "1" * 32


@pytest.fixture
def seen(table: Callable[..., Rehearsal]) -> Sight:
    playing = table("BRISCOLA", BRISCOLA, 1)
    return playing.sight(playing.state.turn)


@pytest.fixture
async def thinking() -> AsyncIterator[Open]:
    """``thinking(budget=..., worker=...)``: stopped at the end."""
    async with AsyncExitStack() as closing:

        def start(**how: object) -> Thinker:
            thinker = Thinker(**{"budget": SMALL, "patience": 20.0, **how})  # type: ignore[arg-type]
            closing.push_async_callback(thinker.stop)
            return thinker

        yield start


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until(what: Callable[[], bool], seconds: float = 20.0) -> None:
    limit = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < limit
        await asyncio.sleep(0.02)


async def test_hard_is_answered_by_the_search_and_again_by_the_same_card(thinking: Open, seen: Sight) -> None:
    thinker = thinking()
    answers = [await thinker.choose(seen, "HARD", ID) for _ in range(2)]
    assert answers == [search(seen, ID, SMALL).move] * 2


async def test_easy_and_medium_need_no_worker(thinking: Open, seen: Sight) -> None:
    thinker = thinking()
    assert await thinker.choose(seen, "EASY", ID) == choose(seen, "EASY", ID)
    assert await thinker.choose(seen, "MEDIUM", ID) == choose(seen, "MEDIUM", ID)
    assert thinker.pid is None


async def test_the_worker_leaves_the_machine_to_people(thinking: Open, seen: Sight) -> None:
    thinker = thinking()
    await thinker.choose(seen, "HARD", ID)
    assert thinker.pid is not None
    assert os.getpriority(os.PRIO_PROCESS, thinker.pid) > os.getpriority(os.PRIO_PROCESS, 0)


async def test_a_worker_killed_while_it_thinks_costs_one_search_and_no_move(thinking: Open, seen: Sight) -> None:
    thinker = thinking()
    await thinker.choose(seen, "HARD", ID)
    first = thinker.pid
    assert first is not None
    thinker.budget = LONG
    asked = asyncio.create_task(thinker.choose(seen, "HARD", ID))
    await asyncio.sleep(0.1)
    assert not asked.done()
    os.kill(first, signal.SIGKILL)
    assert await asyncio.wait_for(asked, 5) == choose(seen, "MEDIUM", ID)
    thinker.budget = SMALL
    assert await thinker.choose(seen, "HARD", ID) == search(seen, ID, SMALL).move
    assert thinker.pid != first


@pytest.mark.parametrize(
    "worker",
    [
        ("/nowhere/at/all",),
        (sys.executable, "-c", "raise SystemExit(3)"),
        (sys.executable, "-c", "print('no frames at all ' * 10)"),
        (sys.executable, "-c", "import time; time.sleep(60)"),
    ],
    ids=["not there", "ends at once", "talks nonsense", "says nothing"],
)
async def test_a_worker_that_is_of_no_use_hangs_no_table(thinking: Open, seen: Sight, worker: tuple[str, ...]) -> None:
    thinker = thinking(worker=worker, patience=0.5)
    for _ in range(3):
        assert await asyncio.wait_for(thinker.choose(seen, "HARD", ID), 5) == choose(seen, "MEDIUM", ID)


async def test_a_worker_that_hangs_is_killed_and_followed_by_another(thinking: Open, seen: Sight) -> None:
    thinker = thinking(worker=(sys.executable, "-c", "import time; time.sleep(60)"), patience=0.2, hang=0.3)
    await thinker.choose(seen, "HARD", ID)
    first = thinker.pid
    assert first is not None
    limit = time.monotonic() + 20
    while thinker.pid == first:  # another comes with a question, after a rest
        assert time.monotonic() < limit
        assert await thinker.choose(seen, "HARD", ID) == choose(seen, "MEDIUM", ID)
        await asyncio.sleep(0.05)
    assert not is_there(first)


async def test_with_too_many_ahead_the_rule_of_thumb_answers_at_once(thinking: Open, seen: Sight) -> None:
    thinker = thinking(budget=LONG, waiting=1)
    asked = asyncio.create_task(thinker.choose(seen, "HARD", ID))
    await until(lambda: thinker.pid is not None)
    await asyncio.sleep(0.05)
    assert await asyncio.wait_for(thinker.choose(seen, "HARD", ID), 1) == choose(seen, "MEDIUM", ID)
    assert not asked.done()
    asked.cancel()


async def test_an_answer_that_comes_too_late_is_not_waited_for(thinking: Open, seen: Sight) -> None:
    thinker = thinking(budget=LONG, patience=0.3)
    assert await asyncio.wait_for(thinker.choose(seen, "HARD", ID), 5) == choose(seen, "MEDIUM", ID)


async def test_a_stopped_thinker_has_no_worker_and_still_answers(thinking: Open, seen: Sight) -> None:
    thinker = thinking()
    await thinker.choose(seen, "HARD", ID)
    pid = thinker.pid
    assert pid is not None
    await thinker.stop()
    assert not is_there(pid)
    assert await thinker.choose(seen, "HARD", ID) == choose(seen, "MEDIUM", ID)


async def test_a_worker_that_is_being_stopped_is_asked_nothing_more(thinking: Open, seen: Sight) -> None:
    thinker = thinking(budget=LONG)
    asked = asyncio.create_task(thinker.choose(seen, "HARD", ID))
    await until(lambda: thinker.pid is not None)
    await asyncio.sleep(0.05)
    stopping = asyncio.create_task(thinker.stop())
    await asyncio.sleep(0)  # its input is closed, and it still thinks
    assert await asyncio.wait_for(thinker.choose(seen, "HARD", ID), 0.5) == choose(seen, "MEDIUM", ID)
    assert not stopping.done()
    await stopping
    assert await asked == choose(seen, "MEDIUM", ID)


SERVICE = """
import asyncio
from circolo_cardgames.cpu import Thinker
from circolo_cardgames.rehearsal import Rehearsal
from circolo_contracts.rooms import SeatOccupant

async def main():
    table = Rehearsal("BRISCOLA", [SeatOccupant(cpu="HARD")] * 2, {"players": 2}, seed=bytes(32))
    thinker = Thinker()
    await thinker.choose(table.sight(table.state.turn), "HARD", "1")
    print(thinker.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_a_worker_does_not_outlive_a_service_that_was_killed() -> None:
    service = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVICE, stdout=asyncio.subprocess.PIPE)
    assert service.stdout is not None
    worker = int(await service.stdout.readline())
    assert is_there(worker)
    service.kill()
    await until(lambda: not is_there(worker) or _is_a_zombie(worker))
    await service.communicate()


def _is_a_zombie(pid: int) -> bool:
    """Ended, and its new parent has not looked yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
