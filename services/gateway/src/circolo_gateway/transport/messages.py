"""The messages of graphql-transport-ws: what a client may say, and our frames. No I/O."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from .errors import Problem, encode
from .params import Params, read_json, read_params

PROTOCOL = "graphql-transport-ws"

# Close codes of the protocol, and ours
NORMAL = 1000
RESTART = 1012
BAD_MESSAGE = 4400
UNAUTHORIZED = 4401
FORBIDDEN = 4403
SUBPROTOCOL_NOT_ACCEPTABLE = 4406
INIT_TIMEOUT = 4408
SUBSCRIBER_EXISTS = 4409
TOO_SLOW = 4413
"""Ours: the client does not read, and more waits for it than a socket may hold. Reconnect with ``after``."""
TOO_MANY_INITS = 4429

MOST_ID_LENGTH = 256


class Init(Struct, frozen=True):
    payload: dict[str, Any] | None


class Ping(Struct, frozen=True):
    payload: dict[str, Any] | None


class Pong(Struct, frozen=True):
    pass


class Subscribe(Struct, frozen=True, rename={"params": "payload"}):
    """Made of a client's JSON as it is; whatever does not fit is read by hand, which says what is wrong."""

    id: str
    params: Params
    type: Literal["subscribe"]
    """No tag, which may be left out."""


class Complete(Struct, frozen=True):
    id: str


class Malformed(Exception):
    """Closes the socket with 4400; the text is the close reason (at most 123 bytes)."""


_subscribe = Decoder(Subscribe).decode


def read_message(text: str | None) -> Init | Ping | Pong | Subscribe | Complete:
    """Raises Malformed. ``None`` stands for a binary message, which the protocol does not have."""
    if text is None:
        raise Malformed("Binary messages are not part of the protocol")
    try:
        usual = _subscribe(text)
        if usual.params.query and 0 < len(usual.id) <= MOST_ID_LENGTH:
            return usual
    except (DecodeError, UnicodeEncodeError, RecursionError):
        pass  # another message, or one that is not as it must be
    try:
        value = read_json(text)
    except Problem:
        raise Malformed("Invalid JSON") from None
    if not isinstance(value, dict):
        raise Malformed("A message is a JSON object")
    kind = value.get("type")
    if kind == "subscribe":
        return Subscribe(_id(value), _params(value), "subscribe")
    if kind == "complete":
        return Complete(_id(value))
    if kind in ("ping", "pong", "connection_init"):
        payload = value.get("payload")
        if payload is not None and not isinstance(payload, dict):
            raise Malformed(f"The payload of {kind} is an object")
        if kind == "pong":
            return Pong()
        return Ping(payload) if kind == "ping" else Init(payload)
    raise Malformed("Unknown message type")


def _id(value: dict[str, Any]) -> str:
    found = value.get("id")
    if not isinstance(found, str) or not found:
        raise Malformed("The id is a string that is not empty")
    if len(found) > MOST_ID_LENGTH or not _is_unicode(found):
        raise Malformed(f"The id has at most {MOST_ID_LENGTH} characters")
    return found


def _params(value: dict[str, Any]) -> Params:
    payload = value.get("payload")
    if not isinstance(payload, dict):
        raise Malformed("subscribe has a payload")
    try:
        return read_params(payload)
    except Problem as problem:
        raise Malformed(problem.message) from None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# ---------------------------------------------------------------- what we say

ACK = b'{"type":"connection_ack"}'


def pong(payload: dict[str, Any] | None) -> bytes:
    return b'{"type":"pong"}' if payload is None else encode({"type": "pong", "payload": payload})


def quoted(identity: str) -> bytes:
    """An operation's id as it stands in all its frames."""
    return encode(identity)


def next_frame(quoted_id: bytes, payload: bytes) -> bytes:
    return b'{"id":%b,"type":"next","payload":%b}' % (quoted_id, payload)


def error_frame(quoted_id: bytes, errors: list[dict[str, Any]] | tuple[dict[str, Any], ...]) -> bytes:
    return b'{"id":%b,"type":"error","payload":%b}' % (quoted_id, encode(errors))


def complete_frame(quoted_id: bytes) -> bytes:
    return b'{"id":%b,"type":"complete"}' % quoted_id
