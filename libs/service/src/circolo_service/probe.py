"""Asks Postgres and NATS every two seconds whether they are there, so that ``/readyz`` need not."""

from __future__ import annotations

import asyncio
import logging

import asyncpg
import nats.errors
from circolo_events.bus import NatsBus
from circolo_events.failures import DATABASE_AWAY
from opentelemetry import metrics

from .health import Health

log = logging.getLogger(__name__)

EVERY_SECONDS = 2.0
ANSWER_SECONDS = 2.0

_pool_wait = metrics.get_meter("circolo.service").create_histogram(
    "circolo.pool.wait", "s", "How long a probe waited for a connection of the pool",
    explicit_bucket_boundaries_advisory=[0.001, 0.005, 0.02, 0.1, 0.5, 2.0],
)  # fmt: skip


class Probe:
    """Of one process: one bus and each service's pool. A server that stops answering is logged once, and once again
    when it is back."""

    def __init__(self, health: Health, bus: NatsBus) -> None:
        self._health = health
        self._bus = bus
        self._pools: dict[str, asyncpg.Pool] = {}
        self._silent: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        health.expect_server("nats")

    def watch(self, service: str, pool: asyncpg.Pool) -> None:
        self._pools[service] = pool
        self._health.expect_server(f"postgres of {service}")

    async def start(self) -> None:
        """The first round is done when this returns."""
        await self._round()
        self._task = asyncio.create_task(self._keep(), name="probe")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            await self._round()

    async def _round(self) -> None:
        await asyncio.gather(self._ask_nats(), *(self._ask(name, pool) for name, pool in self._pools.items()))

    async def _ask_nats(self) -> None:
        try:
            await self._bus.client.flush(timeout=int(ANSWER_SECONDS))
        except (nats.errors.Error, OSError, TimeoutError) as error:
            self._no_answer("nats", error)
        else:
            self._answer("nats")

    async def _ask(self, service: str, pool: asyncpg.Pool) -> None:
        loop = asyncio.get_running_loop()
        asked = loop.time()
        try:
            async with pool.acquire(timeout=ANSWER_SECONDS) as connection:
                _pool_wait.record(loop.time() - asked, {"service": service})
                await connection.execute("SELECT 1", timeout=ANSWER_SECONDS)
        except DATABASE_AWAY as error:
            self._no_answer(f"postgres of {service}", error)
        else:
            self._answer(f"postgres of {service}")

    def _answer(self, server: str) -> None:
        self._health.answered(server)
        if server in self._silent:
            self._silent.remove(server)
            log.info("%s answers again", server)

    def _no_answer(self, server: str, error: Exception) -> None:
        if server not in self._silent:
            self._silent.add(server)
            log.warning("%s does not answer (%s)", server, type(error).__name__)
