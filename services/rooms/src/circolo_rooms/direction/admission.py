"""At the door of ranked tables: nobody sits down there while a ban of his lasts. Watching is not forbidden."""

from __future__ import annotations

from circolo_contracts.ids import PlayerId, player_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.rooms import AssignTeam, TakeSeat
from circolo_contracts.wire import Answer, Command, Refused
from circolo_events.clock import Clock
from circolo_events.runtime import Runtime

from ..errands import Handler, reading
from ..player import PlayerState
from ..state import RoomState


class Admission:
    def __init__(self, runtime: Runtime, clock: Clock) -> None:
        self.runtime = runtime
        self.clock = clock

    def handlers(self) -> dict[str, Handler]:
        return {
            "AssignTeam": reading(AssignTeam, ("room",), self.assign_team),
            "TakeSeat": reading(TakeSeat, ("room",), self.take_seat),
        }

    async def take_seat(self, stream: str, command: Command, _wish: TakeSeat) -> Answer:
        return await self._unless_banned(stream, command, command.actor.id)

    async def assign_team(self, stream: str, command: Command, wish: AssignTeam) -> Answer:
        return await self._unless_banned(stream, command, wish.player)

    async def _unless_banned(self, stream: str, command: Command, player: str) -> Answer:
        if await self.refuses(stream, player, command.id):
            return Refused(RefusalCode.BANNED)
        return await self.runtime.execute(stream, command)

    async def refuses(self, stream: str, player: str, command_id: str) -> bool:
        """Whether this room keeps him from its seats now. What was done before the ban is answered as it was then."""
        if not await self.is_ranked(stream) or not await self.is_banned(player):
            return False
        return await self.runtime.store.find_command(stream, command_id) is None

    async def is_ranked(self, stream: str) -> bool:
        """A room is ranked or not for ever, so that what is at hand will do."""
        room: RoomState | None = self.runtime.cached(stream)
        if room is None or not room.version:
            room = await self.runtime.state(stream)
        return room is not None and room.ranked

    async def is_banned(self, player: str) -> bool:
        state: PlayerState = await self.runtime.state(player_stream(PlayerId(player)))
        return state.is_banned(self.clock.now())
