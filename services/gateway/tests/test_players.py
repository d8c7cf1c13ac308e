"""Names are read in batches, kept for a moment, and gone soon after they were erased."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from circolo_gateway.players import Names


class Profiles:
    def __init__(self) -> None:
        self.names = {f"{n:032x}": f"guest {n}" for n in range(30)}
        self.reads: list[list[str]] = []
        self.fails = False

    async def __call__(self, players: Sequence[str]) -> Mapping[str, str]:
        self.reads.append(list(players))
        await asyncio.sleep(0)
        if self.fails:
            raise OSError("no database")
        return {player: self.names[player] for player in players if player in self.names}


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_all_names_of_a_tick_are_one_query_for_each_batch() -> None:
    profiles = Profiles()
    names = Names(profiles, seconds=5, entries=100, batch=20, monotonic=Time())
    wanted = [f"{n:032x}" for n in range(30)] * 3
    assert await asyncio.gather(*map(names.name, wanted)) == [profiles.names[player] for player in wanted]
    assert [len(read) for read in profiles.reads] == [20, 10]


async def test_an_erased_name_is_gone_after_a_moment_and_an_unknown_one_is_null() -> None:
    profiles, time = Profiles(), Time()
    names = Names(profiles, seconds=5, entries=100, batch=20, monotonic=time)
    ada = f"{1:032x}"
    assert await names.name(ada) == "guest 1"
    del profiles.names[ada]
    assert await names.name(ada) == "guest 1"
    time.now = 5.1
    assert await names.name(ada) is None
    assert len(profiles.reads) == 2


async def test_the_names_kept_are_bounded() -> None:
    names = Names(Profiles(), seconds=5, entries=10, batch=20, monotonic=Time())
    await asyncio.gather(*(names.name(f"{n:032x}") for n in range(30)))
    assert len(names._known) == 10


async def test_a_failed_read_is_told_to_each_who_waits_and_tried_again_by_the_next() -> None:
    profiles = Profiles()
    profiles.fails = True
    names = Names(profiles, seconds=5, entries=10, batch=20, monotonic=Time())
    answers = await asyncio.gather(names.name("a"), names.name("b"), return_exceptions=True)
    assert all(isinstance(answer, OSError) for answer in answers)
    profiles.fails = False
    assert await names.name(f"{1:032x}") == "guest 1"


async def test_while_the_database_is_away_the_name_known_last_is_shown() -> None:
    profiles, time = Profiles(), Time()
    names = Names(profiles, seconds=5, entries=10, batch=20, monotonic=time)
    assert await names.name(f"{1:032x}") == "guest 1"
    time.now += 60
    profiles.fails = True
    assert await names.name(f"{1:032x}") == "guest 1"
    with pytest.raises(OSError, match="no database"):
        await names.name(f"{2:032x}")


async def test_who_goes_while_waiting_does_not_take_the_name_from_others() -> None:
    names = Names(Profiles(), seconds=5, entries=10, batch=20, monotonic=Time())
    first = asyncio.create_task(names.name(f"{1:032x}"))
    second = asyncio.create_task(names.name(f"{1:032x}"))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert await second == "guest 1"
