"""The decider of ``payout-<id>``: everything that one event pays, each rule once, and what takes it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from circolo_contracts.ledger import (
    Entry,
    Paid,
    Payment,
    PayoutEvent,
    PayoutView,
    Reversal,
    Reversed,
    ReverseEntry,
    Rule,
    payout_stream,
)
from circolo_contracts.refusals import RefusalCode
from circolo_events.decider import PUBLIC, Context, Deadline, Rejection, Viewer
from msgspec import UNSET, Struct

from . import prizes
from .commands import FineLeaver, Pay, PayDeal, PayLeftDeal, PayMatch, PayUnplayed
from .prizes import Prizes, Unpayable

RULE_OF: dict[type[Struct], Rule] = {
    PayDeal: "DEAL",
    PayLeftDeal: "DEAL",
    PayMatch: "MATCH",
    PayUnplayed: "UNPLAYED",
    FineLeaver: "PENALTY",
}
PayoutCommand = Pay | ReverseEntry
COMMANDS = {command.__name__: command for command in get_args(PayoutCommand)}
"""By their name on the wire."""


class PayoutState(Struct, frozen=True):
    version: int = 0
    paid: tuple[Paid, ...] = ()
    reversed: tuple[Reversed, ...] = ()
    standing: tuple[Entry, ...] = ()
    """What was paid and not reversed since."""


class Payouts:
    """Implements ``circolo_events.decider.Decider``."""

    initial = PayoutState()

    def __init__(self, prizes: Prizes) -> None:
        self._prizes = prizes

    def decide(self, state: PayoutState, command: PayoutCommand, context: Context) -> Sequence[PayoutEvent] | Rejection:
        if isinstance(command, ReverseEntry):
            return _reverse(state, command, context)
        if context.actor.kind != "service":
            return Rejection(RefusalCode.NOT_ALLOWED)
        if payout_stream(command.cause) != context.stream:
            return Rejection(RefusalCode.MALFORMED, "cause")
        rule = RULE_OF[type(command)]
        if any(payment.rule == rule for payment in state.paid):
            return []
        entries = self.entries(command)
        if sum(entry.amount for entry in entries) != 0:
            raise Unpayable(f"{rule} of {command.cause} does not balance")
        table = command.table
        return [Paid(context.now, command.cause, entries, table.game, table.game_id, rule)]

    def entries(self, command: Pay) -> list[Entry]:
        """What it pays, and from which account of the house. Raises Unpayable."""
        table = command.table
        if isinstance(command, FineLeaver):
            return prizes.fine(self._prizes.penalty, table, command.leaver)
        schedule = self._prizes.of(table.game, len(table.players))
        if isinstance(command, PayDeal):
            return prizes.of_deal(schedule, table, command.points)
        if isinstance(command, PayLeftDeal):
            return prizes.of_left_deal(schedule, table, command.leaver)
        if isinstance(command, PayUnplayed):
            return prizes.of_unplayed(schedule, table, command.deals, command.winner)
        winner = None if command.winner is UNSET else command.winner
        return prizes.of_match(schedule, table, command.points, winner)

    def evolve(self, state: PayoutState, event: PayoutEvent) -> PayoutState:
        version = state.version + 1
        if isinstance(event, Paid):
            return PayoutState(version, (*state.paid, event), state.reversed, (*state.standing, *event.entries))
        return PayoutState(version, state.paid, (*state.reversed, event), ())

    def audiences(self, state: PayoutState) -> Sequence[Viewer]:
        """Nobody watches a payout; who asks sees it, and balances are read from the read model."""
        return ()

    def viewer(self, state: PayoutState, player: str) -> Viewer | Rejection:
        return PUBLIC if state.version else Rejection(RefusalCode.NOT_FOUND)

    def view(self, state: PayoutState, viewer: Viewer) -> PayoutView:
        first = state.paid[0] if state.paid else None
        return PayoutView(
            cause=first.cause if first else "",
            game=first.game if first else "",
            game_id=first.game_id if first else "",
            payments=[Payment(event.at, event.entries, event.rule) for event in state.paid],
            reversals=[Reversal(event.at, event.entries, event.reason) for event in state.reversed],
            version=state.version,
        )

    def tell(self, event: PayoutEvent, before: PayoutState, after: PayoutState, viewer: Viewer) -> Sequence[Struct]:
        return ()

    def deadlines(self, state: PayoutState) -> Mapping[str, Deadline]:
        return {}


def _reverse(state: PayoutState, command: ReverseEntry, context: Context) -> Sequence[PayoutEvent] | Rejection:
    if context.actor.kind != "operator":
        return Rejection(RefusalCode.NOT_ALLOWED)
    if not state.paid:
        return Rejection(RefusalCode.NOT_FOUND)
    entries = prizes.counter(state.standing)
    if not entries:
        return []
    return [Reversed(context.now, context.actor.id, state.paid[0].cause, entries, command.reason)]
