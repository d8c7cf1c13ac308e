"""The club on real servers; and the test modules here share ``table_talk`` and ``club``.

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
    from club import Club


@pytest.fixture
async def club(database: str, nats_url: str, tmp_path: Path) -> AsyncIterator[Club]:
    from club import opened_club, prepare

    await prepare(database)
    async with opened_club(database, nats_url, tmp_path) as club:
        yield club
