"""OpenTelemetry's SDK for a process: traces and metrics by OTLP over HTTP, metrics also as Prometheus text.

Code everywhere uses OpenTelemetry's API only; trace context travels by ``circolo_events.telemetry``. Without an
endpoint and without a health port no SDK is installed, and every span and counter is a no-op of the API.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable

import asyncpg
from circolo_events import telemetry as kit
from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from .prometheus import render
from .settings import Settings

log = logging.getLogger(__name__)

EXPORT_SECONDS = 3.0
"""Time limit of one export; what a dead collector does not take is dropped by the SDK's bounded queue."""
FLUSH_SECONDS = 5.0
METRICS_EVERY_MS = 15_000
LAG_TICK_SECONDS = 0.25

BOUNDED_LABELS = frozenset(
    {
        "audience_kind", "code", "command", "consumer", "cpu_level", "game", "kind", "method", "operation", "outcome",
        "path", "phase", "protocol", "reason", "result", "service", "shard", "source", "state", "status", "transport",
        "type",
    }
)  # fmt: skip
"""The only labels that metrics may have, with or without ``circolo.`` before them. Any other is dropped, so that no
id ever becomes a label."""


class Telemetry:
    """Installed once for each process by ``install``; ``close`` sends what is left, for at most ``FLUSH_SECONDS``."""

    def __init__(
        self, tracers: TracerProvider | None, meters: MeterProvider | None, scraped: MetricReader | None
    ) -> None:
        self._tracers = tracers
        self._meters = meters
        self._scraped = scraped
        self._lag = LoopLag()

    @classmethod
    def install(cls, service: str, settings: Settings) -> Telemetry:
        """Make it the process's. Call it inside the loop, before the first service is composed."""
        resource = Resource.create({"service.name": service, "service.namespace": "circolo"})
        endpoint = settings.otlp_endpoint.rstrip("/")
        tracers = _tracers(endpoint, settings.trace_ratio, resource) if endpoint else None
        readers: list[MetricReader] = []
        scraped = InMemoryMetricReader() if settings.health_port else None
        if scraped is not None:
            readers.append(scraped)
        if endpoint:
            exporter = OTLPMetricExporter(endpoint=f"{endpoint}/v1/metrics", timeout=EXPORT_SECONDS)
            readers.append(PeriodicExportingMetricReader(exporter, export_interval_millis=METRICS_EVERY_MS))
        meters = _meters(readers, resource) if readers else None
        if tracers is not None:
            trace.set_tracer_provider(tracers)
            kit.record_spans()
        if meters is not None:
            metrics.set_meter_provider(meters)
        telemetry = cls(tracers, meters, scraped)
        if meters is not None:
            telemetry._lag.start()
            _gauge("circolo.loop.lag", "s", "Longest delay of the event loop since the last look", telemetry._lag.take)
            loop = asyncio.get_running_loop()
            _gauge("circolo.loop.tasks", "1", "Tasks that are not done", lambda: len(asyncio.all_tasks(loop)))
        return telemetry

    def metrics_text(self) -> str:
        """Every metric in Prometheus's text format; empty when nobody can scrape this process."""
        if not isinstance(self._scraped, InMemoryMetricReader):
            return ""
        data = self._scraped.get_metrics_data()
        return render(data) if data is not None else ""

    async def close(self) -> None:
        self._lag.stop()
        loop = asyncio.get_running_loop()
        closed = asyncio.Event()

        def work() -> None:
            for provider in (self._tracers, self._meters):
                if provider is not None:
                    provider.shutdown()
            if not loop.is_closed():
                loop.call_soon_threadsafe(closed.set)

        # A daemon thread, not the loop's executor: a collector that hangs must not keep the process from ending.
        threading.Thread(target=work, name="telemetry-flush", daemon=True).start()
        try:
            await asyncio.wait_for(closed.wait(), FLUSH_SECONDS)
        except TimeoutError:
            log.warning("the collector did not take the last spans in %g s", FLUSH_SECONDS)


class LoopLag:
    """How late the event loop runs its timers: the worst of a quarter of a second's ticks since the last look."""

    def __init__(self) -> None:
        self._worst = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + LAG_TICK_SECONDS

        def tick() -> None:
            self._worst = max(self._worst, loop.time() - due)
            self.start()

        self._timer = loop.call_at(due, tick)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def take(self) -> float:
        worst, self._worst = self._worst, 0.0
        return worst


def observe_pool(service: str, pool: asyncpg.Pool) -> None:
    """Gauges of a pool: connections that are open and those that are free."""
    labels = {"service": service}
    _gauge("circolo.pool.size", "1", "Open Postgres connections", pool.get_size, labels)
    _gauge("circolo.pool.idle", "1", "Open Postgres connections that nobody uses", pool.get_idle_size, labels)


def _gauge(
    name: str, unit: str, description: str, read: Callable[[], float], labels: dict[str, str] | None = None
) -> None:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        return [Observation(read(), labels or {})]

    metrics.get_meter("circolo.service").create_observable_gauge(name, [observe], unit, description)


def _tracers(endpoint: str, ratio: float, resource: Resource) -> TracerProvider:
    provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(ratio)), resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
    return provider


def _meters(readers: list[MetricReader], resource: Resource) -> MeterProvider:
    allowed = {label for name in BOUNDED_LABELS for label in (name, f"circolo.{name}")}
    view = View(instrument_name="*", attribute_keys=allowed)
    return MeterProvider(metric_readers=readers, resource=resource, views=[view], shutdown_on_exit=False)
