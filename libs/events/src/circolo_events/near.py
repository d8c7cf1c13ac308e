"""A service's commands to its own streams, without the way over NATS: its reactions send little else."""

from __future__ import annotations

import asyncio

from circolo_contracts.wire import Answer, Ask, Command

from .reaction import SendsCommands
from .runtime import Runtime


class Near:
    """As ``client.CommandClient``, but what is for the runtime's own service is decided in this process.

    Any replica may decide any stream, so nothing changes but the price. UNAVAILABLE is answered at once.
    """

    def __init__(self, runtime: Runtime, client: SendsCommands) -> None:
        self._runtime = runtime
        self._client = client

    async def send(
        self, service: str, stream: str, envelope: Command | Ask, *, headers: dict[str, str] | None = None
    ) -> Answer:
        if service != self._runtime.service:
            return await self._client.send(service, stream, envelope, headers=headers)
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def settle(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        self._runtime.submit(stream, envelope, settle, headers)
        return await future
