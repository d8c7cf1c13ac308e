"""Everything is broken while tables are played; then nothing is lost, doubled, out of order or left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from chaos.faults import every_fault, plan
from chaos.replicas import QUICK
from chaos.storm import storm
from circolo_devstack.stack import Stack, stack

SEED = 20_260


@pytest.fixture(scope="module")
def house() -> Iterator[Stack]:
    with stack(backoff=QUICK) as running:
        yield running


async def test_a_quiet_evening_has_nothing_to_complain_about(house: Stack) -> None:
    async with asyncio.timeout(60):
        report = await storm(house, [], seed=SEED, tables=7)
    report.check()
    print(report.figures)


async def test_each_fault_once_while_tables_are_played(house: Stack) -> None:
    async with asyncio.timeout(240):
        report = await storm(house, plan(SEED, every_fault(1.0), after=(5, 25), pairs=0.3), seed=SEED, tables=6)
    print(report.figures)
    report.check()
