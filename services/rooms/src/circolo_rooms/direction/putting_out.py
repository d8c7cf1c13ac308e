"""Who is banned or erased leaves his rooms: the ranked ones, or all of them."""

from __future__ import annotations

from circolo_contracts.ids import RoomId, id_of, room_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Command, Refused
from circolo_events.runtime import Runtime

from ..errands import NOTHING_STORED, UNDECIDED, Handler, errand, reading
from .commands import PutOut, ShowOut
from .register import Register

REGISTER_SECONDS = 3.0
"""How long to wait for the list of rooms; then the reaction comes again."""


class PuttingOut:
    def __init__(self, runtime: Runtime, register: Register) -> None:
        self.runtime = runtime
        self.register = register

    def handlers(self) -> dict[str, Handler]:
        return {"PutOut": reading(PutOut, ("player",), self.put_out)}

    async def put_out(self, stream: str, command: Command, order: PutOut) -> Answer:
        """The register must have read everything that was committed before this was asked for: whoever enters later is
        looked at on entering."""
        if command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        try:
            await self.register.subscription.caught_up(REGISTER_SECONDS)
        except TimeoutError:
            return Refused(RefusalCode.UNAVAILABLE)
        player = id_of(stream)
        for room in await self.register.rooms_of(player):
            show = errand(command.id, ShowOut(player=player, ranked_only=order.ranked_only))
            answer = await self.runtime.execute(room_stream(RoomId(room)), show)
            if isinstance(answer, Refused) and answer.code in UNDECIDED:
                return answer
        return NOTHING_STORED
