"""Rooms' log and the projector's schema in one database; and evenings in rooms to fill them with.

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
    from house import House


@pytest.fixture
async def house(database: str) -> AsyncIterator[House]:
    from house import opened

    async with opened(database) as house:
        yield house
