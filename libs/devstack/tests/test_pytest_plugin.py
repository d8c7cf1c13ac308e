"""Where tests get their servers from; the container path up to the request that it builds."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import asyncpg
import pytest
from circolo_devstack.containers import container_servers, nats_container, postgres_container
from circolo_devstack.servers import NoEngine, Servers, servers_for_tests
from docker.errors import DockerException


async def test_the_database_of_a_test_is_empty_and_its_own(database: str, servers: Servers) -> None:
    connection = await asyncpg.connect(database)
    assert await connection.fetchval("SELECT current_database()") != "postgres"
    assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    await connection.execute("CREATE TABLE mine (x int)")
    await connection.close()


async def test_the_next_test_gets_another(database: str) -> None:
    connection = await asyncpg.connect(database)
    assert await connection.fetchval("SELECT to_regclass('mine')") is None
    await connection.close()


def test_two_urls_are_taken_as_they_are() -> None:
    given = {"CIRCOLO_POSTGRES_URL": "postgresql://db/x", "CIRCOLO_NATS_URL": "nats://broker"}
    with servers_for_tests(given) as servers:
        assert (servers.postgres_url, servers.nats_url) == ("postgresql://db/x", "nats://broker")
        assert servers.postgres is None


def test_fsync_is_on_unless_it_is_asked_otherwise(servers: Servers) -> None:
    with servers_for_tests({"CIRCOLO_TEST_FSYNC": "0"}) as quick:
        assert quick.postgres is not None
        assert quick.postgres.settings()["fsync"] == "off"
    if servers.postgres is not None:
        assert servers.postgres.settings()["fsync"] == "on"


class Engine:
    """Stands for a Docker engine: keeps the requests that reach it."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, **options: Any) -> MagicMock:
        client = MagicMock()

        def run(image: str, command: str | None = None, **request: Any) -> MagicMock:
            self.requests.append((image, {"command": command, **request}))
            raise DockerException("this engine starts nothing")

        client.run.side_effect = run
        client.create.side_effect = run
        return client


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    made = Engine()
    monkeypatch.setattr("testcontainers.core.container.DockerClient", made)
    monkeypatch.setattr("testcontainers.core.config.testcontainers_config.ryuk_disabled", True)
    return made


def test_the_containers_that_are_asked_for(engine: Engine) -> None:
    for container in (postgres_container(), nats_container()):
        with pytest.raises(DockerException, match="starts nothing"):
            container.start()
    (postgres, first), (nats, second) = engine.requests
    assert postgres == "postgres:17"
    assert first["environment"]["POSTGRES_USER"] == "postgres"
    assert set(first["ports"]) == {"5432"}
    assert nats == "nats:2"
    assert second["command"] == "-js -m 8222"
    assert set(second["ports"]) == {"4222", "8222"}


def test_without_an_engine_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise DockerException("Error while fetching server API version")

    monkeypatch.setattr("docker.from_env", refuse)
    with (
        pytest.raises(NoEngine, match="no container engine answers: Error while fetching"),
        servers_for_tests({"CIRCOLO_TEST_SERVERS": "containers"}),
    ):
        raise AssertionError("there is no engine")


def test_on_real_containers() -> None:
    """Only where an engine runs and has the images or can fetch them."""
    try:
        with container_servers() as servers:
            assert servers.source == "containers"
    except NoEngine as error:
        pytest.skip(str(error))
