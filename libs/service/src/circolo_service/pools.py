"""Postgres connections of a service: on its schema, with a name, with a time limit on everything."""

from __future__ import annotations

import asyncio

import asyncpg

from .settings import Settings

CONNECT_SECONDS = 5.0
COMMAND_SECONDS = 15.0
RETRY_SECONDS = 0.1
NOT_UP_YET = (
    OSError,
    TimeoutError,
    asyncpg.CannotConnectNowError,
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.TooManyConnectionsError,
)
"""What a Postgres that starts, restarts or is full answers: worth waiting for. A wrong password is not."""


class PostgresUnavailable(Exception):
    """No usable Postgres; the text names the reason and never the URL."""


def server_settings(schema: str | None, name: str) -> dict[str, str]:
    """Of every session. A transaction that its owner forgot may hold a stream's row for 30 s, not for ever.

    And tables are not scanned where there is an index: a prepared statement keeps the plan of its first day, when the
    table was empty and a scan of it cost nothing, until the first ANALYZE.
    """
    settings = {
        "application_name": f"circolo-{name}",
        "enable_seqscan": "off",
        "idle_in_transaction_session_timeout": "30000",
    }
    if schema is not None:
        settings["search_path"] = schema
    return settings


async def connect(settings: Settings, schema: str | None, *, name: str, direct: bool = False) -> asyncpg.Connection:
    """One connection; ``direct`` goes past a pooler. Raises what asyncpg raises."""
    return await asyncpg.connect(
        settings.direct_url if direct else settings.postgres_url,
        timeout=CONNECT_SECONDS,
        command_timeout=COMMAND_SECONDS,
        statement_cache_size=settings.statement_cache,
        server_settings=server_settings(schema, name),
    )


async def wait_for_postgres(settings: Settings, *, name: str, direct: bool = False) -> None:
    """Until it takes connections, at most ``start_wait_seconds``; raises PostgresUnavailable."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + settings.start_wait_seconds
    while True:
        try:
            connection = await connect(settings, None, name=name, direct=direct)
        except NOT_UP_YET as error:
            if loop.time() > deadline:
                raise PostgresUnavailable(
                    f"Postgres takes no connection after {settings.start_wait_seconds:g} s ({type(error).__name__})"
                ) from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
            raise PostgresUnavailable(f"Postgres refuses us ({type(error).__name__})") from error
        else:
            await connection.close()
            return
        await asyncio.sleep(RETRY_SECONDS)


async def create(settings: Settings, schema: str | None, *, name: str) -> asyncpg.Pool:
    """A pool of at most ``pool_size`` connections, one of them open at once. Who finds none free waits in line."""
    await wait_for_postgres(settings, name=name)
    return await asyncpg.create_pool(
        settings.postgres_url,
        min_size=1,
        max_size=settings.pool_size,
        max_inactive_connection_lifetime=300,
        timeout=CONNECT_SECONDS,
        command_timeout=COMMAND_SECONDS,
        statement_cache_size=settings.statement_cache,
        server_settings=server_settings(schema, name),
        reset=_nothing_to_reset,
    )


async def _nothing_to_reset(_: asyncpg.Connection) -> None:
    """Nothing that is taken from a pool leaves state in the session (no LISTEN, no SET, no advisory lock), and the
    default reset is a round trip for every read."""
