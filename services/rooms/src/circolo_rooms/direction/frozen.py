"""What a report froze, in tables that are not the chat's: erasing or editing there changes nothing here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg
from circolo_contracts.direction import KEPT_DAYS, ReportLine
from circolo_contracts.ids import report_stream
from circolo_events.store import Store
from msgspec import UNSET, Struct

SWEEP_BATCH = 200

_KEEP = """
INSERT INTO report (report, reporter, player, room, reason, frozen, note, note_salt, position, filed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (report) DO NOTHING RETURNING true
"""
_COPY = """
INSERT INTO report_text (report, message, player, text, salt)
SELECT $1, message, player, text, salt FROM chat_text WHERE message = ANY($2::text[])
"""
_LIST = """
SELECT report, reporter, player, room, reason, filed_at, closed_at, closed_by, verdict FROM report
WHERE status <> 'DRAFT' AND (NOT $1 OR status = 'OPEN') AND ($2::int8 IS NULL OR (filed_at, report) < ($2, $3))
ORDER BY filed_at DESC, report DESC LIMIT $4
"""
_DRAFTS = "SELECT report FROM report WHERE status = 'DRAFT' AND at < now() - interval '1 hour' ORDER BY at LIMIT $1"
_EXPIRE_TEXTS = """
DELETE FROM report_text t USING report r
WHERE r.report = t.report AND r.status = 'CLOSED' AND r.closed_at < $1
"""
_EXPIRE = """
UPDATE report SET note = NULL, note_salt = NULL, position = NULL
WHERE status = 'CLOSED' AND closed_at < $1 AND (note IS NOT NULL OR position IS NOT NULL)
"""


class Snapshot(Struct, frozen=True):
    """``frozen`` is the command that files it, as canonical JSON; ``note`` is empty when there is none."""

    report: str
    reporter: str
    player: str
    room: str
    reason: str
    frozen: bytes
    messages: Sequence[str]
    note: str
    note_salt: bytes
    position: str
    filed_at: int


class Kept(Struct, frozen=True):
    """What can still be read of it."""

    texts: dict[str, tuple[str, bytes]]
    """By message id, with the salt."""
    note: str | None
    note_salt: bytes | None
    position: str | None


class Frozen:
    """``pool`` and ``store`` are on rooms' schema."""

    def __init__(self, pool: asyncpg.Pool, store: Store) -> None:
        self.pool = pool
        self.store = store

    async def first(self, report: str) -> tuple[bytes, str] | None:
        """The filing command of the first attempt and its note, while there is one."""
        row = await self.pool.fetchrow("SELECT frozen, coalesce(note, '') FROM report WHERE report = $1", report)
        return None if row is None else (row[0], row[1])

    async def keep(self, snapshot: Snapshot) -> None:
        """All or nothing, and only what the first attempt saw."""
        async with self.pool.acquire(timeout=10) as connection, connection.transaction():
            new = await connection.fetchval(
                _KEEP, snapshot.report, snapshot.reporter, snapshot.player, snapshot.room, snapshot.reason,
                snapshot.frozen, snapshot.note or None, snapshot.note_salt if snapshot.note else None,
                snapshot.position or None, snapshot.filed_at,
            )  # fmt: skip
            if new:
                await connection.execute(_COPY, snapshot.report, snapshot.messages)

    async def discard(self, report: str) -> None:
        """It was refused; but not if an earlier attempt of the same command committed it."""
        if await self.store.find_command(report_stream(report), report) is None:
            await self.pool.execute("DELETE FROM report WHERE report = $1 AND status = 'DRAFT'", report)

    async def made_since(self, reporter: str, since: int) -> int:
        """How many reports this player made after a time (ms since 1970)."""
        count: int = await self.pool.fetchval(
            "SELECT count(*) FROM report WHERE reporter = $1 AND filed_at > $2", reporter, since
        )
        return count

    async def read(self, report: str) -> Kept:
        row = await self.pool.fetchrow("SELECT note, note_salt, position FROM report WHERE report = $1", report)
        texts = await self.pool.fetch("SELECT message, text, salt FROM report_text WHERE report = $1", report)
        note, salt, position = (None, None, None) if row is None else row
        return Kept({message: (text, proof) for message, text, proof in texts}, note, salt, position)

    async def newest(self, *, open_only: bool, before: tuple[int, str] | None, most: int) -> list[ReportLine]:
        at, report = before or (None, None)
        return [_line(row) for row in await self.pool.fetch(_LIST, open_only, at, report, most)]

    async def sweep(self, now: int) -> int:
        """Drafts whose event never came, after an hour; what a closed report kept, after ``KEPT_DAYS``."""
        drafts = await self.pool.fetch(_DRAFTS, SWEEP_BATCH)
        for row in drafts:
            await self.discard(row["report"])
        old = now - KEPT_DAYS * 24 * 3_600_000
        await self.pool.execute(_EXPIRE_TEXTS, old)
        await self.pool.execute(_EXPIRE, old)
        return len(drafts)


def _line(row: Any) -> ReportLine:
    def given(name: str) -> Any:
        return UNSET if row[name] is None else row[name]

    return ReportLine(
        cursor=f"{row['filed_at']}-{row['report']}", filed_at=row["filed_at"], player=row["player"],
        reason=row["reason"], report=row["report"], reporter=row["reporter"], room=row["room"],
        closed_at=given("closed_at"), closed_by=given("closed_by"), verdict=given("verdict"),
    )  # fmt: skip
