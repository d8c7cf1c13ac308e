"""What the direction does: warn, mute, ban, dismiss, take back. And what a player asks of it: to be forgotten.

Rooms asks again whether somebody is an operator; here a token without the role is refused at once.
"""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Mapping

import strawberry
from circolo_contracts.direction import (
    LONGEST_SANCTION_MS,
    BanPlayer,
    DismissReport,
    EraseMe,
    MutePlayer,
    WarnPlayer,
)
from circolo_contracts.ids import PlayerId, kind_of, parse_global_id, player_stream, report_stream
from circolo_contracts.ledger import ReverseEntry
from circolo_contracts.refusals import RefusalCode
from msgspec import UNSET, Struct

from ..commands import ROOMS, Wish
from .at_room import Info, Key
from .context import Context
from .direction import PayoutResult, ReportResult, payout_result, report_in, report_result
from .enums import ReportReason, ReversalReason
from .node import player_in
from .results import PlayerResult, Refused, player_result, refusal

LEDGER = "ledger"
HOUR_MS = 3_600_000
MOST_HOURS = LONGEST_SANCTION_MS // HOUR_MS


@strawberry.type
class Directing:
    @strawberry.mutation(
        description="The player asks to be forgotten: name and texts are gone, the sums stay. For good."
    )
    async def erase_me(self, info: Info, idempotency_key: Key = None) -> PlayerResult:
        context = info.context
        if not context.viewer:
            return refusal(context, RefusalCode.UNAUTHENTICATED)
        stream = player_stream(PlayerId(context.viewer))
        wish = Wish("eraseMe", ROOMS, stream, EraseMe(), {}, idempotency_key)
        answer = await context.house.commands.send(wish, context.viewer)
        context.house.names.forget(context.viewer)
        return player_result(context, answer, context.viewer)

    @strawberry.mutation(description="By an operator. `report`: the one that is decided by it.")
    async def warn(
        self,
        info: Info,
        player: strawberry.ID,
        reason: ReportReason,
        report: strawberry.ID | None = None,
        idempotency_key: Key = None,
    ) -> PlayerResult:
        found = _report_named(info.context, report)
        if isinstance(found, Refused):
            return found
        data = WarnPlayer(reason=reason.value, report=found or UNSET)
        return await _judge(info.context, "warn", player, data, {"reason": reason.value}, found, idempotency_key)

    @strawberry.mutation(
        description=f"By an operator: no word in any chat for `hours` (1 to {MOST_HOURS}). A later one counts instead."
    )
    async def mute(
        self,
        info: Info,
        player: strawberry.ID,
        reason: ReportReason,
        hours: int,
        report: strawberry.ID | None = None,
        idempotency_key: Key = None,
    ) -> PlayerResult:
        found, until = _report_named(info.context, report), _until(info.context, hours)
        if isinstance(found, Refused) or isinstance(until, Refused):
            return found if isinstance(found, Refused) else until  # type: ignore[return-value]  # one of them is
        data = MutePlayer(reason=reason.value, until=until, report=found or UNSET)
        fields = {"hours": hours, "reason": reason.value}
        return await _judge(info.context, "mute", player, data, fields, found, idempotency_key)

    @strawberry.mutation(
        description="By an operator: signed out everywhere, put out of ranked tables and kept out of them, and mute, "
        f"for `hours` (1 to {MOST_HOURS}). A later one counts instead."
    )
    async def ban(
        self,
        info: Info,
        player: strawberry.ID,
        reason: ReportReason,
        hours: int,
        report: strawberry.ID | None = None,
        idempotency_key: Key = None,
    ) -> PlayerResult:
        found, until = _report_named(info.context, report), _until(info.context, hours)
        if isinstance(found, Refused) or isinstance(until, Refused):
            return found if isinstance(found, Refused) else until  # type: ignore[return-value]  # one of them is
        data = BanPlayer(reason=reason.value, until=until, report=found or UNSET)
        fields = {"hours": hours, "reason": reason.value}
        return await _judge(info.context, "ban", player, data, fields, found, idempotency_key)

    @strawberry.mutation(description="By an operator: nothing is done about it.")
    async def dismiss_report(self, info: Info, report: strawberry.ID, idempotency_key: Key = None) -> ReportResult:
        context = info.context
        found = report_in(report)
        problem = _not_directing(context, known=found is not None, field="report")
        if problem is not None or found is None:
            return problem or refusal(context, RefusalCode.NOT_FOUND, "report")
        stream = report_stream(found)
        wish = Wish("dismissReport", ROOMS, stream, DismissReport(), {"report": found}, idempotency_key)
        return report_result(context, await context.house.commands.send(wish, context.viewer), found)

    @strawberry.mutation(
        description="By an operator: takes back everything that followed from one event, by counter-entries. `payout`: "
        "`payoutId` of an entry."
    )
    async def reverse_entry(
        self, info: Info, payout: strawberry.ID, reason: ReversalReason, idempotency_key: Key = None
    ) -> PayoutResult:
        context = info.context
        parsed = parse_global_id(payout)
        known = parsed is not None and parsed[0] == "Payout" and kind_of(parsed[1]) == "payout"
        problem = _not_directing(context, known=known, field="payout")
        if problem is not None or parsed is None:
            return problem or refusal(context, RefusalCode.NOT_FOUND, "payout")
        data, fields = ReverseEntry(reason=reason.value), {"payout": parsed[1], "reason": reason.value}
        wish = Wish("reverseEntry", LEDGER, parsed[1], data, fields, idempotency_key, as_operator=True)
        return payout_result(context, await context.house.commands.send(wish, context.viewer))


def _not_directing(context: Context, *, known: bool, field: str) -> Refused | None:
    if not context.viewer:
        return refusal(context, RefusalCode.UNAUTHENTICATED)
    if not context.is_operator:
        return refusal(context, RefusalCode.NOT_ALLOWED)
    return None if known else refusal(context, RefusalCode.NOT_FOUND, field)


def _report_named(context: Context, gid: str | None) -> str | Refused | None:
    if gid is None:
        return None
    return report_in(gid) or refusal(context, RefusalCode.NOT_FOUND, "report")


def _until(context: Context, hours: int) -> int | Refused:
    """ms since 1970. A repeated key gets its first answer, whatever time it is by then."""
    if not 1 <= hours <= MOST_HOURS:
        return refusal(context, RefusalCode.MALFORMED, "hours")
    return context.house.clock.now() + hours * HOUR_MS


async def _judge(
    context: Context, mutation: str, gid: str, data: Struct, fields: Mapping[str, object], report: str | None, key: Key
) -> PlayerResult:
    who = player_in(gid)
    problem = _not_directing(context, known=who is not None, field="player")
    if problem is not None or who is None:
        return problem or refusal(context, RefusalCode.NOT_FOUND, "player")
    named = {**fields, "player": who} if report is None else {**fields, "player": who, "report": report}
    wish = Wish(mutation, ROOMS, player_stream(who), data, named, key)
    return player_result(context, await context.house.commands.send(wish, context.viewer), who)
