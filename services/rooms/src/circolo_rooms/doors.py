"""Opening a room with a code of its own, finding it by that code, and giving the code back."""

from __future__ import annotations

import os
import uuid

from circolo_contracts.codes import ClaimCode, ReleaseCode, ReserveCode
from circolo_contracts.ids import RoomCode, RoomId, code_stream, id_of, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import CreateRoom, JoinRoom
from circolo_contracts.wire import Answer, Ask, Command, Done, Refused
from circolo_events.clock import Clock
from circolo_events.deadlines import Fired, fired
from circolo_events.decider import Rejection
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from msgspec.structs import replace

from .code import UNCLAIMED_MS, CodeState, code_from
from .commands import EnterRoom, ExpireRoom, OpenRoom
from .direction.admission import Admission
from .errands import ROOMS, UNDECIDED, Handler, errand, instead, reading
from .presence import Presence
from .state import RoomState
from .tables import settle

CODE_TRIES = 8
"""Codes drawn before a club with nearly a billion codes gives up."""
CODE_HOLDS_MS = UNCLAIMED_MS // 2
"""How long after its reservation a code may still open a room: well before it can be somebody else's."""


class Doors:
    def __init__(self, runtime: Runtime, store: Store, clock: Clock, presence: Presence, admission: Admission) -> None:
        self.runtime = runtime
        self.store = store
        self.clock = clock
        self.presence = presence
        self.admission = admission

    def handlers(self) -> dict[str, Handler]:
        return {
            "CreateRoom": reading(CreateRoom, ("room",), self.create),
            "JoinRoom": reading(JoinRoom, ("code",), self.join),
        }

    async def create(self, stream: str, command: Command, wish: CreateRoom) -> Answer:
        """First a code, then the room. A reservation that is left over when we die is released by its deadline."""
        if command.actor.kind != "player":
            return Refused(RefusalCode.NOT_ALLOWED)
        state: RoomState = await self.runtime.state(stream)
        if state.version:
            # The store knows whether it was this command, and what was answered.
            return await self._open(stream, command, wish, state.code, 0)
        settings = settle(wish.game, wish.settings, ranked=wish.ranked)
        if isinstance(settings, Rejection):
            return Refused(settings.code, field=settings.field)
        if wish.ranked and await self.admission.is_banned(command.actor.id):
            return Refused(RefusalCode.BANNED)
        for _ in range(CODE_TRIES):
            code = code_from(os.urandom(32))
            if code is None:
                continue
            until = self.clock.now() + CODE_HOLDS_MS
            reserve = replace(instead(command, ReserveCode(id_of(stream)), actor=ROOMS), digest="")
            answer = await self.runtime.execute(code_stream(code), reserve)
            if isinstance(answer, Done):
                opened = await self._open(stream, command, wish, code, until)
                await self._give_back(stream, code, opened)
                return opened
            if not isinstance(answer, Refused) or answer.code is not RefusalCode.NOT_ALLOWED:
                return answer
        return Refused(RefusalCode.UNAVAILABLE)

    async def _open(self, stream: str, command: Command, wish: CreateRoom, code: str, until: int) -> Answer:
        opened = OpenRoom(
            code=code, code_until=until, game=wish.game, settings=wish.settings, visibility=wish.visibility,
            ranked=wish.ranked,
        )  # fmt: skip
        return await self.runtime.execute(stream, instead(command, opened))

    async def _give_back(self, stream: str, code: str, opened: Answer) -> None:
        """Another attempt of the same command opened the room with another code, or it was refused after all."""
        if (isinstance(opened, Refused) and opened.code in UNDECIDED) or (
            isinstance(opened, Done) and not opened.replayed
        ):
            return
        state: RoomState = await self.runtime.state(stream)
        if state.code != code:
            release = errand(uuid.uuid4().hex, ReleaseCode(id_of(stream)))
            await self.runtime.execute(code_stream(RoomCode(code)), release)

    async def join(self, stream: str, command: Command, wish: JoinRoom) -> Answer:
        """By the code's stream, never by a read model: a room can be joined as soon as it is answered."""
        room = await self._room_behind(stream, command.id)
        if room is None:
            return Refused(RefusalCode.NOT_FOUND)
        if not wish.watch and await self.admission.refuses(room, command.actor.id, command.id):
            return Refused(RefusalCode.BANNED)
        answer = await self.runtime.execute(room, instead(command, EnterRoom(watch=wish.watch)))
        if isinstance(answer, Done):
            await self.presence.welcome(room, command.actor.id)
        return answer

    async def _room_behind(self, stream: str, command_id: str) -> str | None:
        """The room's stream; an earlier room of this code if that very command joined it then."""
        code: CodeState = await self.runtime.state(stream)
        for earlier in code.earlier:
            if await self.store.find_command(room_stream(RoomId(earlier)), command_id) is not None:
                return room_stream(RoomId(earlier))
        return room_stream(RoomId(code.room)) if code.room else None

    async def look(self, stream: str, ask: Ask) -> Answer:
        """A question to a code is answered by its room, to whom the room lets look."""
        code: CodeState = await self.runtime.state(stream)
        if not code.room:
            return Refused(RefusalCode.NOT_FOUND)
        return await self.runtime.ask(room_stream(RoomId(code.room)), ask)

    # ------------------------------------------------------------ deadlines

    async def unclaimed(self, stream: str, version: int, command_id: str) -> Fired:
        """An hour after its reservation: the code is its room's, if there is one, or free."""
        code: CodeState = await self.runtime.state(stream)
        if code.unclaimed is None or code.unclaimed.version != version:
            return Fired.NOOP
        room: RoomState = await self.runtime.state(room_stream(RoomId(code.room)))
        lives = room.version > 0 and room.phase != "CLOSED"
        order = ClaimCode(code.room) if lives else ReleaseCode(code.room)
        return fired(await self.runtime.execute(stream, errand(command_id, order)))

    async def expired(self, stream: str, version: int, command_id: str) -> Fired:
        return fired(await self.runtime.execute(stream, errand(command_id, ExpireRoom(version))))
