"""The trial balance: what all entries of the ledger's own log add up to. It is counted from what was stored and not
from what was decided, so that a payment that does not balance shows whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import asyncpg
from circolo_contracts.ledger import Paid, Reversed
from circolo_events.checkpoints import MOVED, Move, Statement
from circolo_events.store import Recorded, Store
from circolo_events.subscription import Subscription
from opentelemetry import metrics
from opentelemetry.metrics import CallbackOptions, Observation

from .registry import REGISTRY

_READ = "SELECT kind, amount FROM trial_balance"


def _add(first: int) -> str:
    """Kinds and amounts from placeholder ``first`` on; above 1 with the move."""
    with_move, moved = (f"WITH {MOVED} ", " CROSS JOIN moved") if first > 1 else ("", "")
    return (
        f"{with_move}INSERT INTO trial_balance AS old (kind, amount) "
        f"SELECT u.* FROM unnest(${first}::text[], ${first + 1}::int8[]) AS u{moved} "
        "ON CONFLICT (kind) DO UPDATE SET amount = old.amount + excluded.amount"
    )


_ADD = Statement.of(_add)


class TrialBalance:
    """A consumer of the ledger's log that keeps sums by kind of account, and the gauge of what is out of balance.

    A gauge needs no poke: it follows the poll.
    """

    def __init__(self, service: str, pool: asyncpg.Pool, store: Store) -> None:
        self.subscription = Subscription(
            f"{service}.trial", 1, service, pool=pool, store=store, commit=self._commit,
            types=list(REGISTRY.by_name),
        )  # fmt: skip
        self.amounts: dict[str, int] | None = None
        """By kind of account, as this process saw them last; None until it has."""
        self._pool = pool
        meter = metrics.get_meter("circolo.ledger")
        meter.create_observable_gauge(
            "circolo.ledger.imbalance", [self._observe], "{brillo}", "Sum of all accounts, which must be 0"
        )
        meter.create_observable_gauge(
            "circolo.ledger.balance", [self._observe_kinds], "{brillo}", "Sum of the accounts of a kind"
        )

    @property
    def imbalance(self) -> int:
        return sum((self.amounts or {}).values())

    async def start(self) -> None:
        self.amounts = dict(await self._pool.fetch(_READ))
        await self.subscription.start()

    async def stop(self) -> None:
        await self.subscription.stop()

    async def _commit(self, pool: asyncpg.Pool, events: Sequence[Recorded], move: Move) -> None:
        sums = sums_of(events)
        await _ADD.run(pool, move, (list(sums), list(sums.values())))
        self.amounts = dict(await pool.fetch(_READ))

    def _observe(self, _: CallbackOptions) -> Iterable[Observation]:
        return [] if self.amounts is None else [Observation(self.imbalance)]

    def _observe_kinds(self, _: CallbackOptions) -> Iterable[Observation]:
        return [Observation(amount, {"kind": kind}) for kind, amount in (self.amounts or {}).items()]


def sums_of(events: Sequence[Recorded]) -> dict[str, int]:
    """By kind of account."""
    sums: dict[str, int] = {}
    for event in events:
        decoded = REGISTRY.decode(event.type, event.schema_v, event.data)
        assert isinstance(decoded, (Paid, Reversed))
        for entry in decoded.entries:
            kind = entry.account.partition("-")[0]
            sums[kind] = sums.get(kind, 0) + entry.amount
    return sums
