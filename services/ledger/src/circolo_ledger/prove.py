"""``python -m circolo_ledger.prove``: recompute every balance from cardgames' events alone and compare.

Reads CIRCOLO_POSTGRES_URL (the ledger's role); the read model of balances as well, where this role, or the one of
CIRCOLO_POSTGRES_URL_PROJECTOR, may read it. Writes nothing; the service may run or not.
Exit 0: everything agrees; 1: what does not; 2: the logs cannot be read.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence

import asyncpg
from circolo_contracts.ledger import PENALTIES, POT
from circolo_events.canonical import SHARDS
from circolo_events.store import PositionGap, Recorded, Store
from msgspec import MsgspecError

from .matches import MATCH
from .proof import MOST_TOLD, Proof
from .registry import REGISTRY
from .results import SERVICE
from .service import RESULTS_CONSUMER, SOURCE

AGREES, DIFFERS, UNREADABLE = 0, 1, 2
PAGE = 500
"""Positions of a shard that are read at once."""
READ_MODEL_WAIT_SECONDS = 10.0
"""How long the read model may be behind before that is a difference."""

Shown = tuple[dict[str, int], int]
"""Balances by account, and how many entries they are made of."""


async def prove(connection: asyncpg.Connection) -> Proof:
    """Of one moment: both logs and the ledger's checkpoint in one snapshot. Raises what asyncpg raises, PositionGap,
    MsgspecError for an event that cannot be read."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        rows = await connection.fetch(
            f"SELECT shard, pos FROM {SERVICE}.checkpoint WHERE consumer = $1 AND version = $2 AND source = $3",
            *RESULTS_CONSUMER.key,
        )
        proof = Proof(dict(rows))
        async for row in events_of(Store(connection, schema=SERVICE), list(REGISTRY.by_name)):
            proof.entered(row)
        async for row in events_of(Store(connection, schema=SOURCE), list(MATCH.by_name)):
            proof.happened(row)
    proof.finish()
    return proof


async def events_of(store: Store, types: Sequence[str]) -> AsyncIterator[Recorded]:
    """Of a whole log, in position order within each shard."""
    after = dict.fromkeys(range(SHARDS), 0)
    while True:
        events, ends = await store.read_types(after, types, PAGE)
        for event in events:
            yield event
        if not ends:
            return
        after |= ends


async def shown_balances(connection: asyncpg.Connection) -> Shown | None:
    """What the read model says; None where there is none, or this role may not read it."""
    try:
        rows = await connection.fetch("SELECT account, balance, entries FROM projector.balance")
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError, asyncpg.InsufficientPrivilegeError):
        return None
    return {row["account"]: row["balance"] for row in rows}, sum(row["entries"] for row in rows)


async def _with_balances(connection: asyncpg.Connection, projector: asyncpg.Connection) -> tuple[Proof, str]:
    """The proof, and a line about the read model. It is given some time to come up with the ledger."""
    until = asyncio.get_running_loop().time() + READ_MODEL_WAIT_SECONDS
    while True:
        proof = await prove(connection)
        shown = await shown_balances(projector)
        if shown is None:
            return proof, "-      the read model of balances is not there, or not for this role: not compared"
        balances, entries = shown
        wrong = proof.compare_balances(balances)
        if not wrong:
            return proof, f"ok     the read model shows the same balances ({entries} entries)"
        if entries == proof.entries or asyncio.get_running_loop().time() > until:
            proof.differences += wrong
            return proof, f"FALSE  the read model shows other balances ({entries} of {proof.entries} entries)"
        await asyncio.sleep(0.2)


def report(proof: Proof, read_model: str) -> str:
    house = ", ".join(f"{account} {proof.balances[account]}" for account in (POT, PENALTIES))
    together = sum(proof.balances.values())
    mark = "FALSE" if proof.differences else "ok   "
    lines = [
        f"{mark}  {proof.matches} ranked matches, {proof.payments} payments, {proof.reversals} reversals",
        f"{mark}  {len(proof.balances)} accounts recomputed; together they have {together} ({house})",
        read_model,
    ]
    if proof.pending:
        lines.append(f"-      {proof.pending} payments are still to come: the ledger has not read their results yet")
    lines += [f"       {difference}" for difference in proof.differences[:MOST_TOLD]]
    if len(proof.differences) > MOST_TOLD:
        lines.append(f"       and {len(proof.differences) - MOST_TOLD} more differences")
    return "\n".join(lines) + "\n"


async def _run(url: str, projector_url: str) -> int:
    connection = await asyncpg.connect(url, timeout=10)
    try:
        projector = connection if projector_url == url else await asyncpg.connect(projector_url, timeout=10)
        try:
            proof, read_model = await _with_balances(connection, projector)
        finally:
            if projector is not connection:
                await projector.close()
    finally:
        await connection.close()
    sys.stdout.write(report(proof, read_model))
    return DIFFERS if proof.differences else AGREES


def main() -> int:
    url = os.environ.get("CIRCOLO_POSTGRES_URL_LEDGER") or os.environ.get("CIRCOLO_POSTGRES_URL")
    if not url:
        sys.stderr.write("set CIRCOLO_POSTGRES_URL\n")
        return UNREADABLE
    try:
        return asyncio.run(_run(url, os.environ.get("CIRCOLO_POSTGRES_URL_PROJECTOR") or url))
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, PositionGap, MsgspecError, LookupError) as error:
        sys.stderr.write(f"the logs cannot be read: {type(error).__name__}: {error}\n")
        return UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
