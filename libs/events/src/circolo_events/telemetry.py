"""Spans and counters of the kit, by OpenTelemetry's API only; without an SDK they cost next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from circolo_contracts.wire import Answer, Refused
from opentelemetry import metrics, trace
from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.trace import INVALID_SPAN, Link, Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_propagator = TraceContextTextMapPropagator()
_tracer = trace.get_tracer("circolo.events")
_meter = metrics.get_meter("circolo.events")


class HotCounter:
    """A counter for the hot path: a dictionary's addition, read by OpenTelemetry when it exports."""

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._labels = labels
        self._counts: dict[tuple[str, ...], int] = {}
        _meter.create_observable_counter(name, callbacks=[self._observe], description=description)

    def add(self, amount: int, *values: str) -> None:
        """``values`` in the order of the labels; never an id."""
        self._counts[values] = self._counts.get(values, 0) + amount

    def _observe(self, _: CallbackOptions) -> Iterable[Observation]:
        return [
            Observation(count, dict(zip(self._labels, values, strict=True)))
            for values, count in list(self._counts.items())
        ]


commands = HotCounter("circolo.commands", "Commands by service, type and outcome", "service", "type", "outcome")
conflicts = HotCounter("circolo.append.conflicts", "Appends that met another version", "service")
pushes = HotCounter("circolo.views.pushed", "Views pushed after commits", "service")
dropped = HotCounter("circolo.bus.dropped", "Messages that NATS could not take")


def context_of(headers: Mapping[str, str] | None) -> Context | None:
    """The sender's trace context, if he sent one."""
    if not headers or "traceparent" not in headers:
        return None
    return _propagator.extract(headers)


def headers_of(span: Span | None = None) -> dict[str, str]:
    """Trace headers for a message that leaves from this span, or from the current one; empty when not traced."""
    if span is not None and not span.get_span_context().is_valid:
        return {}  # not traced: the usual case on the hot path
    carrier: dict[str, str] = {}
    _propagator.inject(carrier, trace.set_span_in_context(span) if span is not None else None)
    return carrier


class _Spans:
    """Whether anybody collects spans in this process."""

    recorded = False


def record_spans() -> None:
    """Called by whoever installs a tracer provider; until then a span is not even begun."""
    _Spans.recorded = True


def command_span(
    service: str, command_type: str, headers: Mapping[str, str] | None, kind: SpanKind = SpanKind.SERVER
) -> Span:
    """Started here, ended by ``finish``: a continuation ends it, so it is never held open over a yield."""
    if not _Spans.recorded:
        return INVALID_SPAN
    return _tracer.start_span(
        f"command {command_type}",
        context=context_of(headers),
        kind=kind,
        attributes={"messaging.system": "nats", "circolo.service": service, "circolo.command": command_type},
    )


def append_span(parent: Span, service: str, events: int) -> Span:
    """From handing the events to the appender until their outcome: waiting for the batch and the statement itself."""
    if not _Spans.recorded:
        return INVALID_SPAN
    return _tracer.start_span(
        "append",
        context=trace.set_span_in_context(parent),
        kind=SpanKind.CLIENT,
        attributes={"db.system.name": "postgresql", "db.namespace": service, "circolo.events": events},
    )


def traceparent_of(span: Span) -> str | None:
    """What an event remembers of the command that made it; None when that is not recorded anywhere."""
    return headers_of(span).get("traceparent") if span is not INVALID_SPAN and span.is_recording() else None


def link_to(traceparent: str | None) -> Sequence[Link]:
    """For work that an event causes long after its own trace was over."""
    if not traceparent:
        return ()
    span = trace.get_current_span(_propagator.extract({"traceparent": traceparent}))
    return (Link(span.get_span_context()),)


def reaction_span(service: str, rule: str, traceparent: str | None) -> Span:
    return _tracer.start_span(
        f"reaction {rule}", kind=SpanKind.PRODUCER, links=link_to(traceparent), attributes={"circolo.service": service}
    )


def finish(span: Span, outcome: str) -> None:
    span.set_attribute("circolo.outcome", outcome)
    if outcome in ("INTERNAL", "UNAVAILABLE"):
        span.set_status(Status(StatusCode.ERROR, outcome))
    span.end()


def observed(service: str, command_type: str, span: Span, reply: Callable[[Answer], None]) -> Callable[[Answer], None]:
    """The same reply, which counts the outcome and ends the command's span."""

    def answered(answer: Answer) -> None:
        outcome = answer.code.value if isinstance(answer, Refused) else "done"
        commands.add(1, service, command_type, outcome)
        if span is not INVALID_SPAN:
            finish(span, outcome)
        reply(answer)

    return answered
