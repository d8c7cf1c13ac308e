"""A service's commands to its own streams, without the way over NATS: its reactions send little else."""

from __future__ import annotations

from circolo_contracts.wire import Answer, Ask, Command

from .reaction import SendsCommands
from .runtime import Runtime
from .waiting import called_back


class LocalClient:
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
        return await called_back(lambda reply: self._runtime.submit(stream, envelope, reply, headers))
