from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from circolo_service import logs
from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger("circolo.test")


@pytest.fixture(autouse=True)
def _root_as_before() -> Iterator[None]:
    root = logging.getLogger()
    level = root.level
    yield
    while logs._ours:
        root.removeHandler(logs._ours.pop())
    root.setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.fixture
def written() -> io.StringIO:
    stream = io.StringIO()
    logs.setup("rooms", stream=stream)
    return stream


def only_line(stream: io.StringIO) -> dict[str, Any]:
    (line,) = stream.getvalue().splitlines()
    decoded: dict[str, Any] = json.loads(line)
    return decoded


def test_a_line_has_its_time_level_logger_message_and_service(written: io.StringIO) -> None:
    log.info("room %s is open", "ABC", extra={"seats": 4})
    line = only_line(written)
    assert line.pop("ts").endswith("Z")
    assert line == {
        "level": "info", "logger": "circolo.test", "message": "room ABC is open", "service": "rooms", "seats": 4,
    }  # fmt: skip


def test_a_line_within_a_span_carries_its_ids(written: io.StringIO) -> None:
    with TracerProvider(shutdown_on_exit=False).get_tracer("t").start_as_current_span("s") as span:
        log.info("traced")
    context = span.get_span_context()
    line = only_line(written)
    assert (line["trace_id"], line["span_id"]) == (f"{context.trace_id:032x}", f"{context.span_id:016x}")


def test_a_newline_in_a_message_stays_in_its_line(written: io.StringIO) -> None:
    log.warning("first\nsecond")
    assert only_line(written)["message"] == "first\nsecond"


@pytest.mark.parametrize(
    "secret",
    [
        "nats://circolo:primiera@bus:4222",
        "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJwcmltaWVyYSJ9.primiera-primiera",
        "Authorization: Bearer primiera",
        "seed " + b"primiera".hex() * 4,
        "['7D', '10C']",
        "7D 10C 3S",
    ],
)
def test_a_secret_does_not_reach_the_log_by_any_way(written: io.StringIO, secret: str) -> None:
    log.info(secret)
    log.info("%s", secret)
    log.info("x", extra={"note": secret})
    try:
        raise ValueError(secret)
    except ValueError:
        log.exception("failed")
    text = written.getvalue()
    assert "primiera" not in text
    assert b"primiera".hex() not in text
    assert "10C" not in text


def test_a_field_with_a_secret_name_is_hidden_whatever_it_holds(written: io.StringIO) -> None:
    log.info("dealt", extra={"hand": ["7D"], "seed": 1, "Token": "x"})
    line = only_line(written)
    assert {line["hand"], line["seed"], line["Token"]} == {logs.HIDDEN}


def test_one_card_on_the_table_may_be_named(written: io.StringIO) -> None:
    log.info("seat 2 played 7D")
    assert only_line(written)["message"] == "seat 2 played 7D"


def test_a_long_message_is_cut_and_says_so(written: io.StringIO) -> None:
    log.info("x" * (logs.MAX_MESSAGE + 50))
    message = only_line(written)["message"]
    assert message.endswith("... (50 more characters)")
    assert len(message) < logs.MAX_MESSAGE + 50


def test_arguments_that_do_not_fit_cost_no_line(written: io.StringIO) -> None:
    record = log.makeRecord(log.name, logging.INFO, __file__, 1, "%d cards", ("four",), None)
    logs._ours[0].handle(record)
    assert only_line(written)["message"] == "%d cards (its arguments do not fit)"


def test_an_exception_is_one_line_with_its_stack(written: io.StringIO) -> None:
    try:
        raise RuntimeError("the deck fell down")
    except RuntimeError:
        log.exception("oh")
    assert "RuntimeError: the deck fell down" in only_line(written)["stack"]


def test_text_has_no_stack_unless_somebody_debugs() -> None:
    for level, shown in (("info", False), ("debug", True)):
        stream = io.StringIO()
        logs.setup("rooms", level=level, form="text", stream=stream)
        try:
            raise RuntimeError("the deck fell down")
        except RuntimeError:
            log.exception("oh", extra={"seats": 4})
        assert ("Traceback" in stream.getvalue()) is shown
        assert "rooms  oh  seats=4" in stream.getvalue()


def test_uvicorn_writes_our_lines_and_no_line_for_each_request(written: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").info("started")
    logging.getLogger("uvicorn.access").info("GET /graphql")
    assert only_line(written)["message"] == "started"


def test_setting_up_twice_writes_once(written: io.StringIO) -> None:
    again = io.StringIO()
    logs.setup("rooms", stream=again)
    log.info("hello")
    assert written.getvalue() == ""
    assert only_line(again)["message"] == "hello"
