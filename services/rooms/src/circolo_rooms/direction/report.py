"""``report-<id>``: the decider. Filed once with what was frozen, closed once with what the direction decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circolo_contracts.direction import ReportClosed, ReportEvent, ReportFiled, ReportReceipt
from circolo_contracts.ids import id_of
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import Struct
from msgspec.structs import replace

from .commands import CloseReport, FileReport

ReportCommand = FileReport | CloseReport


class ReportState(Struct, frozen=True):
    version: int = 0
    filed: ReportFiled | None = None
    closed: ReportClosed | None = None


class ReportDecider:
    initial = ReportState()

    def decide(self, state: ReportState, command: ReportCommand, context: Context) -> Sequence[ReportEvent] | Rejection:
        if isinstance(command, FileReport):
            return _file(state, command, context)
        if context.actor.kind != "service":
            return Rejection(RefusalCode.NOT_ALLOWED)
        if state.filed is None:
            return Rejection(RefusalCode.NOT_FOUND)
        if state.closed is not None:
            # A sanction that came second stands for itself.
            return Rejection(RefusalCode.REPORT_CLOSED) if command.verdict == "DISMISSED" else []
        return [ReportClosed(at=context.now, by=command.by, verdict=command.verdict, until=command.until)]

    def evolve(self, state: ReportState, event: ReportEvent) -> ReportState:
        version = state.version + 1
        if isinstance(event, ReportFiled):
            return replace(state, version=version, filed=event)
        return replace(state, version=version, closed=event)

    def audiences(self, state: ReportState) -> Sequence[Viewer]:
        return ()

    def viewer(self, state: ReportState, player: str) -> Viewer | Rejection:
        return PUBLIC

    def view(self, state: ReportState, viewer: Viewer) -> ReportReceipt:
        """What the reporter gets. Operators ask a process that looks at their role."""
        report = "" if state.filed is None else state.filed.report
        return ReportReceipt(report=report, version=state.version)

    def tell(self, event: ReportEvent, before: ReportState, after: ReportState, viewer: Viewer) -> Sequence[Struct]:
        return ()

    def deadlines(self, state: ReportState) -> Mapping[str, Deadline]:
        return {}


def _file(state: ReportState, command: FileReport, context: Context) -> Sequence[ReportEvent] | Rejection:
    if context.actor.kind != "player" or state.filed is not None:
        return Rejection(RefusalCode.NOT_ALLOWED)
    filed = ReportFiled(
        at=context.now, messages=command.messages, player=command.player, reason=command.reason,
        report=id_of(context.stream), reporter=context.actor.id, room=command.room, game_id=command.game_id,
        game_version=command.game_version, note_digest=command.note_digest, position_digest=command.position_digest,
    )  # fmt: skip
    return [filed]
