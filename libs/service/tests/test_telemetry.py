from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from circolo_events import telemetry as kit
from circolo_service import telemetry
from circolo_service.prometheus import render
from circolo_service.settings import Settings
from circolo_service.telemetry import LoopLag, Telemetry
from collector import Collector
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader


@pytest.fixture
def collector() -> Iterator[Collector]:
    receiver = Collector()
    yield receiver
    receiver.close()


@pytest.fixture
def uninstalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process's own providers stay as they are; each test uses its own."""
    monkeypatch.setattr(telemetry.trace, "set_tracer_provider", lambda _: None)
    monkeypatch.setattr(telemetry.metrics, "set_meter_provider", lambda _: None)


def settings(**more: Any) -> Settings:
    return Settings(postgres_url="postgresql://db", nats_url="nats://bus", **more)


async def test_a_span_arrives_at_the_collector_with_the_callers_trace(collector: Collector, uninstalled: None) -> None:
    installed = Telemetry.install("cardgames", settings(otlp_endpoint=collector.url))
    assert installed._tracers is not None
    tracer = installed._tracers.get_tracer("test")
    caller = tracer.start_span("playCard")
    headers = kit.headers_of(caller)
    caller.end()
    tracer.start_span("command PlayCard", context=kit.context_of(headers)).end()
    await installed.close()
    assert collector.services == {"cardgames"}
    assert collector.spans["command PlayCard"].trace_id == collector.spans["playCard"].trace_id
    assert collector.spans["command PlayCard"].parent_span_id == collector.spans["playCard"].span_id


async def test_without_an_endpoint_and_a_port_nothing_is_installed() -> None:
    installed = Telemetry.install("rooms", settings())
    assert (installed._tracers, installed._meters) == (None, None)
    assert installed.metrics_text() == ""
    assert not trace.get_tracer("t").start_span("s").is_recording()
    await installed.close()


async def test_a_share_of_traces_is_recorded_and_the_callers_choice_is_kept(
    collector: Collector, uninstalled: None
) -> None:
    installed = Telemetry.install("rooms", settings(otlp_endpoint=collector.url, trace_ratio=0))
    assert installed._tracers is not None
    tracer = installed._tracers.get_tracer("test")
    assert not tracer.start_span("own").is_recording()
    chosen = kit.context_of({"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"})
    assert tracer.start_span("asked for", context=chosen).is_recording()
    await installed.close()


async def test_a_dead_collector_holds_up_the_end_for_a_bounded_time(
    uninstalled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "FLUSH_SECONDS", 0.2)
    with socket.socket() as silent:  # takes connections and never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        installed = Telemetry.install("rooms", settings(otlp_endpoint=endpoint))
        assert installed._tracers is not None
        installed._tracers.get_tracer("test").start_span("lost").end()
        began = asyncio.get_running_loop().time()
        await installed.close()
        assert asyncio.get_running_loop().time() - began < 2


async def test_the_loops_worst_delay_is_told_once() -> None:
    lag = LoopLag()
    lag.start()
    await asyncio.sleep(telemetry.LAG_TICK_SECONDS / 2)
    threading.Event().wait(telemetry.LAG_TICK_SECONDS)  # nobody yields meanwhile
    await asyncio.sleep(0.01)
    assert lag.take() > telemetry.LAG_TICK_SECONDS / 4
    assert lag.take() == 0.0
    lag.stop()


def test_metrics_as_prometheus_reads_them() -> None:
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    meter = provider.get_meter("test")
    meter.create_counter("circolo.commands", description='Said "so"').add(3, {"circolo.outcome": 'a"b\\c\nd'})
    meter.create_histogram("circolo.wait", "s", explicit_bucket_boundaries_advisory=[0.5, 1]).record(0.7)
    meter.create_up_down_counter("circolo.sockets").add(2)
    data = reader.get_metrics_data()
    assert data is not None
    assert render(data).splitlines() == [
        '# HELP circolo_commands_total Said \\"so\\"',
        "# TYPE circolo_commands_total counter",
        'circolo_commands_total{outcome="a\\"b\\\\c\\nd"} 3',
        "# HELP circolo_wait_seconds circolo_wait_seconds",
        "# TYPE circolo_wait_seconds histogram",
        'circolo_wait_seconds_bucket{le="0.5"} 0',
        'circolo_wait_seconds_bucket{le="1"} 1',
        'circolo_wait_seconds_bucket{le="+Inf"} 1',
        "circolo_wait_seconds_sum 0.7",
        "circolo_wait_seconds_count 1",
        "# HELP circolo_sockets circolo_sockets",
        "# TYPE circolo_sockets gauge",
        "circolo_sockets 2",
    ]
    provider.shutdown()
