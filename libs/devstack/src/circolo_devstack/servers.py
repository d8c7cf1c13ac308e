"""A Postgres and a NATS for tests: embedded by default, containers on request, or whatever two URLs name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from .binaries import find_nats, find_postgres
from .nats import Nats
from .passwords import Passwords
from .places import cache_folder, can_enter, make_owned, runnable, unprivileged_user
from .postgres import Postgres
from .template import copy_cluster, template_cluster
from .temporary import temporary_folder

SERVERS_VARIABLE = "CIRCOLO_TEST_SERVERS"
FSYNC_VARIABLE = "CIRCOLO_TEST_FSYNC"


class NoEngine(Exception):
    """Containers were asked for and no container engine answers."""


@dataclass(frozen=True)
class Servers:
    """``postgres_url`` may create databases (and roles, unless it was given from outside)."""

    postgres_url: str
    nats_url: str
    source: str
    postgres: Postgres | None = None
    """Only when embedded: for tests that stop, kill or start a server."""
    nats: Nats | None = None


@contextmanager
def embedded_servers(folder: Path, *, fsync: bool = True) -> Iterator[Servers]:
    """Both servers in ``folder``, from the template; stopped at the end. NATS starts while the cluster is copied."""
    user = unprivileged_user()
    binaries = runnable(find_postgres(), user)
    with ExitStack() as stack:
        nats = Nats(find_nats(), folder / "nats", Passwords(folder / "passwords.json").get("nats"),
                    log=folder / "logs" / "nats.log")  # fmt: skip
        stack.callback(nats.stop)
        nats.start()
        data = make_owned(folder / "postgres", user)
        if not can_enter(data, user):
            raise OSError(f"the database's user cannot reach {data}; set TMPDIR to a folder that it can pass through")
        cluster = copy_cluster(template_cluster(binaries, user, cache_folder()), data)
        postgres = Postgres(cluster, log=folder / "logs" / "postgres.log", fsync=fsync)
        stack.callback(postgres.stop)
        postgres.start()
        nats.wait_ready()
        postgres.wait_ready()
        yield Servers(postgres.url, nats.url, f"embedded ({binaries.description})", postgres, nats)


@contextmanager
def servers_for_tests(environ: Mapping[str, str] = os.environ) -> Iterator[Servers]:
    """What the environment asks for.

    Raises NoEngine when containers were asked for and none can be run.
    """
    postgres_url, nats_url = environ.get("CIRCOLO_POSTGRES_URL"), environ.get("CIRCOLO_NATS_URL")
    if environ.get(SERVERS_VARIABLE) == "containers":
        from .containers import container_servers  # noqa: PLC0415 - importing testcontainers takes a while

        with container_servers() as servers:
            yield servers
    elif postgres_url and nats_url:
        yield Servers(postgres_url, nats_url, "given by URL")
    else:
        with (
            temporary_folder() as folder,
            embedded_servers(folder, fsync=environ.get(FSYNC_VARIABLE, "1") != "0") as servers,
        ):
            yield servers
