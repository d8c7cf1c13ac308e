"""The gateway's figures, by OpenTelemetry's API only. Labels are bounded: never an id, a name or a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Observation

_meter = metrics.get_meter("circolo.gateway")

operations = _meter.create_counter("circolo.gateway.operations", description="GraphQL operations by kind")
limited = _meter.create_counter("circolo.gateway.limited", description="Operations refused as too many in a time")


def watch(name: str, description: str, value: Callable[[], int]) -> None:
    """A figure that is read when it is asked for."""

    def observe(_: CallbackOptions) -> Iterable[Observation]:
        return [Observation(value())]

    _meter.create_observable_gauge(f"circolo.gateway.{name}", [observe], description=description)
