"""Two logs against each other: what cardgames' results pay by the oracle, and what the ledger has stored. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from circolo_contracts.cardgames import DealEnded, MatchEnded, MatchStarted
from circolo_contracts.ids import id_of
from circolo_contracts.ledger import Entry, Paid, Reversed, payout_stream
from circolo_events.store import Recorded

from .matches import MATCH
from .oracle import MatchOracle, Owed, Reason
from .registry import REGISTRY

MOST_TOLD = 50
"""Differences that are named; the others are counted."""


class Proof:
    """Give it the ledger's log first, then cardgames', each in position order; then ``finish``."""

    def __init__(self, handled: Mapping[int, int]) -> None:
        """``handled``: how far the ledger has read cardgames' log, by shard."""
        self.differences: list[str] = []
        self.matches = self.payments = self.reversals = 0
        self.pending = 0
        """Payments of results that the ledger has not read yet."""
        self.entries = 0
        self.balances: Counter[str] = Counter()
        """By account, as the ledger's entries add up."""
        self.recomputed: Counter[str] = Counter()
        """By account, from cardgames' events, with what operators reversed."""
        self._handled = handled
        self._paid: dict[Reason, Owed] = {}
        self._standing: dict[str, Counter[str]] = {}
        self._oracles: dict[str, MatchOracle] = {}

    # ------------------------------------------------------------ the ledger's log

    def entered(self, row: Recorded) -> None:
        event = REGISTRY.decode(row.type, row.schema_v, row.data)
        assert isinstance(event, (Paid, Reversed))
        where = f"{row.stream} version {row.version}"
        self._add(event.entries)
        if sum(entry.amount for entry in event.entries) != 0:
            self._differs(f"{where} does not balance")
        if payout_stream(event.cause) != row.stream:
            self._differs(f"{where} is about an event of another stream")
        standing = self._standing.setdefault(row.stream, Counter())
        if isinstance(event, Reversed):
            self._reversed(where, event, standing)
            return
        self.payments += 1
        standing.update(_by_account(event.entries))
        if (event.cause, event.rule) in self._paid:
            self._differs(f"{where} pays {event.rule} of event {event.cause} once more")
        self._paid[event.cause, event.rule] = _by_account(event.entries)

    def _reversed(self, where: str, event: Reversed, standing: Counter[str]) -> None:
        self.reversals += 1
        back = _by_account(event.entries)
        if back != {account: -amount for account, amount in standing.items() if amount}:
            self._differs(f"{where} reverses {_said(back)} of {_said(standing)}")
        standing.clear()
        self.recomputed.update(back)

    def _add(self, entries: Sequence[Entry]) -> None:
        self.entries += len(entries)
        for entry in entries:
            self.balances[entry.account] += entry.amount

    # ------------------------------------------------------------ cardgames' log

    def happened(self, row: Recorded) -> None:
        event = MATCH.decode(row.type, row.schema_v, row.data)
        if isinstance(event, MatchStarted):
            if event.ranked is True:
                self.matches += 1
                self._oracles[row.stream] = MatchOracle(event)
            return
        assert isinstance(event, (DealEnded, MatchEnded))
        oracle = self._oracles.get(row.stream)
        if oracle is None:
            return
        for reason, owed in oracle.owed(row.id, event):
            self._compare(row, reason, owed)
        if isinstance(event, MatchEnded):
            del self._oracles[row.stream]

    def _compare(self, row: Recorded, reason: Reason, owed: Owed) -> None:
        paid = self._paid.pop(reason, None)
        if paid is None and row.pos > self._handled.get(row.shard, 0):
            self.pending += 1
            return
        self.recomputed.update(owed)
        if paid != owed:
            what = "nothing" if paid is None else _said(paid)
            self._differs(f"{reason[1]} of event {reason[0]}, match {id_of(row.stream)}: {_said(owed)} is due, "
                          f"{what} was paid")  # fmt: skip

    # ------------------------------------------------------------ the end

    def finish(self) -> None:
        for cause, rule in self._paid:
            self._differs(f"{rule} of event {cause} was paid, and no result of a ranked match asks for it")
        for account in sorted(self.balances.keys() | self.recomputed.keys()):
            stored, due = self.balances[account], self.recomputed[account]
            if stored != due:
                self._differs(f"{account} has {stored} and should have {due}")
        if sum(self.balances.values()) != 0:
            self._differs(f"all accounts together have {sum(self.balances.values())}")

    def compare_balances(self, shown: Mapping[str, int]) -> list[str]:
        """What a read model says of the accounts, against the entries."""
        return [
            f"the read model shows {shown.get(account, 0)} for {account}, whose entries add up to "
            f"{self.balances[account]}"
            for account in sorted(self.balances.keys() | shown.keys())
            if shown.get(account, 0) != self.balances[account]
        ]

    def _differs(self, text: str) -> None:
        self.differences.append(text)


def _by_account(entries: Sequence[Entry]) -> Owed:
    sums: Owed = {}
    for entry in entries:
        sums[entry.account] = sums.get(entry.account, 0) + entry.amount
    return sums


def _said(amounts: Mapping[str, int]) -> str:
    return ", ".join(f"{account} {amount:+d}" for account, amount in sorted(amounts.items()) if amount) or "nothing"
