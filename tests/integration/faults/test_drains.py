"""A house that is told to stop in the middle of play: row R3 of the game backends' faults."""

from __future__ import annotations

import asyncio

import pytest
from chaos.faults import Fault, Injector, Strike
from chaos.storm import storm
from chaos.tables import Seating
from circolo_devstack.stack import Stack

EVERYTHING = tuple(Fault("drain", name) for name in ("gateway", "cardgames", "rooms", "projector"))


async def test_game_R3_a_house_that_stops_in_the_middle_of_play_loses_no_acknowledged_move(victim: Stack) -> None:
    """The short form: six rooms, every service told to stop at once."""
    async with asyncio.timeout(120):
        report = await storm(victim, [Strike(20, EVERYTHING)], seed=31, tables=6, seatings=[Seating()])
    report.check()
    assert report.injector.done == {f"drain {fault.target}": 1 for fault in EVERYTHING}


@pytest.mark.soak
async def test_game_R3_with_100_rooms_in_play(victim: Stack, capsys: pytest.CaptureFixture[str]) -> None:
    strikes = [Strike(300, EVERYTHING), Strike(500, EVERYTHING[1:3])]
    async with asyncio.timeout(600):
        report = await storm(
            victim, strikes, seed=32, tables=100, seatings=[Seating(), Seating(persons=1)], injector=Injector(victim)
        )
    with capsys.disabled():
        print(f"\n100 rooms: {report.figures}")
    report.check()
