"""The club on real servers; and the test modules here share ``cartelle`` and ``tombola_club``.

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
    from circolo_tombola.service import TombolaService
    from tombola_club import Club


@pytest.fixture
async def club(database: str, nats_url: str) -> AsyncIterator[Club]:
    from tombola_club import opened

    async with opened(database, nats_url) as club:
        yield club


@pytest.fixture
async def service(club: Club) -> AsyncIterator[TombolaService]:
    running = await club.open()
    yield running
    await running.stop()
