"""Each service may write its own schema, read the others' logs, and nothing else; the gateway's role only reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from circolo_devstack.databases import run_apart
from circolo_devstack.passwords import Passwords
from circolo_devstack.roles import DatabaseUrls, bootstrap, one_for_all
from circolo_devstack.servers import Servers

OWNERS = ("rooms", "cardgames", "projector")
LOG = """
CREATE TABLE event (pos int); CREATE TABLE profile (name text);
GRANT SELECT ON event TO circolo_log_reader;
"""


async def run(url: str, sql: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def in_schema(url: str, sql: str) -> None:
    connection = await asyncpg.connect(url, server_settings={"search_path": urlsplit(url).username[8:]})  # type: ignore[index]
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


@pytest.fixture(scope="module")
def passwords(tmp_path_factory: pytest.TempPathFactory) -> Passwords:
    return Passwords(tmp_path_factory.mktemp("roles") / "passwords.json")


@pytest.fixture(scope="module")
def urls(servers: Servers, passwords: Passwords) -> Iterator[DatabaseUrls]:
    made = bootstrap(servers.postgres_url, OWNERS, passwords, database="circolo_roles_test")
    run_apart(in_schema(made.of("rooms"), LOG))
    yield made
    run_apart(run(servers.postgres_url, "DROP DATABASE circolo_roles_test WITH (FORCE)"))
    for role in [*(f"circolo_{owner}" for owner in OWNERS), "circolo_reader", "circolo_log_reader"]:
        run_apart(run(servers.postgres_url, f"DROP ROLE {role}"))


def test_each_service_has_its_own_role_and_the_gateway_the_reading_one(urls: DatabaseUrls) -> None:
    users = {name: urlsplit(urls.of(name)).username for name in (*OWNERS, "gateway")}
    assert users == {
        "rooms": "circolo_rooms",
        "cardgames": "circolo_cardgames",
        "projector": "circolo_projector",
        "gateway": "circolo_reader",
    }
    assert not urls.shared


async def test_a_service_writes_its_own_schema(urls: DatabaseUrls) -> None:
    await in_schema(urls.of("projector"), "CREATE TABLE lobby (room text); INSERT INTO lobby VALUES ('a')")


async def test_a_service_reads_the_log_of_another_and_nothing_else_of_it(urls: DatabaseUrls) -> None:
    assert await run(urls.of("cardgames"), "SELECT count(*) FROM rooms.event") == 0
    for forbidden in ("SELECT count(*) FROM rooms.profile", "INSERT INTO rooms.event VALUES (1)"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(urls.of("cardgames"), forbidden)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await run(urls.of("cardgames"), "CREATE TABLE rooms.intruder (x int)")


async def test_a_service_can_make_no_schema_database_or_role(urls: DatabaseUrls) -> None:
    for forbidden in (
        "CREATE SCHEMA mine",
        "CREATE DATABASE mine",
        "CREATE ROLE mine",
        "CREATE TABLE public.mine (x int)",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(urls.of("rooms"), forbidden)


async def test_the_reading_role_reads_what_it_was_granted_and_writes_nothing(urls: DatabaseUrls) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await run(urls.of("gateway"), "SELECT count(*) FROM rooms.event")
    await in_schema(urls.of("rooms"), "GRANT SELECT ON profile TO circolo_reader")
    assert await run(urls.of("gateway"), "SELECT count(*) FROM rooms.profile") == 0
    with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
        await run(urls.of("gateway"), "INSERT INTO rooms.profile VALUES ('x')")


async def test_repeating_it_changes_nothing(servers: Servers, urls: DatabaseUrls, passwords: Passwords) -> None:
    again = bootstrap(servers.postgres_url, OWNERS, passwords, database="circolo_roles_test")
    assert again == urls
    assert await run(urls.of("rooms"), "SELECT count(*) FROM rooms.event") == 0


def test_lost_passwords_are_replaced(
    servers: Servers, urls: DatabaseUrls, passwords: Passwords, tmp_path: Path
) -> None:
    fresh = bootstrap(servers.postgres_url, OWNERS, Passwords(tmp_path / "p.json"), database="circolo_roles_test")
    assert fresh.of("rooms") != urls.of("rooms")
    assert run_apart(run(fresh.of("rooms"), "SELECT 1")) == 1
    bootstrap(servers.postgres_url, OWNERS, passwords, database="circolo_roles_test")


def test_a_database_given_by_url_is_used_by_all() -> None:
    urls = one_for_all("postgresql://somewhere/club")
    assert urls.shared
    assert {urls.of(name) for name in (*OWNERS, "gateway")} == {"postgresql://somewhere/club"}
