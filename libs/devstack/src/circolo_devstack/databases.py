"""Fresh databases for tests, one ahead of the demand: made and dropped by a thread of its own."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg

T = TypeVar("T")


def with_database(url: str, name: str) -> str:
    """The same server and user, another database."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a loop of its own, also from inside a thread whose loop is running."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(asyncio.run(work))
        except BaseException as error:
            done.set_exception(error)

    thread = threading.Thread(target=run, name="circolo-sql")
    thread.start()
    thread.join()
    return done.result()


class Databases:
    """``take()`` gives the URL of an empty database; ``give_back`` drops it, whoever is still connected."""

    def __init__(self, admin_url: str) -> None:
        self._admin_url = admin_url
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="circolo-databases", daemon=True)
        self._thread.start()
        self._connection: asyncpg.Connection[Any] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._alive: set[str] = set()
        self._spare = self._schedule(self._make())

    def _schedule(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _execute(self, statement: str) -> None:
        async with self._one_at_a_time:
            if self._connection is None or self._connection.is_closed():
                self._connection = await asyncpg.connect(self._admin_url)
            await self._connection.execute(statement)

    async def _make(self) -> str:
        name = f"test_{uuid.uuid4().hex[:16]}"
        await self._execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        self._alive.add(name)
        return name

    async def _drop(self, name: str) -> None:
        await self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        self._alive.discard(name)

    def take(self) -> str:
        try:
            name = self._spare.result(60)
        finally:
            self._spare = self._schedule(self._make())
        return with_database(self._admin_url, name)

    def give_back(self, url: str) -> None:
        self._schedule(self._drop(urlsplit(url).path.lstrip("/")))

    async def _close(self) -> None:
        for name in sorted(self._alive):
            await self._drop(name)
        if self._connection is not None:
            await self._connection.close()

    def close(self) -> None:
        """Drop every database that was made. Raises what the server answered."""
        try:
            self._spare.exception(60)
            self._schedule(self._close()).result(60)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
