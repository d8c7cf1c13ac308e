"""The test modules share ``night_talk`` and ``trivia_club``; importlib mode adds no folder to the path by itself."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from circolo_trivia.service import TriviaNights
    from trivia_club import Club


@pytest.fixture
async def club(database: str, nats_url: str) -> AsyncIterator[Club]:
    from trivia_club import club_on

    async with club_on(database, nats_url) as opened:
        yield opened


@pytest.fixture
async def service(club: Club) -> AsyncIterator[TriviaNights]:
    running = await club.open()
    yield running
    await running.stop()
