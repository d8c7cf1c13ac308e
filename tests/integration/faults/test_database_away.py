"""A database that does not answer for a while: row 3 of the deployments' faults, with the pool that services have."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator

import asyncpg
import pytest
from chaos.faults import children_of
from circolo_devstack.servers import Servers
from circolo_events.failures import DATABASE_AWAY
from circolo_service import Settings, pools


@contextlib.contextmanager
def frozen(servers: Servers) -> Iterator[None]:
    """The whole server stands still: the postmaster and every backend."""
    assert servers.postgres is not None
    pid = servers.postgres.pid
    assert pid is not None
    processes = [pid, *children_of(pid)]
    try:
        for each in processes:
            with contextlib.suppress(ProcessLookupError):  # a backend whose session has just ended
                os.kill(each, signal.SIGSTOP)
        yield
    finally:
        for each in reversed(processes):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)


@pytest.mark.parametrize("patience", ["acquire", "statement"])
async def test_ops_3_a_pool_serves_again_after_its_database_stood_still(
    servers: Servers, database: str, patience: str
) -> None:
    """50 tasks on a pool of 3, half of them cancelled; afterwards 3 connections serve and the pool closes in time."""
    if servers.postgres is None:
        pytest.skip("the servers were given from outside: this test stops one")
    settings = Settings.model_validate({"postgres_url": database, "nats_url": servers.nats_url, "pool_size": 3})
    async with asyncio.timeout(60):
        pool = await pools.create(settings, None, name="test")

        async def read() -> None:
            if patience == "acquire":
                async with pool.acquire(timeout=0.01) as connection:
                    await connection.fetchval("SELECT 1")
            else:
                await pool.fetchval("SELECT 1", timeout=0.05)

        for _ in range(3):
            with frozen(servers):
                tasks = [asyncio.create_task(read()) for _ in range(50)]
                await asyncio.sleep(0.1)
                for task in tasks[::2]:
                    task.cancel()
                await asyncio.sleep(0.2)
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            for each in ended:
                assert each is None or isinstance(each, (asyncio.CancelledError, *DATABASE_AWAY)), each
        await serves(pool)
        async with asyncio.timeout(5):
            await pool.close()


async def serves(pool: asyncpg.Pool) -> None:
    """Three at once. A connection that died is met by at most one statement, which says so."""
    bad = 0
    while True:
        answers = await asyncio.gather(
            *(pool.fetchval("SELECT pg_sleep(0.05)::text || $1::text", str(n)) for n in range(3)),
            return_exceptions=True,
        )
        if answers == ["0", "1", "2"]:
            return
        bad += sum(isinstance(each, BaseException) for each in answers)
        assert bad <= 3, answers
