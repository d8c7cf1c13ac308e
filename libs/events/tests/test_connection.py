"""The client's connection when the server behaves badly: silent, deaf, talking nonsense, gone."""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from circolo_events import connection as connection_module
from circolo_events.bus import BusTimeout, NatsBus
from circolo_events.connection import PENDING_BYTES, BusClient
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

INFO = b'INFO {"server_id":"x","version":"2.10.0","max_payload":1048576,"headers":true,"proto":1}\r\n'
Talk = Callable[["Visit"], Awaitable[None]]


class Visit:
    """One connection to the false server, greeted as a server does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def greet(self) -> None:
        self.writer.write(INFO)
        assert (await self.reader.readline()).startswith(b"CONNECT ")
        assert await self.reader.readline() == b"PING\r\n"
        self.writer.write(b"PONG\r\n")

    async def until(self, word: bytes) -> bytes:
        """Answer pings until a line begins with ``word``; the line."""
        while line := await self.reader.readline():
            if line == b"PING\r\n":
                self.writer.write(b"PONG\r\n")
            if line.startswith(word):
                return line
        raise ConnectionError("the client went away")


@asynccontextmanager
async def false_server(*talks: Talk) -> AsyncIterator[str]:
    """A server whose first visitor gets the first talk, and so on; the last talk serves all later ones."""
    visits: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append(writer)
        visit = Visit(reader, writer)
        try:
            await visit.greet()
            await talks[min(len(visits), len(talks)) - 1](visit)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in visits:
            writer.transport.abort()
        await asyncio.sleep(0.01)


async def stay(visit: Visit) -> None:
    await visit.until(b"never")


async def until(true: Callable[[], bool], seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.005)


async def hang_up(visit: Visit) -> None:
    await visit.until(b"SUB wait")


async def break_off(visit: Visit) -> None:
    await visit.until(b"SUB wait")
    visit.writer.write(b"MSG half 1 100\r\nonly this")
    await visit.writer.drain()


async def talk_nonsense(visit: Visit) -> None:
    await visit.until(b"SUB wait")
    visit.writer.write(b"MSG half 1 many\r\n")
    await stay(visit)


async def say_what_no_server_says(visit: Visit) -> None:
    await visit.until(b"SUB wait")
    visit.writer.write(b"HELLO\r\n")
    await stay(visit)


@pytest.mark.parametrize("ending", [hang_up, break_off, talk_nonsense, say_what_no_server_says])
async def test_a_connection_that_ends_is_made_again_and_its_subscriptions_live_on(ending: Talk) -> None:
    async def send_one(visit: Visit) -> None:
        sid = (await visit.until(b"SUB wait")).split()[-1]
        visit.writer.write(b"MSG wait.a " + sid + b" 2\r\nhi\r\n")
        await stay(visit)

    async with false_server(ending, send_one) as url:
        bus = await NatsBus.connect(url, name="test")
        back: list[bool] = []
        bus.reconnected.append(lambda: back.append(True))
        heard: list[bytes] = []
        await bus.subscribe("wait.*", lambda message: heard.append(message.data))
        await until(lambda: heard == [b"hi"])
        await until(lambda: back == [True])
        await bus.close()


async def test_what_is_said_while_nobody_is_there_is_said_to_the_next_server_in_order() -> None:
    published: list[bytes] = []

    async def collect(visit: Visit) -> None:
        while len(published) < 3:
            published.append(await visit.until(b"PUB"))
        await stay(visit)

    async with false_server(hang_up, collect) as url:
        bus = await NatsBus.connect(url, name="test")
        await bus.subscribe("wait", lambda message: None)
        await until(lambda: not bus.is_connected)
        for n in range(3):
            bus.publish(f"kept.{n}", b"")
            await asyncio.sleep(0)
        await until(lambda: len(published) == 3)
        assert published == [b"PUB kept.%d  0\r\n" % n for n in range(3)]
        assert bus.dropped == 0
        await bus.close()


async def test_a_server_that_does_not_read_gets_a_bounded_amount_and_the_rest_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection_module, "CLOSE_SECONDS", 0.2)

    async def sleep(visit: Visit) -> None:
        visit.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(30)

    async with false_server(sleep) as url:
        bus = await NatsBus.connect(url, name="test")
        for _ in range(60):
            bus.publish("much", b"x" * 1_000_000)
            await asyncio.sleep(0)
        assert bus.dropped > 20
        assert bus.client.wire.unsent <= PENDING_BYTES
        async with asyncio.timeout(2):
            await bus.close()


async def test_the_messages_of_a_tick_are_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    async with false_server(stay) as url:
        bus = await NatsBus.connect(url, name="test")
        writes: list[bytes] = []
        monkeypatch.setattr(bus.client.wire, "write", writes.append)
        for n in range(100):
            bus.publish("view", b"%d" % n, headers={"x": "1"} if n % 10 == 0 else None)
        bus.request_nowait("ask", b"", lambda answer: None, timeout=1)
        await asyncio.sleep(0)
        monkeypatch.undo()
        assert len(writes) == 1
        assert writes[0].count(b"PUB") == 101
        await bus.close()


async def test_a_flush_before_the_server_knows_us_says_nothing_to_it() -> None:
    """A PING ahead of CONNECT would be an authorization violation."""
    lines: list[bytes] = []

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.extend([line] if (line := await reader.readline()) else [])
        writer.close()

    server = await asyncio.start_server(never, "127.0.0.1", 0)
    client = BusClient()
    connecting = asyncio.create_task(
        client.connect(f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}", allow_reconnect=False)
    )
    await until(lambda: client.wire.is_open)
    await client._send_ping()
    await asyncio.sleep(0.05)
    assert lines == []
    connecting.cancel()
    client.wire.close()
    await client.wire.wait_closed()
    server.close()
    await asyncio.sleep(0.01)


def certificate(folder: Path) -> Path:
    """Key and certificate of a server called localhost, for an hour."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "server.pem"
    file.write_bytes(secret + signed.public_bytes(pem))
    return file


async def test_a_server_that_demands_tls_gets_it(tmp_path: Path) -> None:
    file = certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    said: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(INFO.replace(b'"proto"', b'"tls_required":true,"proto"'))
        await writer.start_tls(context)
        said.append((await reader.readline())[:8])
        writer.write(b"PONG\r\nMSG secret 1 3\r\nhi!\r\n")
        while line := await reader.readline():
            said.append(line)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = BusClient()
    heard: list[bytes] = []
    client._deliveries[b"1"] = lambda subject, reply, headers, payload: heard.append(payload)
    await client.connect(
        f"tls://localhost:{server.sockets[0].getsockname()[1]}",
        tls=ssl.create_default_context(cafile=str(file)), allow_reconnect=False,
    )  # fmt: skip
    assert client.send([b"PUB a  0\r\n\r\n"])
    await until(lambda: heard == [b"hi!"] and b"PUB a  0\r\n" in said)
    assert said[0] == b"CONNECT "
    await client.close()
    server.close()
    await asyncio.sleep(0.01)


async def test_a_request_that_is_never_answered_is_given_up_about_when_it_should() -> None:
    async with false_server(stay) as url:
        bus = await NatsBus.connect(url, name="test")
        loop = asyncio.get_running_loop()
        started = loop.time()
        with pytest.raises(BusTimeout):
            await bus.request("ask", b"", timeout=0.2)
        assert 0.2 <= loop.time() - started < 1
        await bus.close()
