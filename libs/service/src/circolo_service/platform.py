"""What a service is given and what it must be: ``compose(platform) -> Service``, a function of servers and settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

import asyncpg
from circolo_events.bus import NatsBus
from circolo_events.clock import Clock

from . import pools
from .health import Health
from .settings import Settings


@dataclass(frozen=True)
class Platform:
    """One service's servers. ``pool`` is on the service's own schema (search_path) with its own role."""

    name: str
    settings: Settings
    bus: NatsBus
    pool: asyncpg.Pool
    clock: Clock
    schema: str | None = None
    """The service's schema; None for a service that owns no tables."""
    health: Health = field(default_factory=Health)
    """The process's: whoever serves ``/livez`` and ``/readyz`` himself asks it."""

    async def connect(self) -> asyncpg.Connection:
        """A connection of its own beside the pool, on the same schema: for the appender, a lease or a lock."""
        return await pools.connect(self.settings, self.schema, name=self.name)


class Service(Protocol):
    """A composed service. ``stop`` drains: nothing new, what is in flight is finished."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def ready(self) -> bool: ...


Compose = Callable[[Platform], Awaitable[Service]]
"""Every service package has ``service.compose`` of this type."""
