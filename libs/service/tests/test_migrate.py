from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import circolo_events
import pytest
from circolo_service.migrate import MigrationError, migrate, outstanding, read_part

KIT = Path(circolo_events.__file__).parent / "migrations"


class Folder:
    """A folder of migrations that a test fills."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, sql: str) -> None:
        (self.path / name).write_text(sql, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.write("0001_tables.sql", "CREATE TABLE seat (n int PRIMARY KEY);")
    made.write("0002_more.sql", "INSERT INTO seat VALUES (1); INSERT INTO seat VALUES (2);")
    return made


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    opened = await asyncpg.connect(database)
    yield opened
    await opened.close()


async def test_each_file_is_applied_once_in_order_in_the_schema(folder: Folder, connection: asyncpg.Connection) -> None:
    parts = [("rooms", folder.path)]
    assert await outstanding(connection, "rooms", parts) == ["rooms/0001_tables", "rooms/0002_more"]
    assert await migrate(connection, "rooms", parts) == ["rooms/0001_tables", "rooms/0002_more"]
    assert await migrate(connection, "rooms", parts) == []
    assert await outstanding(connection, "rooms", parts) == []
    assert await connection.fetchval("SELECT sum(n) FROM rooms.seat") == 3
    assert await connection.fetchval("SHOW search_path") == '"$user", public'


async def test_a_new_file_follows_those_that_were_applied(folder: Folder, database: str) -> None:
    await migrate(database, "rooms", [("rooms", folder.path)])
    folder.write("0003_last.sql", "DROP TABLE seat;")
    assert await migrate(database, "rooms", [("rooms", folder.path)]) == ["rooms/0003_last"]


async def test_an_applied_file_that_was_changed_is_an_error(folder: Folder, database: str) -> None:
    await migrate(database, "rooms", [("rooms", folder.path)])
    folder.write("0001_tables.sql", "CREATE TABLE seat (n bigint PRIMARY KEY);")
    with pytest.raises(MigrationError, match="rooms/0001_tables was changed after it was applied"):
        await migrate(database, "rooms", [("rooms", folder.path)])


async def test_a_missing_number_is_an_error_before_anything_is_applied(
    folder: Folder, connection: asyncpg.Connection
) -> None:
    folder.write("0004_later.sql", "DROP TABLE seat;")
    with pytest.raises(MigrationError, match="number 3 is missing"):
        await migrate(connection, "rooms", [("rooms", folder.path)])
    assert await connection.fetchval("SELECT to_regnamespace('rooms') IS NULL")


def test_a_file_without_a_number_and_a_folder_that_is_not_there_are_errors(tmp_path: Path) -> None:
    with pytest.raises(MigrationError, match="there is no folder"):
        read_part("rooms", tmp_path / "none")
    (tmp_path / "tables.sql").write_text("")
    with pytest.raises(MigrationError, match=r"tables\.sql is not called"):
        read_part("rooms", tmp_path)


async def test_a_file_that_fails_leaves_nothing_of_itself(folder: Folder, connection: asyncpg.Connection) -> None:
    folder.write("0003_half.sql", "CREATE TABLE half (n int); SELECT nothing_of_the_kind();")
    with pytest.raises(MigrationError, match="rooms/0003_half failed"):
        await migrate(connection, "rooms", [("rooms", folder.path)])
    assert await connection.fetchval("SELECT to_regclass('rooms.half') IS NULL")
    assert await connection.fetchval("SELECT max(number) FROM rooms.schema_migration") == 2
    folder.write("0003_half.sql", "CREATE TABLE half (n int);")
    assert await migrate(connection, "rooms", [("rooms", folder.path)]) == ["rooms/0003_half"]


async def test_two_replicas_that_start_together_apply_each_file_once(folder: Folder, database: str) -> None:
    done = await asyncio.gather(*(migrate(database, "rooms", [("rooms", folder.path)]) for _ in range(4)))
    assert sorted(label for labels in done for label in labels) == ["rooms/0001_tables", "rooms/0002_more"]


async def test_older_code_may_start_on_a_schema_that_newer_code_migrated(folder: Folder, database: str) -> None:
    await migrate(database, "rooms", [("rooms", folder.path)])
    (folder.path / "0002_more.sql").unlink()
    assert await migrate(database, "rooms", [("rooms", folder.path)]) == []


async def test_line_ends_of_a_windows_checkout_change_no_checksum(folder: Folder, database: str) -> None:
    folder.write("0003_two_lines.sql", "SELECT 1;\nSELECT 2;\n")
    await migrate(database, "rooms", [("rooms", folder.path)])
    (folder.path / "0003_two_lines.sql").write_bytes(b"SELECT 1;\r\nSELECT 2;\r\n")
    assert await migrate(database, "rooms", [("rooms", folder.path)]) == []


async def test_a_role_that_owns_its_schema_needs_no_right_to_create_one(
    folder: Folder, connection: asyncpg.Connection, database: str
) -> None:
    role = f"owner_{database.rpartition('/')[2]}"
    await connection.execute(f"CREATE ROLE {role}; CREATE SCHEMA rooms AUTHORIZATION {role}; SET ROLE {role}")
    try:
        assert len(await migrate(connection, "rooms", [("rooms", folder.path)])) == 2
    finally:
        await connection.execute(f"RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}")


async def test_two_services_of_one_database_have_the_kits_tables_each(connection: asyncpg.Connection) -> None:
    for schema in ("rooms", "cardgames"):
        assert len(await migrate(connection, schema, [("kit", KIT)])) == len(list(KIT.glob("*.sql")))
        assert await connection.fetchval(f"SELECT count(*) FROM {schema}.shard_head") == 16


@pytest.mark.parametrize("schema", ["rooms; drop", "Rooms", "", "r" * 64])
async def test_a_schema_has_a_plain_name(folder: Folder, schema: str) -> None:
    with pytest.raises(MigrationError, match="no name for a schema"):
        await migrate("postgresql://nowhere", schema, [("rooms", folder.path)])
