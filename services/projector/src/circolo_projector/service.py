"""The projector composed: the only module that knows which adapters there are."""

from __future__ import annotations

from circolo_events.store import Store
from circolo_service.platform import Platform

from .generations import SOURCE, Generations


class Projector:
    """Reads rooms' log and keeps ``lobby`` and ``room``. Owns no truth: all of it can be built again."""

    def __init__(self, platform: Platform) -> None:
        self.generations = Generations(platform.pool, Store(platform.pool, schema=SOURCE), platform.bus)

    async def start(self) -> None:
        await self.generations.start()

    async def stop(self) -> None:
        await self.generations.stop()

    def ready(self) -> bool:
        return self.generations.is_served


async def compose(platform: Platform) -> Projector:
    return Projector(platform)
