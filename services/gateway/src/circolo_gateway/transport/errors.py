"""GraphQL errors as clients see them: each has ``extensions.code``; nothing internal ever shows in a message.

Field suggestions ("did you mean") are off everywhere. The schema is public at ``/schema.graphql``, so they would be
no leak, but computing them is the dearest part of refusing a wrong document.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from graphql import ExecutionResult, GraphQLError

log = logging.getLogger(__name__)

BAD_USER_INPUT = "BAD_USER_INPUT"
"""A variable or argument has the wrong type."""
INTERNAL = "INTERNAL"
"""Our fault; the log has the same ``errorId``."""


class Problem(GraphQLError):
    """An error that its reader may see as it is. ``status`` is used when no field was executed."""

    def __init__(
        self, code: str, message: str, *, status: int = 400, extensions: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message, extensions={"code": code, **(extensions or {})})
        self.code = code
        self.status = status


def shown(error: GraphQLError, default_code: str = BAD_USER_INPUT) -> dict[str, Any]:
    """The error's JSON. An unexpected exception is logged under an id and its text replaced."""
    original = error.original_error
    if original is not None and not isinstance(original, GraphQLError):
        error_id = uuid.uuid4().hex
        log.error("resolver failed, error id %s", error_id, exc_info=original)
        formatted: dict[str, Any] = {
            "message": "Something went wrong on our side.",
            "extensions": {"code": INTERNAL, "errorId": error_id},
        }
        if error.locations:
            formatted["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
        if error.path:
            formatted["path"] = error.path
        return formatted
    formatted = dict(error.formatted)
    extensions = dict(formatted.get("extensions") or {})
    extensions.setdefault("code", default_code)
    formatted["extensions"] = extensions
    message = str(formatted.get("message", ""))
    if len(message) > 500:
        formatted["message"] = message[:500] + "…"
    return formatted


def shown_all(errors: Iterable[GraphQLError], default_code: str = BAD_USER_INPUT) -> list[dict[str, Any]]:
    return [shown(error, default_code) for error in errors]


_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """JSON bytes; what a client sent with a lone surrogate and gets quoted back is escaped, never an exception."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode()


def encode_result(result: ExecutionResult) -> bytes:
    body: dict[str, Any] = {}
    if result.errors:
        body["errors"] = shown_all(result.errors)
    body["data"] = result.data
    return encode(body)
