"""The same two servers as containers, by testcontainers: ``CIRCOLO_TEST_SERVERS=containers``."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import docker  # type: ignore[import-untyped]
from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.community.postgres import PostgresContainer
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

from .postgres import SUPERUSER
from .servers import NoEngine, Servers

POSTGRES_IMAGE = "postgres:17"
NATS_IMAGE = "nats:2"
CLIENT_PORT = 4222
MONITOR_PORT = 8222


def engine_problem() -> str | None:
    """Why no container can be run here; None when an engine answers."""
    problem = None
    try:
        docker.from_env().close()
    except DockerException as error:
        problem = f"no container engine answers: {error}"
    if problem:
        with warnings.catch_warnings():  # the failed attempt leaves a socket behind, which is no news
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
    return problem


def postgres_container() -> PostgresContainer:
    return PostgresContainer(POSTGRES_IMAGE, username=SUPERUSER, dbname="postgres", driver=None)


def nats_container() -> DockerContainer:
    """JetStream on, its health page as the sign that it is up."""
    made = DockerContainer(NATS_IMAGE)
    made.with_exposed_ports(CLIENT_PORT, MONITOR_PORT).with_command(f"-js -m {MONITOR_PORT}")
    return made.waiting_for(HttpWaitStrategy(MONITOR_PORT, "/healthz").for_status_code(200))


@contextmanager
def container_servers() -> Iterator[Servers]:
    """Both, removed at the end. Raises NoEngine."""
    problem = engine_problem()
    if problem:
        raise NoEngine(problem)
    with postgres_container() as postgres, nats_container() as nats:
        nats_url = f"nats://{nats.get_container_host_ip()}:{nats.get_exposed_port(CLIENT_PORT)}"
        yield Servers(postgres.get_connection_url(), nats_url, "containers")
