"""Ranked tables to play at, and the ledger on real servers.

(importlib mode adds no folder to the path by itself.)
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from counting_house import CountingHouse


@pytest.fixture
async def house(database: str, nats_url: str) -> AsyncIterator[CountingHouse]:
    from counting_house import opened

    async with opened(database, nats_url) as house:
        yield house
