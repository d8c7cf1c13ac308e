"""The gateway's figures, by OpenTelemetry's API only. Labels are bounded: never an id, a name or a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from circolo_events.telemetry import HotCounter
from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Observation

_meter = metrics.get_meter("circolo.gateway")

operations = HotCounter("circolo.gateway.operations", "GraphQL operations by kind", "kind")
limited = HotCounter("circolo.gateway.limited", "Operations refused as too many in a time", "kind")


def watch(name: str, description: str, value: Callable[[], int]) -> None:
    """A figure that is read when it is asked for."""

    def observe(_: CallbackOptions) -> Iterable[Observation]:
        return [Observation(value())]

    _meter.create_observable_gauge(f"circolo.gateway.{name}", [observe], description=description)
