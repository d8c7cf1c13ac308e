"""The bytes of NATS: whatever portions they come in, the messages are the same, and the same as nats-py reads."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from circolo_events.protocol import Reader, header_block, headers_of, is_subject, publication, publication_with
from hypothesis import given
from hypothesis import strategies as st
from nats.aio.client import Client
from nats.errors import ProtocolError
from nats.protocol.parser import Parser

OURS = (b"1", b"17")
WORD = st.text("abcXYZ0189_-$>*", min_size=1, max_size=12)
SUBJECT = st.lists(WORD, min_size=1, max_size=4).map(".".join)
PAYLOAD = st.one_of(
    st.binary(max_size=40),
    st.sampled_from([b"", b"\r\n", b"MSG a 1 2\r\nhi\r\n", b"PING\r\n" * 3, b"\n" * 5, b"x" * 5000]),
)
HEADERS = st.dictionaries(WORD, st.text("abc è:=,-", max_size=10).map(str.strip), max_size=3)


def message(sid: bytes, subject: str, reply: str, payload: bytes, headers: bytes = b"") -> bytes:
    words = [b"HMSG" if headers else b"MSG", subject.encode(), sid]
    if reply:
        words.append(reply.encode())
    if headers:
        words.append(b"%d" % len(headers))
    words.append(b"%d" % (len(headers) + len(payload)))
    return b" ".join(words) + b"\r\n" + headers + payload + b"\r\n"


MESSAGE = st.builds(
    message, st.sampled_from([*OURS, b"2", b"171"]), SUBJECT, st.one_of(st.just(""), SUBJECT), PAYLOAD,
    st.one_of(st.just(b""), HEADERS.map(header_block), st.just(b"NATS/1.0 503\r\n\r\n")),
)  # fmt: skip
CONTROL = st.sampled_from([b"PING\r\n", b"PONG\r\n", b"+OK\r\n", b"-ERR 'slow consumer'\r\n", b'INFO {"port":1}\r\n'])
SEQUENCE = st.lists(st.one_of(MESSAGE, CONTROL), max_size=12)


class Heard:
    """A reader with two subscriptions of ours, and all that it told."""

    def __init__(self) -> None:
        self.messages: list[tuple[bytes, ...]] = []
        self.rest = bytearray()
        deliveries = {sid: lambda *told, sid=sid: self.messages.append((sid, *told)) for sid in OURS}
        self.reader = Reader(deliveries, self.rest.extend)


def read(portions: list[bytes]) -> Heard:
    heard = Heard()
    for portion in portions:
        heard.reader.feed(portion)
    return heard


class Session:
    """What nats-py's parser calls."""

    def __init__(self) -> None:
        self.messages: list[tuple[Any, ...]] = []
        self.other: list[Any] = []

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes | None) -> None:
        self.messages.append((b"%d" % sid, subject, reply, headers or b"", data))

    async def _process_ping(self) -> None:
        self.other.append("PING")

    async def _process_pong(self) -> None:
        self.other.append("PONG")

    async def _process_err(self, text: str) -> None:
        self.other.append(text)

    async def _process_info(self, info: dict[str, Any]) -> None:
        self.other.append(info)


def read_by_nats_py(data: bytes) -> Session:
    session = Session()
    asyncio.run(Parser(session).parse(data))
    return session


@given(SEQUENCE, st.data())
def test_messages_are_the_same_in_whatever_portions_they_come(sequence: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(sequence)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=30)))
    portions = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    at_once, in_portions = read([whole]), read(portions)
    assert in_portions.messages == at_once.messages
    assert in_portions.rest == at_once.rest


@given(SEQUENCE)
def test_a_message_is_what_nats_py_reads_and_the_rest_is_left_to_it_as_it_came(sequence: list[bytes]) -> None:
    heard = read([b"".join(sequence)])
    expected = read_by_nats_py(b"".join(sequence))
    assert heard.messages == [message for message in expected.messages if message[0] in OURS]
    left = read_by_nats_py(bytes(heard.rest))
    assert left.messages == [message for message in expected.messages if message[0] not in OURS]
    assert left.other == expected.other


def test_byte_by_byte_is_a_portion_too() -> None:
    whole = (
        message(b"1", "a.b", "r", b"pay\r\nload", header_block({"x": "1"})) + b"PING\r\n" + message(b"17", "c", "", b"")
    )
    heard = read([whole[i : i + 1] for i in range(len(whole))])
    assert heard.messages == [
        (b"1", b"a.b", b"r", b"NATS/1.0\r\nx: 1\r\n\r\n", b"pay\r\nload"),
        (b"17", b"c", b"", b"", b""),
    ]
    assert heard.rest == b"PING\r\n"


@given(HEADERS)
def test_headers_arrive_as_they_were_given(headers: dict[str, str]) -> None:
    assert headers_of(header_block(headers)) == headers


@pytest.mark.parametrize(
    "block",
    [
        b"NATS/1.0 503\r\n\r\n",
        b"NATS/1.0 404 No Messages\r\n\r\n",
        b"NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 1016\r\nNats-Last-Stream: 1024\r\n\r\n",
        b"NATS/1.0\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\nbaggage:a=b:c\r\n\r\n",
        "NATS/1.0\r\nnome: perché\r\n\r\n".encode(),
    ],
)
def test_headers_and_status_lines_are_read_as_nats_py_reads_them(block: bytes) -> None:
    assert headers_of(block) == asyncio.run(Client()._process_headers(block))


@given(SUBJECT, st.one_of(st.just(""), SUBJECT), PAYLOAD, HEADERS)
def test_a_server_would_pass_on_what_was_published(
    subject: str, reply: str, payload: bytes, headers: dict[str, str]
) -> None:
    """PUB and MSG differ by the first word and the subscription's number only."""
    for line, block in (
        (publication(subject, reply, payload), b""),
        (publication_with(headers, subject, reply, payload), header_block(headers)),
    ):
        command, _, body = line.partition(b"\r\n")
        kind, name, *sizes = command.split()
        passed_on = b" ".join([kind.replace(b"PUB", b"MSG"), name, b"1", *sizes]) + b"\r\n" + body
        assert read([passed_on]).messages == [(b"1", subject.encode(), reply.encode(), block, payload)]


@pytest.mark.parametrize("text", ["", "a b", "a\r\nPUB b 0", "a\tb", "a\x00", "a\u2028b"])
def test_a_subject_that_would_end_a_line_is_none(text: str) -> None:
    assert not is_subject(text)


@pytest.mark.parametrize(
    ("name", "value"), [("a b", ""), ("a:b", ""), ("", "x"), ("è", "x"), ("a", "x\r\nb: y"), ("a", "\n")]
)
def test_a_header_that_would_become_another_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="not a header"):
        header_block({name: value})


@pytest.mark.parametrize(
    "line",
    [
        b"MSG a 1\r\n", b"MSG a 1 b c 3\r\n", b"MSG a 1 x\r\n", b"MSG a 1 -5\r\n", b"HMSG a 1 9 5\r\n", b"HMSG 1\r\n",
        b"HMSG a 1 x 5\r\n", b"HMSG a 1 -1 5\r\n",
    ],
)  # fmt: skip
def test_what_no_server_says_ends_the_connection(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        read([line])


def test_a_line_without_an_end_is_not_collected_for_ever() -> None:
    with pytest.raises(ProtocolError):
        read([b"INFO " + b"x" * 400_000] * 3)


def test_a_large_message_in_many_portions_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else reading it would cost the square of its length."""
    looks = 0
    take = Reader._take

    def counted(self: Reader, data: bytes) -> int:
        nonlocal looks
        looks += 1
        return take(self, data)

    monkeypatch.setattr(Reader, "_take", counted)
    whole = message(b"1", "large", "", b"x" * 1_000_000)
    heard = read([whole[i : i + 1000] for i in range(0, len(whole), 1000)])
    assert len(heard.messages) == 1
    assert looks == 2
