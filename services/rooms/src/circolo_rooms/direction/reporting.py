"""Reporting a player: the chat as the reporter reads it and the game as all see it are frozen, then it is filed."""

from __future__ import annotations

import asyncio
import hashlib

import msgspec
from circolo_contracts.direction import (
    FROZEN_MESSAGES,
    MAX_NOTE,
    REPORTS_IN_WINDOW,
    REPORTS_WINDOW_MS,
    FrozenLine,
    ReportPlayer,
)
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import PlayerId, id_of, player_stream, report_stream, stream_of
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.talk import MessagePosted
from circolo_contracts.wire import Answer, Ask, Command, Refused, Seen
from circolo_events import canonical
from circolo_events.clock import Clock
from circolo_events.decider import Rejection
from circolo_events.reaction import SendsCommands
from circolo_events.runtime import Runtime
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ..errands import UNDECIDED, Handler, instead, reading
from ..player import PlayerState
from ..salted import digest, new_salt
from ..state import RoomState
from ..talk.speaking import Talk
from ..talk.wording import wording
from .commands import FileReport
from .frozen import Frozen, Snapshot
from .report import ReportState


class Position(Struct, frozen=True):
    """The public view of a game. All empty: there is none."""

    game_id: str = ""
    version: int = 0
    view: str = ""


class Reporting:
    """``games`` asks the services that have the games."""

    def __init__(self, runtime: Runtime, talk: Talk, frozen: Frozen, games: SendsCommands, clock: Clock) -> None:
        self.runtime = runtime
        self.talk = talk
        self.frozen = frozen
        self.games = games
        self.clock = clock

    def handlers(self) -> dict[str, Handler]:
        return {"ReportPlayer": reading(ReportPlayer, ("room",), self.report)}

    async def report(self, stream: str, command: Command, wish: ReportPlayer) -> Answer:
        """The report's id is the command's. What the first attempt froze is what is filed, however often it comes."""
        if command.actor.kind != "player":
            return Refused(RefusalCode.NOT_ALLOWED)
        note = wording(wish.note, MAX_NOTE, "note") if wish.note else ""
        if isinstance(note, Rejection):
            return Refused(note.code, field=note.field)
        filed: ReportState = await self.runtime.state(report_stream(command.id))
        kept = await self.frozen.first(command.id)
        if filed.version == 0 and kept is None:
            answer = await self._freeze(stream, command, wish, note)
            if answer is not None:
                return answer
            kept = await self.frozen.first(command.id)
        return await self._file(command, note, kept, filed)

    async def _file(self, command: Command, note: str, kept: tuple[bytes, str] | None, filed: ReportState) -> Answer:
        if kept is None:
            return Refused(RefusalCode.UNAVAILABLE)
        order, first_note = kept
        if first_note != note and not (filed.version and not first_note):
            return Refused(RefusalCode.KEY_REUSED)
        file = msgspec.json.decode(order, type=FileReport)
        answer = await self.runtime.execute(report_stream(command.id), instead(command, file))
        if isinstance(answer, Refused) and answer.code not in UNDECIDED:
            await self.frozen.discard(command.id)
        return answer

    async def _freeze(self, stream: str, command: Command, wish: ReportPlayer, note: str) -> Refused | None:
        """None: it is frozen."""
        reporter, room_id = command.actor.id, id_of(stream)
        room, player = await asyncio.gather(
            self.runtime.state(stream), self.runtime.state(player_stream(PlayerId(reporter)))
        )
        heard = await self.talk.lately(room_id, reporter, FROZEN_MESSAGES)
        problem = _problem(room, player, wish, {event.player for event in heard})
        if problem is not None:
            return problem
        since = self.clock.now() - REPORTS_WINDOW_MS
        if await self.frozen.made_since(reporter, since) >= REPORTS_IN_WINDOW:
            return Refused(RefusalCode.RATE_LIMITED)
        position = await self._position(room)
        if position is None:
            return Refused(RefusalCode.UNAVAILABLE)
        salt = new_salt()
        order = FileReport(
            messages=[_line(event) for event in heard], player=wish.player, reason=wish.reason, room=room_id,
            note_digest=digest(salt, note) if note else UNSET,
        )  # fmt: skip
        if position.game_id:
            seen = hashlib.sha256(position.view.encode()).hexdigest()
            order = replace(order, game_id=position.game_id, game_version=position.version, position_digest=seen)
        snapshot = Snapshot(
            report=command.id, reporter=reporter, player=wish.player, room=room_id, reason=wish.reason,
            frozen=canonical.encode(order), messages=[event.message_id for event in heard], note=note,
            note_salt=salt, position=position.view, filed_at=self.clock.now(),
        )  # fmt: skip
        await self.frozen.keep(snapshot)
        return None

    async def _position(self, room: RoomState) -> Position | None:
        """Of the running game or the last one, as everybody sees it; None when its service does not answer."""
        game = CATALOGUE.get(room.latest_game)
        if not room.game_id or game is None:
            return Position()
        answer = await self.games.send(game.service, stream_of(game.stream_kind, room.game_id), Ask())
        if isinstance(answer, Seen):
            return Position(room.game_id, answer.version, bytes(answer.view).decode())
        unknown = isinstance(answer, Refused) and answer.code is RefusalCode.NOT_FOUND
        return Position() if unknown else None


def _line(event: MessagePosted) -> FrozenLine:
    return FrozenLine(
        at=event.at, channel=event.channel, digest=event.digest, message_id=event.message_id, player=event.player
    )


def _problem(room: RoomState, reporter: PlayerState, wish: ReportPlayer, heard: set[str]) -> Refused | None:
    """Only who is there reports, and only somebody who is there, sits there, or said something that is frozen."""
    code: RefusalCode | None = None
    field: str | UnsetType = UNSET
    if not room.version:
        code = RefusalCode.NOT_FOUND
    elif not reporter.is_here:
        code = RefusalCode.UNAUTHENTICATED
    elif room.member(reporter.player) is None and room.seat_of(reporter.player) is None:
        code = RefusalCode.NOT_IN_ROOM
    elif wish.player == reporter.player:
        code, field = RefusalCode.NOT_ALLOWED, "player"
    elif room.member(wish.player) is None and room.seat_of(wish.player) is None and wish.player not in heard:
        code, field = RefusalCode.NOT_IN_ROOM, "player"
    return None if code is None else Refused(code, current_version=room.version, field=field)
