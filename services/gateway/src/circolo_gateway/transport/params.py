"""What a request asks for, read from untrusted JSON: query, variables, operationName, extensions."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from .errors import Problem


class Params(msgspec.Struct, frozen=True, rename="camel"):
    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = None
    extensions: dict[str, Any] | None = None


_decode = msgspec.json.Decoder().decode


def read_json(raw: bytes | str) -> Any:
    """Decoded JSON; raises Problem BAD_JSON.

    Text with lone surrogates is let through (the slower reader knows them): whoever owns the field refuses it by name.
    """
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, UnicodeEncodeError):
        pass
    except RecursionError:
        raise Problem("BAD_JSON", "The JSON is nested too deeply.") from None
    try:
        return json.loads(raw, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Problem("BAD_JSON", "The body is not JSON.") from None


def _no_constant(text: str) -> None:
    raise ValueError(text)


def read_params(value: Any) -> Params:
    """Raises Problem BAD_REQUEST with what is wrong."""
    if isinstance(value, list):
        raise Problem("BATCHING_NOT_SUPPORTED", "Send one operation for each request.")
    if not isinstance(value, dict):
        raise Problem("BAD_REQUEST", "The body must be a JSON object.")
    query = value.get("query")
    if not isinstance(query, str) or not query:
        raise Problem("BAD_REQUEST", "`query` must be a string.")
    variables = value.get("variables")
    if variables is not None and not isinstance(variables, dict):
        raise Problem("BAD_REQUEST", "`variables` must be an object.")
    operation_name = value.get("operationName")
    if operation_name is not None and not isinstance(operation_name, str):
        raise Problem("BAD_REQUEST", "`operationName` must be a string.")
    extensions = value.get("extensions")
    if extensions is not None and not isinstance(extensions, dict):
        raise Problem("BAD_REQUEST", "`extensions` must be an object.")
    return Params(query, variables, operation_name, extensions)
