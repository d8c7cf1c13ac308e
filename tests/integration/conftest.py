"""One real Circolo for the whole run: every service a process of its own, on real servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from circolo_devstack.stack import Stack, stack


@pytest.fixture(scope="session")
def house() -> Iterator[Stack]:
    with stack() as running:
        yield running
