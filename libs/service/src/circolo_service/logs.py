"""Log lines on stdout: one JSON object a line for machines, text for a person at a terminal.

Nothing secret may be logged anywhere; the guard here is the second lock on that door. It hides passwords in URLs,
tokens, seeds and lists of cards, whoever wrote them.
"""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

import msgspec
from opentelemetry import trace

MAX_MESSAGE = 4_000
"""Characters of a message or of one extra field; the rest is cut off and counted."""
MAX_STACK = 8_000

HIDDEN = "[hidden]"
SECRET_FIELDS = frozenset(
    {"answer", "answers", "authorization", "cookie", "deck", "drawn", "hand", "hands", "password", "seed", "token"}
)
_SECRETS = (
    (re.compile(r"(?<=://)[^/@\s]+(?=@)"), HIDDEN),
    (re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"), HIDDEN),
    (re.compile(r"(?i)(?<=\bbearer )\S+"), HIDDEN),
    (re.compile(r"(?i)(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])"), HIDDEN),
    (re.compile(r"\b(?:10|[1-9])[DCSB]\b(?:[\s,'\"\[\]()]+(?:10|[1-9])[DCSB]\b)+"), HIDDEN),
)
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_ours: list[logging.Handler] = []


def redact(text: str) -> str:
    """Without passwords in URLs, JWTs, 32-byte hex values and two or more cards in a row; of bounded length."""
    cut = len(text) - MAX_MESSAGE
    if cut > 0:
        text = f"{text[:MAX_MESSAGE]}... ({cut} more characters)"
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def _plain(value: Any) -> Any:
    """A value of an extra field as JSON can hold it."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return redact(value if isinstance(value, str) else repr(value))


def extras(record: logging.LogRecord) -> dict[str, Any]:
    """What the caller gave by ``extra=``, redacted by name and by look."""
    given = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    return {name: HIDDEN if name.lower() in SECRET_FIELDS else _plain(value) for name, value in given.items()}


def span_ids() -> dict[str, str]:
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}


def stack_of(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[0] is None:
        return ""
    text = "".join(traceback.format_exception(*record.exc_info)).rstrip()
    if len(text) > MAX_STACK:
        text = f"{text[: MAX_STACK // 2]}\n...\n{text[-MAX_STACK // 2 :]}"
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def message_of(record: logging.LogRecord) -> str:
    try:
        return redact(record.getMessage())
    except (TypeError, ValueError):
        return redact(f"{record.msg} (its arguments do not fit)")


class JsonLines(logging.Formatter):
    """``ts`` (RFC 3339, ms, UTC), level, logger, message, service, then trace ids, extra fields, stack."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self.service = service

    def format(self, record: logging.LogRecord) -> str:
        stamp = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "ts": stamp.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message_of(record),
            "service": self.service,
            **span_ids(),
        }
        for name, value in extras(record).items():
            line.setdefault(name, value)
        stack = stack_of(record)
        if stack:
            line["stack"] = stack
        return msgspec.json.encode(line).decode()


class TextLines(logging.Formatter):
    """Time, level, service, message and extra fields; the stack only where somebody debugs."""

    def __init__(self, service: str, *, stacks: bool) -> None:
        super().__init__()
        self.service = service
        self.stacks = stacks

    def format(self, record: logging.LogRecord) -> str:
        clock = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        line = f"{clock} {record.levelname.lower():<8}{self.service}  {message_of(record)}"
        given: Mapping[str, Any] = extras(record)
        if given:
            line += "  " + " ".join(f"{name}={value}" for name, value in given.items())
        stack = stack_of(record)
        if stack and self.stacks:
            line += f"\n{stack}"
        elif stack and record.exc_info and record.exc_info[0] is not None:
            line += f" ({record.exc_info[0].__name__})"
        return line


def setup(
    service: str,
    *,
    level: str = "info",
    form: Literal["json", "text"] = "json",
    stream: TextIO | None = None,
) -> None:
    """Make the root logger write our lines; uvicorn's and warnings' loggers flow into it. May be called again."""
    handler = logging.StreamHandler(stream or sys.stdout)
    handler.setFormatter(JsonLines(service) if form == "json" else TextLines(service, stacks=level == "debug"))
    root = logging.getLogger()
    while _ours:
        root.removeHandler(_ours.pop())
    _ours.append(handler)
    root.addHandler(handler)
    root.setLevel(level.upper())
    logging.captureWarnings(capture=True)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        adopted = logging.getLogger(name)
        adopted.handlers.clear()
        adopted.propagate = True
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)  # a line for each request is what traces are for
