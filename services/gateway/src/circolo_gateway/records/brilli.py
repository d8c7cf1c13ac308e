"""What a player has in brilli, by which entries, and what a match gave to whom."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
from circolo_contracts.ledger import player_account, player_of
from msgspec import Struct

from .pages import SECONDS, Page, page_of

_COLUMNS = "payout, version, line, amount, at, rule, game, match, cause"
_FIRST = f"""
SELECT {_COLUMNS} FROM projector.ledger_entry WHERE account = $1
ORDER BY at DESC, payout DESC, version DESC, line DESC LIMIT $2
"""
_NEXT = f"""
SELECT {_COLUMNS} FROM projector.ledger_entry
WHERE account = $1 AND (at, payout, version, line) < ($3::int8, $4::text, $5::int8, $6::int4)
ORDER BY at DESC, payout DESC, version DESC, line DESC LIMIT $2
"""
_OF_MATCHES = """
SELECT match, account, sum(amount)::int8 AS amount FROM projector.ledger_entry
WHERE match = ANY($1) AND starts_with(account, 'player-') GROUP BY match, account
"""


class LedgerEntry(Struct, frozen=True):
    payout: str
    version: int
    line: int
    """From 0 within the payout's event of this version."""
    amount: int
    at: int
    rule: str
    """DEAL, MATCH, UNPLAYED, PENALTY; REVERSED: taken back."""
    game: str
    match: str
    cause: str
    """The id of the event that it follows from."""


def key_of(entry: LedgerEntry) -> tuple[int, str, int, int]:
    """What a cursor names."""
    return entry.at, entry.payout, entry.version, entry.line


async def balances(pool: asyncpg.Pool, players: Sequence[str]) -> dict[str, int]:
    """By player; 0 for who never had an entry. Below zero after penalties."""
    found = dict.fromkeys(players, 0)
    records = await pool.fetch(
        "SELECT account, balance FROM projector.balance WHERE account = ANY($1)",
        [player_account(player) for player in found], timeout=SECONDS,
    )  # fmt: skip
    return found | {player: balance for account, balance in records if (player := player_of(account)) is not None}


async def entries(
    pool: asyncpg.Pool, player: str, *, first: int, after: tuple[int, str, int, int] | None = None
) -> Page[LedgerEntry]:
    """The newest first."""
    query = _FIRST if after is None else _NEXT
    records = await pool.fetch(query, player_account(player), first + 1, *(after or ()), timeout=SECONDS)
    return page_of(records, first, lambda record: LedgerEntry(*record))


async def given_by(pool: asyncpg.Pool, matches: Sequence[str]) -> dict[str, dict[str, int]]:
    """By match and player, what it gave him (below zero: cost him), with what was taken back since."""
    found: dict[str, dict[str, int]] = {match: {} for match in matches}
    for match, account, amount in await pool.fetch(_OF_MATCHES, list(found), timeout=SECONDS):
        if (player := player_of(account)) is not None:
            found[match][player] = amount
    return found
