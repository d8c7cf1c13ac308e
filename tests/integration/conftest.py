"""Real Circolos for the whole run, every service a process of its own on real servers: one to play in, one to break."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chaos.replicas import QUICK
from circolo_devstack.stack import Stack, stack


@pytest.fixture(scope="session")
def house() -> Iterator[Stack]:
    with stack() as running:
        yield running


@pytest.fixture(scope="session")
def victim() -> Iterator[Stack]:
    """A house of its own: killing what others play in would be rude."""
    with stack(backoff=QUICK) as running:
        yield running
