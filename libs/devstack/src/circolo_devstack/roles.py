"""Who may do what in the database: a login role and a schema for each service, a group that may read logs, and a
read-only role for the gateway. Tables are granted by the migrations that make them.

With a database given by URL nothing of this is made: every service uses that URL, and makes its own schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from .databases import run_apart, with_database
from .passwords import Passwords

DATABASE = "circolo"
LOG_READER = "circolo_log_reader"
READER = "circolo_reader"
SHARED_URL = "CIRCOLO_POSTGRES_URL"
READ_SCHEMAS = ("projector", "rooms")
"""Where the read-only role finds what the gateway shows."""


@dataclass(frozen=True)
class DatabaseUrls:
    """A URL for each service: its own role's, or one for all."""

    default: str
    own: Mapping[str, str]

    @property
    def shared(self) -> bool:
        return not self.own

    def of(self, service: str) -> str:
        return self.own.get(service, self.default)


def one_for_all(url: str) -> DatabaseUrls:
    return DatabaseUrls(url, {})


def role_of(service: str) -> str:
    return f"circolo_{service}"


def bootstrap(
    superuser_url: str, owners: Sequence[str], passwords: Passwords, *, database: str = DATABASE
) -> DatabaseUrls:
    """Make or mend database, roles, schemas and memberships; repeating it changes nothing but passwords.

    ``owners`` are the services with a schema. Whoever is not among them gets the read-only role's URL.
    Raises what asyncpg raises.
    """
    secrets = {role: passwords.get(role) for role in (READER, *(role_of(service) for service in owners))}
    run_apart(_bootstrap(superuser_url, owners, secrets, database))
    base = with_database(superuser_url, database)
    own = {service: _as_role(base, role_of(service), secrets[role_of(service)]) for service in owners}
    return DatabaseUrls(_as_role(base, READER, secrets[READER]), own)


def _as_role(url: str, role: str, password: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{parts.netloc.rpartition('@')[2]}"))


async def _bootstrap(url: str, owners: Sequence[str], secrets: Mapping[str, str], database: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", database):
            await connection.execute(f'CREATE DATABASE "{database}" TEMPLATE template0')
    finally:
        await connection.close()
    connection = await asyncpg.connect(with_database(url, database))
    try:
        await _make_roles(connection, secrets)
        await _make_schemas(connection, owners, database)
    finally:
        await connection.close()


async def _make_roles(connection: asyncpg.Connection[Any], secrets: Mapping[str, str]) -> None:
    known = {row["rolname"] for row in await connection.fetch("SELECT rolname FROM pg_roles")}
    await connection.execute("SET log_min_error_statement = panic")  # a failing statement would log a password
    if LOG_READER not in known:
        await connection.execute(f"CREATE ROLE {LOG_READER} NOLOGIN")
    for role, password in secrets.items():
        verb = "ALTER" if role in known else "CREATE"
        await connection.execute(
            f"{verb} ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD '{password}'"
        )
    await connection.execute(f"ALTER ROLE {READER} SET default_transaction_read_only = on")
    await connection.execute("RESET log_min_error_statement")


async def _make_schemas(connection: asyncpg.Connection[Any], owners: Sequence[str], database: str) -> None:
    statements = [f'REVOKE ALL ON DATABASE "{database}" FROM PUBLIC', "REVOKE ALL ON SCHEMA public FROM PUBLIC"]
    statements.append(f'GRANT CONNECT ON DATABASE "{database}" TO {READER}')
    for service in owners:
        role = role_of(service)
        statements += [
            f'GRANT CONNECT ON DATABASE "{database}" TO {role}',
            f"GRANT {LOG_READER} TO {role}",
            f"CREATE SCHEMA IF NOT EXISTS {service} AUTHORIZATION {role}",
            f"GRANT USAGE ON SCHEMA {service} TO {LOG_READER}",
        ]
    readable = [service for service in READ_SCHEMAS if service in owners]
    if readable:
        statements.append(f"GRANT USAGE ON SCHEMA {', '.join(readable)} TO {READER}")
    async with connection.transaction():
        await connection.execute("SET LOCAL client_min_messages = warning")
        await connection.execute(";\n".join(statements))
