"""Core NATS as bytes: the lines of a publication, and a reader that takes apart what a connection brings. No I/O.

The reader hands messages over by the number of their subscription. Whatever is not such a message (PING, INFO, -ERR,
messages of subscriptions that nats-py keeps itself) is passed on whole, as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nats.errors import ProtocolError

Deliver = Callable[[bytes, bytes, bytes, bytes], None]
"""Subject, reply subject (empty: none), block of headers (empty: none), payload. Must return at once and not raise."""

STATUS = "Status"
DESCRIPTION = "Description"
MOST_LINE_BYTES = 1024 * 1024
"""A longer line without an end is no NATS: an INFO with hundreds of servers has some ten thousand bytes."""
_VERSION = "NATS/1.0"


def is_subject(text: str) -> bool:
    """Nothing in it could be taken for the end of a word or of a line."""
    return text.isprintable() and " " not in text and text != ""


def publication(subject: str, reply: str, payload: bytes) -> bytes:
    """``subject`` and ``reply`` (may be empty) must have passed ``is_subject``."""
    return b"".join((f"PUB {subject} {reply} {len(payload)}\r\n".encode(), payload, b"\r\n"))


def publication_with(headers: Mapping[str, str], subject: str, reply: str, payload: bytes) -> bytes:
    """Raises ValueError for a header that would not arrive as it was given."""
    block = header_block(headers)
    sizes = f"{len(block)} {len(block) + len(payload)}"
    return b"".join((f"HPUB {subject} {reply} {sizes}\r\n".encode(), block, payload, b"\r\n"))


def header_block(headers: Mapping[str, str]) -> bytes:
    """Raises ValueError for a name that is no word or a value with a line's end in it."""
    lines = [_VERSION]
    for name, value in headers.items():
        if not (is_subject(name) and name.isascii()) or ":" in name or "\r" in value or "\n" in value:
            raise ValueError(f"not a header of NATS: {name!r}")
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "", ""]).encode()


def headers_of(block: bytes) -> dict[str, str]:
    """A status line (``NATS/1.0 503``) is told as the headers Status and Description."""
    first, *lines = block.decode("utf-8", "replace").split("\r\n")
    headers: dict[str, str] = {}
    status, _, description = first[len(_VERSION) :].strip().partition(" ")
    if status:
        headers[STATUS] = status
    if description:
        headers[DESCRIPTION] = description
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip()] = value.strip()
    return headers


class Reader:
    """One connection's bytes, in any portions."""

    def __init__(self, deliveries: Mapping[bytes, Deliver], pass_on: Callable[[bytes], None]) -> None:
        self._deliveries = deliveries
        self._pass_on = pass_on
        self._rest = bytearray()
        """The beginning of what has not come whole."""
        self._needed = 0
        """How long the rest must be before it is worth looking at again."""

    def feed(self, data: bytes) -> None:
        """Raises ProtocolError for what no server says; the connection is of no use then."""
        if self._rest:
            self._rest += data
            if len(self._rest) < self._needed:
                return
            data = bytes(self._rest)
            self._rest.clear()
        at = self._take(data)
        if at < len(data):
            self._rest += data[at:]

    def _take(self, data: bytes) -> int:
        """Everything that is whole; returns where the rest begins, and notes how much of it is needed."""
        at, size, find, deliveries = 0, len(data), data.find, self._deliveries
        while at < size:
            start = find(b"\n", at) + 1
            if start == 0:
                if size - at > MOST_LINE_BYTES:
                    raise ProtocolError
                self._needed = 0
                break
            words = data[at:start].split(b" ")
            head = start
            if words[0] == b"HMSG":
                head += _number(words.pop(-2))  # what is left is as in MSG
            elif words[0] != b"MSG":
                self._pass_on(data[at:start])
                at = start
                continue
            count = len(words)
            if count not in (4, 5):
                raise ProtocolError
            try:
                last = start + int(words[-1])  # ``int`` minds no line's end
            except ValueError as error:
                raise ProtocolError from error
            if last < head:  # or a negative size
                raise ProtocolError
            if last + 2 > size:
                self._needed = last + 2 - at
                break
            deliver = deliveries.get(words[2])
            if deliver is None:
                self._pass_on(data[at : last + 2])
            else:
                reply = words[3] if count == 5 else b""
                deliver(words[1], reply, data[start:head] if head > start else b"", data[head:last])
            at = last + 2
        return at


def _number(word: bytes) -> int:
    """Of bytes. ``int`` minds no line's end. Raises ProtocolError."""
    try:
        number = int(word)
    except ValueError as error:
        raise ProtocolError from error
    if number < 0:
        raise ProtocolError
    return number
