"""A second process of every service beside the house's own, on the same servers; the second gateway has a URL."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from circolo_devstack.keys import token_keys
from circolo_devstack.ports import LOOPBACK, free_port
from circolo_devstack.services import SERVICES, Surroundings, environment
from circolo_devstack.stack import EDGE_TIER, SERVICE_TIER, ServiceProcess, Stack, silent
from circolo_devstack.supervisor import Backoff, Supervisor

QUICK = Backoff(first=0.1, longest=0.5)
"""For houses in which things are killed on purpose, again and again."""


@dataclass(frozen=True)
class Replicas:
    url: str
    """Of the second gateway."""
    supervisor: Supervisor
    names: dict[str, str]
    """By service, the name of its second process."""


@contextmanager
def second_processes(
    house: Stack, services: Sequence[str] = ("rooms", "cardgames", "projector", "gateway")
) -> Iterator[Replicas]:
    port = free_port()
    around = Surroundings(house.databases, house.nats_url, token_keys(house.home.keys), LOOPBACK, port)
    processes = [
        ServiceProcess(
            f"{spec.name}-2", [sys.executable, "-m", f"circolo_{spec.name}"], environment([spec], around, os.environ),
            house.home.log(f"{spec.name}-2"), EDGE_TIER if spec.serves_http else SERVICE_TIER,
        )
        for spec in SERVICES if spec.name in services
    ]  # fmt: skip
    supervisor = Supervisor(processes, say=silent, backoff=QUICK)
    supervisor.start()
    try:
        supervisor.wait_ready()
        yield Replicas(f"http://{LOOPBACK}:{port}/", supervisor, {p.name.removesuffix("-2"): p.name for p in processes})
    finally:
        supervisor.stop()
