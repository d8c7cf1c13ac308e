"""What happens when a tombola's deadline comes due: the clock calls a number, or ends a game that nobody plays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from circolo_contracts.cardgames import IdleTimeout
from circolo_contracts.tombola import CallNumber
from circolo_contracts.wire import Actor, Answer, Command
from circolo_events import canonical
from circolo_events.deadlines import Fired, Handler, fired
from msgspec import Struct

from .reactions import SERVICE

Move = Callable[[str, Command], Awaitable[Answer]]


class Alarms:
    """Each handler sends one command under the deadline's own id, so that firing twice has one effect."""

    def __init__(self, move: Move) -> None:
        self._move = move

    def handlers(self) -> Mapping[str, Handler]:
        return {"call": self.call, "idle": self.idle}

    async def call(self, stream: str, version: int, command_id: str) -> Fired:
        return await self._send(stream, CallNumber(version), command_id)

    async def idle(self, stream: str, version: int, command_id: str) -> Fired:
        return await self._send(stream, IdleTimeout(version), command_id)

    async def _send(self, stream: str, data: Struct, command_id: str) -> Fired:
        command = Command(
            actor=Actor("service", SERVICE), data=msgspec.Raw(canonical.encode(data)), id=command_id,
            type=type(data).__name__,
        )  # fmt: skip
        return fired(await self._move(stream, command))
