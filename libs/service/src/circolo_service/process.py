"""One process with one service or several: servers first, then the services; the drain goes the other way."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import circolo_events
from circolo_events.bus import NatsBus
from circolo_events.clock import DatabaseClock

from . import migrate, pools
from .endpoints import HealthEndpoints
from .health import Health
from .platform import Compose, Platform
from .probe import Probe
from .settings import Settings
from .telemetry import Telemetry, observe_pool

log = logging.getLogger(__name__)

CLOSE_SECONDS = 3.0
"""How long closing a server's connections may take after the services have drained."""

GC_THRESHOLDS = (20_000, 20, 100)
"""Python's own (700, 10, 10) cost the gateway 7 % of its CPU and most of its p99 (docs/performance.md)."""


class StartFailure(Exception):
    """The process cannot start; the text says why, for the person who started it."""


@dataclass(frozen=True)
class ServiceSpec:
    """A service to run. ``schema`` None: it owns no tables, nothing is migrated."""

    name: str
    compose: Compose
    schema: str | None
    migrations: Path | None

    @property
    def parts(self) -> list[migrate.Part]:
        """The kit's migrations, then the service's own if it has any."""
        parts = [("kit", Path(circolo_events.__file__).parent / "migrations")]
        if self.migrations is not None and self.migrations.is_dir():
            parts.append((self.name, self.migrations))
        return parts


class Process:
    """``run`` returns when a signal came and the drain is done. Later failures of servers never end it."""

    def __init__(self, name: str, specs: list[ServiceSpec], settings: Settings) -> None:
        self.name = name
        self.specs = specs
        self.settings = settings
        self.health = Health()
        self._stop = asyncio.Event()
        self._closings = contextlib.AsyncExitStack()

    async def run(self) -> None:
        """Raises whatever kept it from starting, after having closed what it had opened."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)
        for spec in self.specs:
            self.health.expect(spec.name, lambda: False)
        starting = asyncio.create_task(self._start(), name="start")
        stopping = asyncio.create_task(self._stop.wait(), name="stop")
        try:
            await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                starting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await starting
            await stopping
            log.info("draining")
        finally:
            stopping.cancel()
            self.health.draining = True
            await self._closings.aclose()
        log.info("stopped")

    async def _start(self) -> None:
        telemetry = Telemetry.install(self.name, self.settings)
        self._closing("telemetry", telemetry.close, limit=CLOSE_SECONDS * 2)
        await self._serve_health(telemetry)
        bus = await self._connect_bus()
        self._closing("nats", bus.close)
        probe = Probe(self.health, bus)
        platforms = [await self._platform(spec, bus, probe) for spec in self.specs]
        await probe.start()
        self._closing("probe", probe.stop)
        for spec, platform in zip(self.specs, platforms, strict=True):
            service = await spec.compose(platform)
            self._closing(spec.name, service.stop, limit=self.settings.drain_seconds)
            await service.start()
            self.health.expect(spec.name, service.ready)
        gc.collect()
        gc.freeze()  # what a start makes stays; the collector need not walk it again
        gc.set_threshold(*GC_THRESHOLDS)
        log.info("ready", extra={"services": " ".join(spec.name for spec in self.specs)})

    async def _serve_health(self, telemetry: Telemetry) -> None:
        if not self.settings.health_port:
            return
        endpoints = HealthEndpoints(self.health, telemetry.metrics_text)
        try:
            await endpoints.start(self.settings.health_host, self.settings.health_port)
        except OSError as error:
            raise StartFailure(
                f"the health port {self.settings.health_port} cannot be used: {error.strerror}"
            ) from error
        self._closing("health endpoints", endpoints.stop)

    async def _connect_bus(self) -> NatsBus:
        limit = self.settings.start_wait_seconds
        connecting = NatsBus.connect(self.settings.nats_url, name=f"circolo-{self.name}", connect_timeout=limit)
        try:  # the client by itself would try for ever
            return await asyncio.wait_for(connecting, limit)
        except TimeoutError:
            raise StartFailure(f"no NATS server answers after {limit:g} s") from None

    async def _platform(self, spec: ServiceSpec, bus: NatsBus, probe: Probe) -> Platform:
        settings = self.settings.for_service(spec.name)
        await prepare_schema(spec, settings)
        pool = await pools.create(settings, spec.schema, name=spec.name)
        self._closing(f"pool of {spec.name}", lambda: _close_pool(pool), limit=CLOSE_SECONDS + 1)
        observe_pool(spec.name, pool)
        probe.watch(spec.name, pool)
        clock = DatabaseClock()
        await clock.start(pool)
        self._closing(f"clock of {spec.name}", clock.stop)
        return Platform(spec.name, settings, bus, pool, clock, spec.schema, self.health)

    def _closing(self, what: str, close: Callable[[], Awaitable[None]], *, limit: float = CLOSE_SECONDS) -> None:
        """Have it closed at the end, the last opened first; a failure or a delay of one never hinders the others."""

        async def bounded() -> None:
            try:
                await asyncio.wait_for(close(), limit)
            except TimeoutError:
                log.warning("%s was cut off after %g s", what, limit)
            except Exception:
                log.exception("%s did not close cleanly", what)

        self._closings.push_async_callback(bounded)


async def prepare_schema(spec: ServiceSpec, settings: Settings, *, apply: bool | None = None) -> list[str]:
    """Migrate the service's schema, or wait until a job has (``migrate_at_start`` false); returns what was done.

    Raises MigrationError, PostgresUnavailable or StartFailure.
    """
    if spec.schema is None:
        return []
    await pools.wait_for_postgres(settings, name=spec.name, direct=True)
    connection = await pools.connect(settings, None, name=f"{spec.name}-migrate", direct=True)
    try:
        if settings.migrate_at_start if apply is None else apply:
            return await migrate.migrate(connection, spec.schema, spec.parts)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + settings.start_wait_seconds
        while missing := await migrate.outstanding(connection, spec.schema, spec.parts):
            if loop.time() > deadline:
                raise StartFailure(f"schema {spec.schema} waits for its migrations: {', '.join(missing)}")
            await asyncio.sleep(0.5)
        return []
    finally:
        await connection.close()


async def _close_pool(pool: asyncpg.Pool) -> None:
    try:
        await asyncio.wait_for(pool.close(), CLOSE_SECONDS)
    except TimeoutError:
        pool.terminate()
