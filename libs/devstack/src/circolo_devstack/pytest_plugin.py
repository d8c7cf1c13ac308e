"""Fixtures for integration tests: ``servers`` (session), ``nats_url``, ``database`` (a fresh one for each test).

Load it with ``-p circolo_devstack.pytest_plugin`` or in a root conftest's ``pytest_plugins``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from .databases import Databases
from .servers import NoEngine, Servers, servers_for_tests


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A real Postgres and a real NATS: embedded, or CIRCOLO_TEST_SERVERS=containers, or the two URL variables."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(servers_for_tests())
        except NoEngine as error:
            pytest.skip(str(error))
        yield running


@pytest.fixture(scope="session")
def nats_url(servers: Servers) -> str:
    return servers.nats_url


@pytest.fixture(scope="session")
def _databases(servers: Servers) -> Iterator[Databases]:
    made = Databases(servers.postgres_url)
    yield made
    made.close()


@pytest.fixture
def database(_databases: Databases) -> Iterator[str]:
    """The superuser's URL of an empty database that is dropped afterwards, whoever is still connected."""
    url = _databases.take()
    yield url
    _databases.give_back(url)
