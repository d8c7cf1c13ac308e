"""A TCP proxy of our own that delays what passes through it: a server on the other side of the world."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Each piece arrives ``seconds`` later, in order and without slowing down what follows."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(10_000)

    async def deliver() -> None:
        while True:
            at, data = await waiting.get()
            await asyncio.sleep(max(0.0, at - loop.time()))
            writer.write(data)
            await writer.drain()

    delivering = asyncio.create_task(deliver())
    try:
        while data := await reader.read(65_536):
            await waiting.put((loop.time() + seconds, data))
    finally:
        delivering.cancel()
        writer.close()


@asynccontextmanager
async def delayed(port: int, *, round_trip: float) -> AsyncIterator[int]:
    """The proxy's port on loopback, in front of a loopback server; ``round_trip`` in seconds, half each way."""
    pumps: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
        for source, target in ((reader, there_writer), (there_reader, writer)):
            pumps.add(asyncio.create_task(_pump(source, target, round_trip / 2)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for pump in pumps:
            pump.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*pumps, return_exceptions=True), 5)
