"""Metrics as Prometheus's text exposition format, made from what an OpenTelemetry reader holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from opentelemetry.sdk.metrics.export import HistogramDataPoint, Metric, MetricsData, NumberDataPoint, Sum

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
_UNITS = {"s": "_seconds", "ms": "_milliseconds", "By": "_bytes"}


def render(data: MetricsData) -> str:
    """One family for each metric, names with underscores and units, counters ending in ``_total``."""
    lines: list[str] = []
    for of_resource in data.resource_metrics:
        for scope in of_resource.scope_metrics:
            for metric in scope.metrics:
                lines.extend(_family(metric))
    return "\n".join(lines) + "\n"


def _family(metric: Metric) -> Iterator[str]:
    points = list(metric.data.data_points)
    if not points:
        return
    name = metric.name.replace(".", "_").replace("-", "_")
    unit = _UNITS.get(metric.unit or "", "")
    if unit and not name.endswith(unit):
        name += unit
    if isinstance(points[0], HistogramDataPoint):
        kind = "histogram"
    elif isinstance(metric.data, Sum) and metric.data.is_monotonic:
        kind, name = "counter", f"{name}_total"
    else:
        kind = "gauge"
    yield f"# HELP {name} {(metric.description or name).translate(_ESCAPES)}"
    yield f"# TYPE {name} {kind}"
    for point in points:
        if isinstance(point, HistogramDataPoint):
            yield from _histogram(name, point)
        elif isinstance(point, NumberDataPoint):
            yield f"{name}{_labels(point.attributes)} {point.value}"


def _histogram(name: str, point: HistogramDataPoint) -> Iterator[str]:
    below = 0
    for bound, count in zip([*point.explicit_bounds, float("inf")], point.bucket_counts, strict=True):
        below += count
        edge = "+Inf" if bound == float("inf") else f"{bound:g}"
        yield f"{name}_bucket{_labels(point.attributes, le=edge)} {below}"
    yield f"{name}_sum{_labels(point.attributes)} {point.sum}"
    yield f"{name}_count{_labels(point.attributes)} {point.count}"


def _labels(attributes: Mapping[str, Any] | None, **more: str) -> str:
    pairs = {name.removeprefix("circolo.").replace(".", "_"): str(value) for name, value in (attributes or {}).items()}
    pairs.update(more)
    if not pairs:
        return ""
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in sorted(pairs.items())) + "}"
