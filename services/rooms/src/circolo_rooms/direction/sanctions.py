"""What operators do: read what was reported, warn, mute, ban, dismiss. Each step asks first whether one is an operator,
of the player's own stream and not of his token."""

from __future__ import annotations

import hashlib
import logging

from circolo_contracts.direction import (
    BanPlayer,
    DismissReport,
    FrozenLine,
    FrozenMessage,
    ListReports,
    MutePlayer,
    ReportList,
    ReportView,
    WarnPlayer,
)
from circolo_contracts.ids import PlayerId, id_of, is_hex_id, player_stream, report_stream
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Actor, Answer, Ask, Command, Done, Refused, Seen, encoder
from circolo_events import canonical
from circolo_events.clock import Clock
from circolo_events.runtime import Runtime
from msgspec import UNSET, Raw
from msgspec.structs import replace

from ..commands import Identify
from ..errands import ROOMS, Handler, instead, reading
from ..player import PlayerState
from ..salted import digest
from .commands import Ban, CloseReport, Mute, Warn
from .frozen import Frozen, Kept
from .report import ReportState

log = logging.getLogger(__name__)

MOST_AT_ONCE = 100
"""Reports in one list."""


class Sanctions:
    def __init__(self, runtime: Runtime, frozen: Frozen, clock: Clock) -> None:
        self.runtime = runtime
        self.frozen = frozen
        self.clock = clock

    def handlers(self) -> dict[str, Handler]:
        return {
            "WarnPlayer": reading(WarnPlayer, ("player",), self.warn),
            "MutePlayer": reading(MutePlayer, ("player",), self.mute),
            "BanPlayer": reading(BanPlayer, ("player",), self.ban),
            "DismissReport": reading(DismissReport, ("report",), self.dismiss),
            "ListReports": reading(ListReports, ("player",), self.list),
        }

    async def warn(self, stream: str, command: Command, wish: WarnPlayer) -> Answer:
        return await self._judge(stream, command, Warn(command.actor.id, wish.reason, wish.report))

    async def mute(self, stream: str, command: Command, wish: MutePlayer) -> Answer:
        return await self._judge(stream, command, Mute(command.actor.id, wish.reason, wish.until, wish.report))

    async def ban(self, stream: str, command: Command, wish: BanPlayer) -> Answer:
        return await self._judge(stream, command, Ban(command.actor.id, wish.reason, wish.until, wish.report))

    async def _judge(self, stream: str, command: Command, order: Warn | Mute | Ban) -> Answer:
        if not await self._directs(command.actor):
            return Refused(RefusalCode.NOT_ALLOWED)
        if isinstance(order.report, str):
            problem = await self._about(order.report, id_of(stream))
            # A retry finds the report closed by its own first attempt.
            if problem is not None and await self.runtime.store.find_command(stream, command.id) is None:
                return Refused(problem, field="report")
        return await self.runtime.execute(stream, instead(command, order, actor=ROOMS))

    async def _about(self, report: str, player: str) -> RefusalCode | None:
        """Whether the report is open and of this player."""
        if not is_hex_id(report):
            return RefusalCode.NOT_FOUND
        state: ReportState = await self.runtime.state(report_stream(report))
        if state.filed is None:
            return RefusalCode.NOT_FOUND
        if state.filed.player != player:
            return RefusalCode.NOT_ALLOWED
        return RefusalCode.REPORT_CLOSED if state.closed is not None else None

    async def dismiss(self, stream: str, command: Command, _wish: DismissReport) -> Answer:
        if not await self._directs(command.actor):
            return Refused(RefusalCode.NOT_ALLOWED)
        order = CloseReport(by=command.actor.id, verdict="DISMISSED")
        return await self.runtime.execute(stream, instead(command, order, actor=ROOMS))

    async def _directs(self, actor: Actor) -> bool:
        if actor.kind != "player":
            return False
        state: PlayerState = await self.runtime.state(player_stream(PlayerId(actor.id)))
        return state.directs(self.clock.now())

    # ------------------------------------------------------------ reading

    async def list(self, stream: str, command: Command, wish: ListReports) -> Answer:
        """Nothing is stored; the list is the answer's ``extra``."""
        if id_of(stream) != command.actor.id or not await self._directs(command.actor):
            return Refused(RefusalCode.NOT_ALLOWED)
        if not 1 <= wish.first <= MOST_AT_ONCE:
            return Refused(RefusalCode.MALFORMED, field="first")
        before = cursor_of(wish.after) if wish.after else None
        if wish.after and before is None:
            return Refused(RefusalCode.MALFORMED, field="after")
        found = await self.frozen.newest(open_only=wish.open_only, before=before, most=wish.first + 1)
        answer = await self.runtime.execute(stream, instead(command, Identify()))
        if not isinstance(answer, Done):
            return answer
        reports = ReportList(more=len(found) > wish.first, reports=found[: wish.first])
        return replace(answer, extra=Raw(canonical.encode(reports)))

    async def look(self, stream: str, ask: Ask) -> Answer:
        if not ask.viewer or not await self._directs(Actor("player", ask.viewer)):
            return Refused(RefusalCode.NOT_ALLOWED)
        state: ReportState = await self.runtime.state(stream)
        if state.filed is None:
            return Refused(RefusalCode.NOT_FOUND)
        view = shown(state, await self.frozen.read(id_of(stream)))
        return Seen(state.version, "public", Raw(encoder.encode(view)))


def cursor_of(text: str) -> tuple[int, str] | None:
    """(filed at, report); None for what is no cursor of ours."""
    at, _, report = text.partition("-")
    if not (at.isascii() and at.isdigit() and len(at) <= 16 and is_hex_id(report)):
        return None
    return int(at), report


def shown(state: ReportState, kept: Kept) -> ReportView:
    """What the tables have counts only as far as the event's digests prove it."""
    filed, closed = state.filed, state.closed
    assert filed is not None
    view = ReportView(
        filed_at=filed.at, messages=[_message(line, kept, filed.report) for line in filed.messages],
        player=filed.player, reason=filed.reason, report=filed.report, reporter=filed.reporter, room=filed.room,
        version=state.version, game_id=filed.game_id, game_version=filed.game_version,
    )  # fmt: skip
    if closed is not None:
        view = replace(view, closed_at=closed.at, closed_by=closed.by, verdict=closed.verdict, until=closed.until)
    if kept.note is not None and kept.note_salt is not None and filed.note_digest is not UNSET:
        if digest(kept.note_salt, kept.note) == filed.note_digest:
            view = replace(view, note=kept.note)
        else:
            _altered(filed.report, "note")
    if kept.position is not None and filed.position_digest is not UNSET:
        if hashlib.sha256(kept.position.encode()).hexdigest() == filed.position_digest:
            view = replace(view, position=Raw(kept.position.encode()))
        else:
            _altered(filed.report, "position")
    return view


def _message(line: FrozenLine, kept: Kept, report: str) -> FrozenMessage:
    message = FrozenMessage(
        at=line.at, channel=line.channel, digest=line.digest, message_id=line.message_id, player=line.player
    )
    found = kept.texts.get(line.message_id)
    if found is None:
        return message
    text, salt = found
    if digest(salt, text) != line.digest:
        _altered(report, "text")
        return message
    return replace(message, text=text)


def _altered(report: str, what: str) -> None:
    log.error("report %s: its %s is not what was frozen, and is not shown", report, what)
