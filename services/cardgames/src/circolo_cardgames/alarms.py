"""What happens when a match's deadline comes due: the clock speaks, or a CPU makes its move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec
from circolo_contracts.cardgames import IdleTimeout, TurnTimeout
from circolo_contracts.rooms import CpuLevel
from circolo_contracts.wire import Actor, Answer, Command
from circolo_events import canonical
from circolo_events.deadlines import Fired, Handler, fired
from msgspec import UNSET, Struct

from .cpu import Thinker, declarations
from .match import Match
from .reactions import SERVICE
from .state import MatchState
from .view import sight


class Commands(Protocol):
    """``circolo_events.runtime.Runtime``."""

    async def execute(self, stream: str, command: Command) -> Answer: ...

    async def state(self, stream: str) -> MatchState: ...


class Alarms:
    """Each handler sends one command under the deadline's own id, so that firing twice has one effect."""

    def __init__(self, commands: Commands, match: Match, thinker: Thinker) -> None:
        self._commands = commands
        self._match = match
        self._thinker = thinker

    def handlers(self) -> Mapping[str, Handler]:
        return {"cpu": self.cpu, "idle": self.idle, "turn": self.turn}

    async def turn(self, stream: str, version: int, command_id: str) -> Fired:
        return await self._send(stream, TurnTimeout(version), command_id, Actor("service", SERVICE))

    async def idle(self, stream: str, version: int, command_id: str) -> Fired:
        return await self._send(stream, IdleTimeout(version), command_id, Actor("service", SERVICE))

    async def cpu(self, stream: str, version: int, command_id: str) -> Fired:
        """The CPU on turn is handed its seat's view, as a person's screen would be, and sends the same command."""
        state = await self._commands.state(stream)
        armed = self._match.deadlines(state).get("cpu")
        if armed is None or armed.version != version:
            return Fired.NOOP
        seat = state.turn
        seen, actor = sight(state, seat), Actor("cpu", str(seat))
        move = await self._thinker.choose(seen, _level(state, seat), command_id)
        if move is None:
            return Fired.NOOP
        for number, declaration in enumerate(declarations(seen)):
            announced = canonical.reaction_command_id(command_id, f"declaration-{number}")
            outcome = await self._send(stream, declaration, announced, actor, expected=version)
            if outcome is not Fired.DONE:
                return outcome
        return await self._send(stream, move, command_id, actor, expected=version)

    async def _send(
        self, stream: str, data: Struct, command_id: str, actor: Actor, *, expected: int | None = None
    ) -> Fired:
        command = Command(
            actor=actor, data=msgspec.Raw(canonical.encode(data)), id=command_id, type=type(data).__name__,
            expected=UNSET if expected is None else expected,
        )  # fmt: skip
        return fired(await self._commands.execute(stream, command))


def _level(state: MatchState, seat: int) -> CpuLevel:
    level = state.seats[seat].cpu
    assert level is not UNSET
    return level
