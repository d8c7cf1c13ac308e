"""A second gateway of the house that may be broken."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chaos.replicas import second_processes
from circolo_devstack.stack import Stack


@pytest.fixture(scope="module")
def gateways(victim: Stack) -> Iterator[list[str]]:
    """Both URLs."""
    with second_processes(victim, ["gateway"]) as second:
        yield [victim.url, second.url]
