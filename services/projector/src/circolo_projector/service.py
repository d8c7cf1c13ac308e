"""The projector composed: the only module that knows which families and adapters there are."""

from __future__ import annotations

import asyncio

from circolo_service.platform import Platform

from . import brilli, matches, rooms
from .generations import Generations

FAMILIES = (rooms.FAMILY, matches.FAMILY, brilli.FAMILY)


class Projector:
    """Reads the logs of others and keeps what lists show. Owns no truth: all of it can be built again."""

    def __init__(self, platform: Platform) -> None:
        swaps = asyncio.Lock()
        self.generations = [Generations(family, platform.pool, platform.bus, swaps=swaps) for family in FAMILIES]

    async def start(self) -> None:
        for generations in self.generations:
            await generations.start()

    async def stop(self) -> None:
        await asyncio.gather(*(generations.stop() for generations in self.generations))

    def ready(self) -> bool:
        return all(generations.is_served for generations in self.generations)


async def compose(platform: Platform) -> Projector:
    return Projector(platform)
