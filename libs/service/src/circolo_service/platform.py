"""What a service is given and what it must be: ``compose(platform) -> Service``, a function of servers and settings."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import asyncpg
from circolo_events.bus import NatsBus
from circolo_events.clock import Clock

from .settings import Settings


@dataclass(frozen=True)
class Platform:
    """One service's servers. ``pool`` is on the service's own schema (search_path) with its own role."""

    name: str
    settings: Settings
    bus: NatsBus
    pool: asyncpg.Pool
    clock: Clock


class Service(Protocol):
    """A composed service. ``stop`` drains: nothing new, what is in flight is finished."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def ready(self) -> bool: ...


Compose = Callable[[Platform], Awaitable[Service]]
"""Every service package has ``service.compose`` of this type."""
