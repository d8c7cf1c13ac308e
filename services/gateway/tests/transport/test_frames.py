"""What a client sends is heard the same, however its bytes are cut: our reader of frames against the library's."""

from __future__ import annotations

import asyncio
import random
import struct
from collections.abc import Sequence
from typing import Any

import pytest
import uvicorn
from circolo_gateway.transport.frames import Unusual, read_frame
from circolo_gateway.transport.server import DirectWebSocket
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

MOST = 3_000
HANDSHAKE = (
    b"GET /graphql HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Peer(asyncio.Transport):
    """The other end: what was written to it, and whether it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closing = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def close(self) -> None:
        self.closing = True

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def heard(pieces: Sequence[bytes], *, by_the_library: bool) -> tuple[list[str | None], bytes, bool]:
    """What the application hears of these pieces, what is answered, and whether the connection is closed."""
    said: list[str | None] = []
    over = asyncio.Event()

    async def app(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await over.wait()

    config = uvicorn.Config(app, ws_max_size=MOST, ws_per_message_deflate=False, log_config=None)  # type: ignore[arg-type]
    config.load()
    socket, peer = DirectWebSocket(config, ServerState(), {}), Peer()
    socket.connection_made(peer)
    socket.data_received(HANDSHAKE)
    async with asyncio.timeout(2):
        while b"101" not in peer.written:
            await asyncio.sleep(0)
    peer.written = b""
    socket.heard = said.append
    socket._reads_frames = not by_the_library
    for piece in pieces:
        if not peer.closing:
            socket.data_received(piece)
    answered, closing = peer.written, peer.closing
    over.set()
    socket.connection_lost(None)
    await asyncio.gather(*socket.tasks)
    return said, answered, closing


def text(rng: random.Random) -> bytes:
    length = rng.choice([0, 1, 5, 125, 126, 127, 300, MOST - 1, MOST])
    return "".join(rng.choice("abcdèé{}😀") for _ in range(length)).encode()[:length].decode(errors="ignore").encode()


def ordinary(rng: random.Random) -> bytes:
    kind = rng.choice([Opcode.TEXT] * 8 + [Opcode.PING, Opcode.PONG])
    return Frame(kind, text(rng) if kind is Opcode.TEXT else text(rng)[:125]).serialize(mask=True)


def unusual(rng: random.Random) -> bytes:
    """Allowed all the same."""
    match rng.randrange(3):
        case 0:
            return Frame(Opcode.BINARY, text(rng)).serialize(mask=True)
        case 1:
            first, rest = (
                Frame(Opcode.TEXT, "più".encode()[:3], fin=False),
                Frame(Opcode.CONT, "ù".encode()[1:] + b" and more"),
            )
            ping = Frame(Opcode.PING, b"between")
            return b"".join(each.serialize(mask=True) for each in (first, ping, rest))
        case _:
            return bytes([0x81, 0xFE, 0, 5]) + b"mask" + b"LHNP\x0c"  # five in a length for more


def last(rng: random.Random) -> bytes:
    """Ends the connection."""
    match rng.randrange(7):
        case 0:
            return Frame(Opcode.TEXT, text(rng) + b"\xff").serialize(mask=True)
        case 1:
            return Frame(Opcode.TEXT, b"x" * (MOST + 1)).serialize(mask=True)
        case 2:
            return Frame(Opcode.TEXT, text(rng)).serialize(mask=False)
        case 3:
            return Frame(Opcode.CLOSE, struct.pack("!H", 1000) + b"bye").serialize(mask=True)
        case 4:
            return b"\xc1" + Frame(Opcode.TEXT, text(rng)).serialize(mask=True)[1:]  # a reserved bit
        case 5:
            return b"\x81\xff" + (2**63 - 1).to_bytes(8, "big") + b"mask"
        case _:
            return b"\x8a\xfe\0\x7e" + b"mask" + bytes(126)  # a long pong


def cut(rng: random.Random, data: bytes) -> list[bytes]:
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice([0, 1, 3, 20])))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True) if begin < end]


@pytest.mark.parametrize("seed", range(300))
async def test_what_is_heard_and_answered_is_what_the_library_makes_of_the_same_frames(seed: int) -> None:
    rng = random.Random(seed)
    kinds = [ordinary, ordinary, unusual] if seed % 2 else [ordinary]
    frames = [rng.choice(kinds)(rng) for _ in range(rng.randrange(1, 8))]
    if not seed % 2:  # what the library read together with an error it forgets: so there it has read none
        frames.append(last(rng))
    ours = await heard(cut(rng, b"".join(frames)), by_the_library=False)
    assert ours == await heard(frames, by_the_library=True)
    assert ours[2] is not bool(seed % 2)


async def test_bad_text_that_comes_with_the_end_is_no_fault_of_ours() -> None:
    pieces = [Frame(Opcode.BINARY, b"").serialize(mask=True), last_words()]
    said, answered, _ = await heard(pieces, by_the_library=False)
    assert (said, answered[:1]) == ([None], b"\x88")


def last_words() -> bytes:
    return Frame(Opcode.TEXT, b"\xff").serialize(mask=True) + Frame(Opcode.CLOSE, b"").serialize(mask=True)


async def test_a_text_is_heard_though_each_of_its_bytes_comes_alone() -> None:
    data = b"".join(Frame(Opcode.TEXT, text).serialize(mask=True) for text in (b"ciao", b"", b"a" * 200))
    said, answered, closing = await heard([data[at : at + 1] for at in range(len(data))], by_the_library=False)
    assert (said, answered, closing) == (["ciao", "", "a" * 200], b"", False)


def test_what_is_not_ordinary_is_not_read() -> None:
    assert read_frame(b"", 0, 10) == (0, Unusual.INCOMPLETE)
    assert read_frame(b"..\x81\x85mask1", 2, 10) == (2, Unusual.INCOMPLETE)
    assert read_frame(b"\x81\x85\0\0\0\0ciao!", 0, 10) == (11, b"ciao!")
    assert read_frame(b"\x81\x85\0\0\0\0ciao!", 0, 4) == (0, Unusual.OTHER), "too long"
    assert read_frame(b"\x81\x05ciao!", 0, 10) == (0, Unusual.OTHER), "not masked"
    assert read_frame(b"\x8a\x80\0\0\0\0", 0, 10) == (6, Unusual.CONTROL)
    assert read_frame(b"\x8a\xfe\0\x7e\0\0\0\0", 0, 1000) == (0, Unusual.OTHER), "a control frame that is too long"
