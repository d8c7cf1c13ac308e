"""Everything is broken while tables are played; then nothing is lost, doubled, out of order or left behind."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import ExitStack

import pytest
from chaos.faults import Fault, Injector, every_fault, plan, without_end
from chaos.replicas import QUICK, second_processes
from chaos.storm import storm
from circolo_devstack.stack import Stack, stack
from circolo_devstack.supervisor import Supervisor

SEED = 20_260


async def test_a_quiet_evening_has_nothing_to_complain_about(victim: Stack) -> None:
    async with asyncio.timeout(60):
        report = await storm(victim, [], seed=SEED, tables=3)
    report.check()


async def test_each_fault_once_while_tables_are_played(victim: Stack) -> None:
    async with asyncio.timeout(240):
        report = await storm(victim, plan(SEED, every_fault(0.7), after=(3, 15), pairs=0.4), seed=SEED, tables=5)
    report.check()


async def test_two_replicas_of_everything_and_clients_that_move_between_gateways(victim: Stack) -> None:
    """Each fault hits one of the two, which the other one has to make good."""
    faults = [
        *(Fault("kill", f"{name}-2") for name in ("cardgames", "rooms", "projector", "gateway")),
        Fault("freeze", "cardgames-2", 0.8), Fault("freeze", "gateway-2", 0.8), Fault("drain", "rooms-2"),
    ]  # fmt: skip
    with second_processes(victim) as second:
        injector = Injector(victim, dict.fromkeys(second.names.values(), second.supervisor))
        strikes = plan(SEED + 1, faults, after=(5, 15), pairs=0.4)
        async with asyncio.timeout(240):
            report = await storm(
                victim, strikes, seed=SEED + 1, tables=5, injector=injector, urls=[victim.url, second.url]
            )
    report.check()
    assert report.history.reconnects > 0


@pytest.mark.soak
@pytest.mark.parametrize("replicas", [1, 2])
async def test_all_faults_in_random_order_for_minutes(replicas: int, capsys: pytest.CaptureFixture[str]) -> None:
    """CIRCOLO_SOAK_SECONDS (300 for each number of replicas) and CIRCOLO_SOAK_SEED are the caller's."""
    seconds = float(os.environ.get("CIRCOLO_SOAK_SECONDS", "300"))
    seed = int(os.environ.get("CIRCOLO_SOAK_SEED", str(SEED)))
    with ExitStack() as cleanup:
        house = cleanup.enter_context(stack(backoff=QUICK))
        names: dict[str, list[str]] = {}
        supervisors: dict[str, Supervisor] = {}
        urls = [house.url]
        if replicas == 2:
            second = cleanup.enter_context(second_processes(house))
            names = {name: [name, twin] for name, twin in second.names.items()}
            supervisors = dict.fromkeys(second.names.values(), second.supervisor)
            urls.append(second.url)
        async with asyncio.timeout(seconds * 2 + 120):
            report = await storm(
                house, without_end(seed, names, after=(20, 200)), seed=seed, tables=24, urls=urls, seconds=seconds,
                injector=Injector(house, supervisors),
            )  # fmt: skip
    with capsys.disabled():
        print(f"\nseed {seed}, {replicas} replica(s): {json.dumps(report.figures)}", *report.violations, sep="\n")
    report.check()
