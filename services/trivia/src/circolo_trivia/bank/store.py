"""The bank's tables: questions of the house and of players, what rooms were asked, imports that were done."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import asyncpg
import msgspec
from circolo_contracts.questions import ImportReport
from circolo_contracts.trivia import Said
from circolo_events import canonical
from msgspec import UNSET, Struct

from ..commands import BankQuestion
from .importing import Sorted, report, without_known
from .picking import Candidate
from .question import Draft, mark

HOUSE = ""
"""The owner of questions that every night may get."""
MOST_OF_A_PLAYER = 5_000
MOST_OF_THE_HOUSE = 200_000
MOST_CANDIDATES = 1_000
_STARTER = files("circolo_trivia") / "bank" / "starter.json"

_COLUMNS = "id, theme, difficulty, prompt_it, prompt_en, options_it, options_en, answer, source, verified"
# A starter question that somebody imported under another id before is left alone.
_LOAD = f"""
INSERT INTO question AS q ({_COLUMNS}, owner, mark_it, mark_en)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', $11, $12
WHERE NOT EXISTS (SELECT FROM question WHERE owner = '' AND id <> $1 AND (mark_it = $11 OR mark_en = $12))
ON CONFLICT (id) DO UPDATE SET
    theme = excluded.theme, difficulty = excluded.difficulty, prompt_it = excluded.prompt_it,
    prompt_en = excluded.prompt_en, options_it = excluded.options_it, options_en = excluded.options_en,
    answer = excluded.answer, source = excluded.source, verified = excluded.verified, mark_it = excluded.mark_it,
    mark_en = excluded.mark_en
WHERE (q.theme, q.difficulty, q.prompt_it, q.prompt_en, q.options_it, q.options_en, q.answer, q.source, q.verified)
    IS DISTINCT FROM (excluded.theme, excluded.difficulty, excluded.prompt_it, excluded.prompt_en,
    excluded.options_it, excluded.options_en, excluded.answer, excluded.source, excluded.verified)
"""
_ADD = """
INSERT INTO question (id, owner, theme, difficulty, prompt_it, prompt_en, options_it, options_en, answer, source,
    only_in, mark_it, mark_en)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING
"""
# The newest marks of the owner and of the house, which his nights get too.
_KNOWN = """
SELECT mark_it AS mark FROM question WHERE owner = ANY ($1) AND mark_it = ANY ($2)
UNION SELECT mark_en FROM question WHERE owner = ANY ($1) AND mark_en = ANY ($2)
"""
_CANDIDATES = f"""
SELECT q.id, q.theme, q.difficulty, a.at IS NULL AS fresh
FROM question q LEFT JOIN asked a ON a.room = $1 AND a.question = q.id
WHERE q.owner = ANY ($2) AND q.theme = ANY ($3)
ORDER BY a.at NULLS FIRST, random() LIMIT {MOST_CANDIDATES}
"""
_REMEMBER = """
INSERT INTO asked (room, question) SELECT $1, unnest($2::text[]) ORDER BY 2
ON CONFLICT (room, question) DO UPDATE SET at = excluded.at
"""


class Done(Struct, frozen=True):
    """An import that was done: by this command, or before by the same one."""

    report: ImportReport
    replayed: bool


class KeyReused(ValueError):
    """The command's id was used for another file."""


class Bank:
    """``pool`` is on trivia's schema."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool

    async def load_starter(self) -> int:
        """The starter bank, as this version of the code has it; returns how many questions were new or changed."""
        changed = 0
        async with self.pool.acquire() as connection, connection.transaction():
            for each in msgspec.json.decode(_STARTER.read_bytes(), type=list[StarterQuestion]):
                status = await connection.execute(_LOAD, *each.row())
                changed += int(status.rpartition(" ")[2])
        return changed

    async def preview(self, owner: str, found: Sorted) -> ImportReport:
        async with self.pool.acquire() as connection:
            return report(await _fresh(connection, owner, found), stored=False)

    async def bring_in(self, command_id: str, digest: str, owner: str, found: Sorted) -> Done:
        """All that can be taken in one transaction, or the report of the first time. Raises KeyReused."""
        async with self.pool.acquire() as connection, connection.transaction():
            # One import of an owner at a time: what one has brought in, the next one finds.
            await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('import ' || $1, 0))", owner)
            before = await connection.fetchrow(
                "SELECT digest, report FROM question_import WHERE command_id = $1", command_id
            )
            if before is not None:
                if before["digest"] != digest:
                    raise KeyReused
                return Done(msgspec.json.decode(before["report"], type=ImportReport), replayed=True)
            fresh = await _fresh(connection, owner, found)
            await connection.executemany(_ADD, [_row(owner, draft) for draft in fresh.taken])
            made = report(fresh, stored=True)
            await connection.execute(
                "INSERT INTO question_import (command_id, owner, digest, report) VALUES ($1, $2, $3, $4)",
                command_id, owner, digest, canonical.encode(made),
            )  # fmt: skip
            return Done(made, replayed=False)

    async def forget(self, owner: str) -> None:
        """All that this player has brought in. What nights were played with it is in their logs."""
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.execute("DELETE FROM question WHERE owner = $1", owner)
            await connection.execute("DELETE FROM question_import WHERE owner = $1", owner)

    async def candidates(self, room: str, owner: str, themes: Sequence[str]) -> list[Candidate]:
        """Of the house and of this owner, for this room: see ``Candidate`` for the order."""
        rows = await self.pool.fetch(_CANDIDATES, room, [HOUSE, owner], list(themes))
        return [Candidate(*row) for row in rows]

    async def questions(self, ids: Sequence[str]) -> list[BankQuestion]:
        """In this order; one that was deleted meanwhile is missing."""
        rows = await self.pool.fetch(f"SELECT {_COLUMNS}, only_in FROM question WHERE id = ANY ($1)", list(ids))
        by_id = {row["id"]: _question(row) for row in rows}
        return [by_id[each] for each in ids if each in by_id]

    async def remember(self, room: str, ids: Iterable[str]) -> None:
        """The room has been asked these."""
        await self.pool.execute(_REMEMBER, room, sorted(set(ids)))


class StarterQuestion(Struct, frozen=True):
    """As ``starter.json`` has it. ``verified``: somebody has read at the source that it is so."""

    id: str
    theme: str
    difficulty: int
    text: Mapping[str, str]
    options: list[Mapping[str, str]]
    answer: int
    source: str
    verified: bool

    def row(self) -> tuple[Any, ...]:
        italian, english = self.text["it"], self.text["en"]
        return (
            self.id, self.theme, self.difficulty, italian, english, [o["it"] for o in self.options],
            [o["en"] for o in self.options], self.answer, self.source, self.verified, mark(italian), mark(english),
        )  # fmt: skip


async def _fresh(connection: asyncpg.Connection, owner: str, found: Sorted) -> Sorted:
    marks = sorted({each for draft in found.taken for each in draft.marks})
    known = {row["mark"] for row in await connection.fetch(_KNOWN, [HOUSE, owner], marks)}
    has = await connection.fetchval("SELECT count(*) FROM question WHERE owner = $1", owner)
    most = MOST_OF_THE_HOUSE if owner == HOUSE else MOST_OF_A_PLAYER
    return without_known(found, known, most - has)


def _row(owner: str, draft: Draft) -> tuple[Any, ...]:
    return (
        uuid.uuid4().hex, owner, draft.theme, draft.difficulty, draft.prompt.it, draft.prompt.en,
        [option.it for option in draft.options], [option.en for option in draft.options], draft.answer, draft.source,
        None if draft.only is UNSET else draft.only, *draft.marks,
    )  # fmt: skip


def _question(row: asyncpg.Record) -> BankQuestion:
    options = zip(row["options_it"], row["options_en"], strict=True)
    return BankQuestion(
        answer=row["answer"], difficulty=row["difficulty"], id=row["id"],
        options=[Said(en=english, it=italian) for italian, english in options],
        prompt=Said(en=row["prompt_en"], it=row["prompt_it"]), source=row["source"], theme=row["theme"],
        only=row["only_in"] or UNSET,
    )  # fmt: skip
