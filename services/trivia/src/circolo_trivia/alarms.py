"""What happens when a night's deadline comes due: a command under the deadline's id, so that twice has one effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from circolo_contracts.cardgames import IdleTimeout
from circolo_contracts.trivia import AwayTimeout, PhaseTimeout
from circolo_contracts.wire import Answer, Command
from circolo_events.deadlines import Fired, Handler, fired
from msgspec import Struct

from .errands import errand


class Commands(Protocol):
    """``circolo_events.runtime.Runtime``."""

    async def execute(self, stream: str, command: Command) -> Answer: ...


class Alarms:
    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "away": self._sending(AwayTimeout),
            "idle": self._sending(IdleTimeout),
            "phase": self._sending(PhaseTimeout),
        }

    def _sending(self, timeout: Callable[[int], Struct]) -> Handler:
        async def handle(stream: str, version: int, command_id: str) -> Fired:
            return fired(await self._commands.execute(stream, errand(command_id, timeout(version))))

        return handle
