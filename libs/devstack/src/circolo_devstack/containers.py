"""The same two servers as containers, by testcontainers: ``CIRCOLO_TEST_SERVERS=containers``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy
from testcontainers.postgres import PostgresContainer

from .postgres import SUPERUSER
from .servers import NoEngine, Servers

POSTGRES_IMAGE = "postgres:17"
NATS_IMAGE = "nats:2"
CLIENT_PORT = 4222
MONITOR_PORT = 8222


def postgres_container() -> PostgresContainer:
    """Raises NoEngine: testcontainers asks for the engine at once."""
    try:
        return PostgresContainer(POSTGRES_IMAGE, username=SUPERUSER, dbname="postgres", driver=None)
    except DockerException as error:
        raise NoEngine(f"no container engine answers: {error}") from error


def nats_container() -> DockerContainer:
    """JetStream on, its health page as the sign that it is up. Raises NoEngine."""
    try:
        made = DockerContainer(NATS_IMAGE)
    except DockerException as error:
        raise NoEngine(f"no container engine answers: {error}") from error
    made.with_exposed_ports(CLIENT_PORT, MONITOR_PORT).with_command(f"-js -m {MONITOR_PORT}")
    return made.waiting_for(HttpWaitStrategy(MONITOR_PORT, "/healthz").for_status_code(200))


@contextmanager
def container_servers() -> Iterator[Servers]:
    """Both, removed at the end. Raises NoEngine."""
    with postgres_container() as postgres, nats_container() as nats:
        nats_url = f"nats://{nats.get_container_host_ip()}:{nats.get_exposed_port(CLIENT_PORT)}"
        yield Servers(postgres.get_connection_url(), nats_url, "containers")
