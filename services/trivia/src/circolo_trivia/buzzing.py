"""A press of the buzzer: the night's one queue decides, and a press that came too early locks its player for a moment.

The press itself is refused, and a refusal stores nothing; so the lock is a command of ours with an id of its own, which
goes first, into the same queue.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.trivia import Buzz
from circolo_contracts.wire import Answer, Command, Refused
from circolo_events import canonical
from circolo_events.clock import Clock
from circolo_events.runtime import Runtime

from .commands import NoteEarlyPress
from .errands import Handler, errand
from .state import TriviaState

_buzz = msgspec.json.Decoder(Buzz)


class Buzzers:
    def __init__(self, runtime: Runtime, clock: Clock) -> None:
        self._runtime = runtime
        self._clock = clock

    def handlers(self) -> dict[str, Handler]:
        return {"Buzz": self.buzz}

    async def buzz(self, stream: str, command: Command, _headers: Mapping[str, str] | None) -> Answer:
        state: TriviaState | None = self._runtime.cached(stream)
        now = self._clock.now()
        at = min(command.at or now, now)
        stamped = msgspec.structs.replace(command, at=at)
        noted = state is not None and state.phase == "BUZZ" and at < state.open_at
        if noted:
            await self._note(stream, stamped)
        answer = await self._runtime.execute(stream, stamped)
        if not noted and isinstance(answer, Refused) and answer.code is RefusalCode.TOO_EARLY:
            await self._note(stream, stamped)
        return answer

    async def _note(self, stream: str, command: Command) -> None:
        """Its answer does not matter: whoever has no business here is refused by the press itself."""
        try:
            question_no = _buzz.decode(command.data).question_no
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
        note = NoteEarlyPress(command.at, command.actor.id, question_no)
        await self._runtime.execute(stream, errand(canonical.reaction_command_id(command.id, "early"), note))
