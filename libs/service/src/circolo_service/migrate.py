"""Forward-only SQL: each file once, in order, in its own transaction, under an advisory lock of the schema.

Files are ``<number>_<name>.sql`` with numbers from 1 without a gap and unqualified table names. What was applied is
in the schema's table ``schema_migration``, with a checksum: an applied file never changes, a new one follows it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg

log = logging.getLogger(__name__)

Part = tuple[str, Path]
"""A name that stays (``kit`` or the service's) and the folder of its files."""

LOCK_SECONDS = 300.0
"""How long to wait for somebody else who migrates the same schema."""

_FILE = re.compile(r"^(\d+)_([a-z0-9_]+)\.sql$")
_SCHEMA = re.compile(r"^[a-z][a-z0-9_]{0,62}$")
_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migration (
    part text NOT NULL, number integer NOT NULL, name text NOT NULL, checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (part, number)
)"""


class MigrationError(Exception):
    """The schema cannot be brought up to date; the text says which file and why."""


@dataclass(frozen=True)
class Migration:
    part: str
    number: int
    name: str
    sql: str

    @property
    def label(self) -> str:
        return f"{self.part}/{self.number:04d}_{self.name}"

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_part(part: str, folder: Path) -> list[Migration]:
    """The files of a folder in order; raises MigrationError for a gap, a name without a number or no folder."""
    if not folder.is_dir():
        raise MigrationError(f"{part}: there is no folder {folder}")
    found = []
    for path in sorted(folder.glob("*.sql")):
        match = _FILE.match(path.name)
        if match is None:
            raise MigrationError(f"{part}: {path.name} is not called <number>_<name>.sql")
        sql = path.read_text(encoding="utf-8").replace("\r\n", "\n")
        found.append(Migration(part, int(match[1]), match[2], sql))
    found.sort(key=lambda migration: migration.number)
    for wanted, migration in enumerate(found, start=1):
        if migration.number != wanted:
            raise MigrationError(f"{part}: number {wanted} is missing or there twice (found {migration.label})")
    return found


async def migrate(where: str | asyncpg.Connection, schema: str, parts: Sequence[Part]) -> list[str]:
    """Bring the schema up to date and return the labels of what was applied now.

    ``where`` is a URL, or a connection that is on no transaction (its search_path is put back); not one through a
    transaction pooler, since the lock is the session's. Raises MigrationError.
    """
    if not _SCHEMA.match(schema):
        raise MigrationError(f"{schema!r} is no name for a schema")
    wanted = [migration for part, folder in parts for migration in read_part(part, folder)]
    if isinstance(where, str):
        connection = await asyncpg.connect(where, timeout=5)
        try:
            return await _migrate(connection, schema, wanted)
        finally:
            await connection.close()
    before = await where.fetchval("SELECT current_setting('search_path')")
    try:
        return await _migrate(where, schema, wanted)
    finally:
        await where.execute("SELECT set_config('search_path', $1, false)", before)


async def outstanding(connection: asyncpg.Connection, schema: str, parts: Sequence[Part]) -> list[str]:
    """Labels of what is still to be applied; nothing is changed. Raises MigrationError as ``migrate`` does."""
    wanted = [migration for part, folder in parts for migration in read_part(part, folder)]
    if await connection.fetchval("SELECT to_regclass($1) IS NULL", f"{schema}.schema_migration"):
        return [migration.label for migration in wanted]
    applied = await _applied(connection, f"{schema}.schema_migration")
    return [migration.label for migration in wanted if _is_new(migration, applied)]


async def _migrate(connection: asyncpg.Connection, schema: str, wanted: list[Migration]) -> list[str]:
    key = _lock_key(schema)
    await _lock(connection, key, schema)
    try:
        # Asked for first: a role without the right to create schemas may still own one.
        if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema):
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        await connection.execute(f"SET search_path TO {schema}")
        await connection.execute(_TABLE)
        applied = await _applied(connection, "schema_migration")
        fresh = [migration for migration in wanted if _is_new(migration, applied)]
        for migration in fresh:
            await _apply(connection, schema, migration)
        return [migration.label for migration in fresh]
    finally:
        if not connection.is_closed():
            await connection.execute("SELECT pg_advisory_unlock($1)", key)


async def _apply(connection: asyncpg.Connection, schema: str, migration: Migration) -> None:
    try:
        async with connection.transaction():
            await connection.execute(migration.sql, timeout=600)
            await connection.execute(
                "INSERT INTO schema_migration (part, number, name, checksum) VALUES ($1, $2, $3, $4)",
                migration.part, migration.number, migration.name, migration.checksum,
            )  # fmt: skip
    except asyncpg.PostgresError as error:
        raise MigrationError(f"{schema}: {migration.label} failed: {error}") from error
    log.info("migrated %s: %s", schema, migration.label)


async def _applied(connection: asyncpg.Connection, table: str) -> dict[tuple[str, int], str]:
    rows = await connection.fetch(f"SELECT part, number, checksum FROM {table}")
    return {(row["part"], row["number"]): row["checksum"] for row in rows}


def _is_new(migration: Migration, applied: dict[tuple[str, int], str]) -> bool:
    known = applied.get((migration.part, migration.number))
    if known is None:
        if any(part == migration.part and number > migration.number for part, number in applied):
            raise MigrationError(f"{migration.label} was never applied, but a later one was")
        return True
    if known != migration.checksum:
        raise MigrationError(f"{migration.label} was changed after it was applied; put it back and add a new file")
    return False


def _lock_key(schema: str) -> int:
    return int.from_bytes(hashlib.sha256(f"circolo-migrate|{schema}".encode()).digest()[:8], "big", signed=True)


async def _lock(connection: asyncpg.Connection, key: int, schema: str) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + LOCK_SECONDS
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", key):
        if loop.time() > deadline:
            raise MigrationError(f"{schema}: somebody else has been migrating it for {LOCK_SECONDS:g} s")
        await asyncio.sleep(0.05)
