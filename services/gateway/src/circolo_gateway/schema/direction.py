"""What the direction reads: reports, exactly as they were frozen, and payouts."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

import msgspec
import strawberry
from circolo_contracts import ledger
from circolo_contracts.direction import ListReports, ReportLine, ReportList, ReportView
from circolo_contracts.games import CATALOGUE
from circolo_contracts.ids import PlayerId, global_id, id_of, kind_of, parse_global_id, player_stream, report_stream
from circolo_contracts.ledger import PayoutView
from circolo_contracts.refusals import RefusalCode
from circolo_contracts.wire import Done
from circolo_contracts.wire import Refused as RefusedAnswer
from msgspec import UNSET, Raw

from ..commands import ROOMS, Wish
from ..transport.errors import Problem
from .context import Context
from .enums import AccountKind, Channel, GameKind, LedgerRule, ReportReason, ReversalReason, Verdict
from .figures import payout_gid
from .game import Game, given
from .games import game_type
from .node import Node, game_at, room_gid
from .pages import PageInfo, checked_first, page_info, wrong_cursor
from .player import Player, player, player_or_none
from .results import Refused, refused
from .scalars import DateTime, moment
from .talk import message_gid

MOST_CURSOR = 100
_list = msgspec.json.Decoder(ReportList).decode
_view = msgspec.json.Decoder(ReportView).decode
_payout = msgspec.json.Decoder(PayoutView).decode


class _Played(msgspec.Struct):
    game: str
    game_id: str
    room: str


_played = msgspec.json.Decoder(_Played).decode


@strawberry.type(description="A message as it stood when it was reported.")
class FrozenMessage:
    id: strawberry.ID
    at: DateTime
    player: Player
    to: Channel
    text: str | None = strawberry.field(description="Null when it had been erased, or the time to keep it is over.")
    digest: str = strawberry.field(description="HMAC-SHA-256 of the text, as in the chat's event.")


@strawberry.type(description="What a report froze.")
class FrozenReport:
    said: list[FrozenMessage] = strawberry.field(description="In the order in which they were said.")
    note: str | None = strawberry.field(description="In the reporter's words.")
    game_version: int | None
    position: Game | None = strawberry.field(description="The game as everybody saw it then.")
    until: DateTime | None = strawberry.field(description="Of the mute or the ban that followed.")


@strawberry.type(description="A report to the direction.")
class Report(Node):
    player: Player = strawberry.field(description="Who is reported.")
    reporter: Player
    reason: ReportReason
    room_id: strawberry.ID
    filed_at: DateTime
    closed_at: DateTime | None
    closed_by: Player | None
    verdict: Verdict | None
    hex_id: strawberry.Private[str]

    @strawberry.field
    async def frozen(self, info: strawberry.Info[Context, None]) -> FrozenReport | None:
        seen = await info.context.see(ROOMS, report_stream(self.hex_id))
        return None if seen is None else _frozen(_view(seen.view))


@strawberry.type
class ReportEdge:
    cursor: str
    node: Report


@strawberry.type(description="Newest first.")
class ReportConnection:
    edges: list[ReportEdge]
    page_info: PageInfo


@strawberry.type
class ReportDone:
    version: int
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    report_id: strawberry.ID


ReportResult = Annotated[ReportDone | Refused, strawberry.union("ReportResult")]


@strawberry.type(description="One side of a payment. All of a payment sum to zero.")
class PayoutEntry:
    account: AccountKind
    player: Player | None = strawberry.field(description="For PLAYER.")
    amount: int


@strawberry.type
class Payment:
    rule: LedgerRule
    reason: ReversalReason | None = strawberry.field(description="For REVERSED.")
    at: DateTime
    entries: list[PayoutEntry]


@strawberry.type(description="Everything in the ledger that followed from one event of a match.")
class Payout:
    id: strawberry.ID
    version: int
    game_kind: GameKind
    payments: list[Payment] = strawberry.field(description="What was paid, then what was taken back.")


@strawberry.type
class PayoutDone:
    version: int
    replayed: bool = strawberry.field(description="The key had been used before: this is its first answer again.")
    payout: Payout


PayoutResult = Annotated[PayoutDone | Refused, strawberry.union("PayoutResult")]


# ---------------------------------------------------------------- ids


def report_gid(report: str) -> strawberry.ID:
    return strawberry.ID(global_id("Report", report_stream(report)))


def report_in(gid: str) -> str | None:
    parsed = parse_global_id(gid)
    if parsed is None or parsed[0] != "Report" or kind_of(parsed[1]) != "report":
        return None
    return id_of(parsed[1])


# ---------------------------------------------------------------- from the wire


def _frozen(view: ReportView) -> FrozenReport:
    return FrozenReport(
        said=[
            FrozenMessage(
                id=message_gid(each.message_id),
                at=DateTime(each.at),
                player=player(each.player),
                to=Channel(each.channel),
                text=None if each.text is UNSET else each.text,
                digest=each.digest,
            )
            for each in view.messages
        ],
        note=None if view.note is UNSET else view.note,
        game_version=given(view.game_version),
        position=None if view.position is UNSET else _position(view.position),
        until=moment(view.until),
    )


def _position(json: Raw) -> Game | None:
    """None for a game that this version of the gateway does not know."""
    played = _played(json)
    if played.game not in CATALOGUE:
        return None
    return game_type(game_at(played.game, played.game_id, played.room).stream).from_view(json)


def _line(line: ReportLine | ReportView) -> Report:
    return Report(
        id=report_gid(line.report),
        player=player(line.player),
        reporter=player(line.reporter),
        reason=ReportReason(line.reason),
        room_id=room_gid(line.room),
        filed_at=DateTime(line.filed_at),
        closed_at=moment(line.closed_at),
        closed_by=player_or_none(line.closed_by),
        verdict=None if line.verdict is UNSET else Verdict(line.verdict),
        hex_id=line.report,
    )


async def report(context: Context, gid: str) -> Report | None:
    """None when there is none, or the viewer is no operator."""
    found = report_in(gid)
    seen = None if found is None else await context.see(ROOMS, report_stream(found))
    return None if seen is None else _line(_view(seen.view))


async def reports(context: Context, first: int, after: str | None, *, open_only: bool) -> ReportConnection:
    """Raises Problem for who is no operator."""
    if not context.viewer:
        raise context.problem(RefusalCode.UNAUTHENTICATED)
    if after is not None and not 0 < len(after) <= MOST_CURSOR:
        raise wrong_cursor()
    if checked_first(first) == 0:
        raise Problem("BAD_USER_INPUT", "`first` is 1 to 100 here.")
    data = ListReports(after=after or "", first=first, open_only=open_only)
    wish = Wish("reports", ROOMS, player_stream(PlayerId(context.viewer)), data, {})
    answer = await context.house.commands.send(wish, context.viewer)
    if isinstance(answer, RefusedAnswer):
        raise wrong_cursor() if answer.field == "after" else context.problem(answer.code)
    assert answer.extra is not UNSET
    page = _list(answer.extra)
    edges = [ReportEdge(cursor=line.cursor, node=_line(line)) for line in page.reports]
    return ReportConnection(
        edges=edges, page_info=page_info([edge.cursor for edge in edges], more=page.more, after=after)
    )


def report_result(context: Context, answer: Done | RefusedAnswer, found: str) -> ReportDone | Refused:
    if isinstance(answer, RefusedAnswer):
        return refused(context, answer)
    return ReportDone(version=answer.version, replayed=answer.replayed, report_id=report_gid(found))


def _entry(entry: ledger.Entry) -> PayoutEntry:
    who = ledger.player_of(entry.account)
    kind = AccountKind.PLAYER if who is not None else AccountKind(entry.account.upper())
    return PayoutEntry(account=kind, player=None if who is None else player(who), amount=entry.amount)


def _payout_of(view: PayoutView) -> Payout:
    paid = [
        Payment(rule=LedgerRule(each.rule), reason=None, at=DateTime(each.at), entries=list(map(_entry, each.entries)))
        for each in view.payments
    ]
    taken_back = [
        Payment(
            rule=LedgerRule.REVERSED,
            reason=ReversalReason(each.reason),
            at=DateTime(each.at),
            entries=list(map(_entry, each.entries)),
        )
        for each in view.reversals
    ]
    return Payout(
        id=payout_gid(view.cause), version=view.version, game_kind=GameKind(view.game), payments=[*paid, *taken_back]
    )


def payout_result(context: Context, answer: Done | RefusedAnswer) -> PayoutDone | Refused:
    if isinstance(answer, RefusedAnswer):
        return refused(context, answer)
    return PayoutDone(version=answer.version, replayed=answer.replayed, payout=_payout_of(_payout(answer.view)))
