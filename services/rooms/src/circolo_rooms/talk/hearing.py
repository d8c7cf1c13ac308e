"""What chats hear of a match whose events do not say which room they are of: looked up by the match's first event."""

from __future__ import annotations

from collections import OrderedDict

from circolo_contracts.cardgames import MatchStarted
from circolo_contracts.ids import RoomId, chat_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Answer, Command, Refused
from circolo_events.runtime import Runtime
from circolo_events.store import Store
from msgspec import Struct

from ..errands import NOTHING_STORED, ROOMS, Handler, instead, reading
from .commands import FreeTalk, HearMatch, HushTalk
from .silence import HEARD, begins_silent

REMEMBERED_MATCHES = 1_024


class Hearing:
    """``matches`` reads the log of the service that has the matches."""

    def __init__(self, runtime: Runtime, matches: Store) -> None:
        self.runtime = runtime
        self.matches = matches
        self._known: OrderedDict[str, MatchStarted | None] = OrderedDict()

    def handlers(self) -> dict[str, Handler]:
        return {"HearMatch": reading(HearMatch, ("match",), self.heard)}

    async def heard(self, stream: str, command: Command, news: HearMatch) -> Answer:
        if command.actor.kind != "service":
            return Refused(RefusalCode.NOT_ALLOWED)
        match = await self._silent_match(stream)
        if match is None:
            return NOTHING_STORED
        order: Struct = FreeTalk(game_id=match.game_id)
        if news.silent:
            order = HushTalk(game_id=match.game_id, game_no=match.game_no)
        return await self.runtime.execute(chat_stream(RoomId(match.room)), instead(command, order, actor=ROOMS))

    async def _silent_match(self, stream: str) -> MatchStarted | None:
        """Its first event, if its deals begin silent. That never changes, so the last few are remembered."""
        if stream not in self._known:
            [events] = await self.matches.read_streams([stream], [0], 1)
            first = events[0] if events else None
            match = None
            if first is not None and first.type == MatchStarted.__name__:
                started = HEARD.decode(first.type, first.schema_v, first.data)
                assert isinstance(started, MatchStarted)
                match = started if begins_silent(started.game, started.settings) else None
            self._known[stream] = match
            if len(self._known) > REMEMBERED_MATCHES:
                self._known.popitem(last=False)
        return self._known[stream]
