"""A whole Circolo: servers, roles, keys, every service as a process. ``with stack() as running: running.url``."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from .binaries import find_nats, find_postgres
from .children import Child
from .home import Home
from .keys import token_keys
from .nats import Nats
from .places import cache_folder, data_folder, owner_of, runnable, unprivileged_user
from .ports import LOOPBACK, free_port, is_free
from .postgres import Cluster, Postgres, make_cluster
from .roles import DatabaseUrls, bootstrap, one_for_all
from .services import ONE_PROCESS, SERVICES, ServiceSpec, Surroundings, environment
from .supervisor import STOP_STEPS, Backoff, StopSteps, Supervisor, answers_ready
from .template import copy_cluster, template_cluster
from .temporary import temporary_folder

SERVICE_TIER = 1
EDGE_TIER = 2

Say = Callable[[str], None]


def silent(line: str) -> None:
    """A ``say`` for tests."""


class PortTaken(Exception):
    """Somebody else listens where players should connect."""


class ServiceProcess:
    """One service (or all of them) as a program of the supervisor, with a health port of its own at each start."""

    stop_steps: StopSteps = STOP_STEPS

    def __init__(self, name: str, argv: Sequence[str], env: Mapping[str, str], log: Path, tier: int) -> None:
        self.name = name
        self.log = log
        self.tier = tier
        self.health_port = 0
        self._argv = argv
        self._env = env

    def start(self) -> Child:
        self.health_port = free_port()
        env = {**self._env, "CIRCOLO_HEALTH_PORT": str(self.health_port)}
        return Child.start(self.name, self._argv, log=self.log, env=env)

    def is_ready(self) -> bool:
        return answers_ready(self.health_port)


def service_processes(
    specs: Sequence[ServiceSpec], around: Surroundings, home: Home, base: Mapping[str, str], *, one_process: bool
) -> list[ServiceProcess]:
    if one_process:
        argv = [sys.executable, "-m", "circolo_service", *(spec.name for spec in specs)]
        env = environment(specs, around, base)
        return [ServiceProcess(ONE_PROCESS, argv, env, home.log(ONE_PROCESS), EDGE_TIER)]
    return [
        ServiceProcess(
            spec.name, [sys.executable, "-m", f"circolo_{spec.name}"], environment([spec], around, base),
            home.log(spec.name), EDGE_TIER if spec.serves_http else SERVICE_TIER,
        )
        for spec in specs
    ]  # fmt: skip


class Stack:
    """A running Circolo. Made by ``stack``; everything here may be called from any thread."""

    def __init__(self, home: Home, host: str, port: int, specs: Sequence[ServiceSpec]) -> None:
        self.home = home
        self.url = f"http://{host}:{port}/"
        self.postgres_url = ""
        """The superuser's on Circolo's database, or the one that was given."""
        self.nats_url = ""
        self.databases: DatabaseUrls = one_for_all("")
        self.sources: dict[str, str] = {}
        """``postgres`` and ``nats``: what was taken and from where."""
        self.services: list[str] = [spec.name for spec in specs]
        self.postgres: Postgres | None = None
        self.nats: Nats | None = None
        self.supervisor: Supervisor | None = None
        self._started = time.time()

    def service_pid(self, name: str) -> int:
        """Of the running process; raises ProcessLookupError while it is down."""
        pid = self.supervisor.pid(name) if self.supervisor else None
        if pid is None:
            raise ProcessLookupError(f"{name} is not running")
        return pid

    def kill(self, name: str) -> int:
        """``kill -9`` of a service (or of ``postgres``, ``nats``); the supervisor starts it again. Its old pid.

        Returns when the supervisor has seen it, so that ``wait_ready`` waits for the new one.
        """
        assert self.supervisor is not None
        pid = self.service_pid(name)
        os.kill(pid, signal.SIGKILL)
        while self.supervisor.pid(name) == pid:
            time.sleep(0.01)
        return pid

    def wait_ready(self, timeout: float = 60.0) -> None:
        """Until everything is ready again, for instance after ``kill``. Raises supervisor.StartFailed."""
        assert self.supervisor is not None
        self.supervisor.wait_ready(timeout)

    def wait(self) -> None:
        """As long as it is supervised. Raises StartFailed when that ends unasked."""
        assert self.supervisor is not None
        self.supervisor.wait_end()

    def describe(self) -> dict[str, Any]:
        """For ``run.json`` and ``circolo status``."""
        watched = self.supervisor.snapshot() if self.supervisor else []
        programs = [
            {
                "name": one.program.name, "pid": one.pid, "ready": one.ready, "restarts": one.restarts,
                "log": str(one.program.log), "port": _port_of(one.program),
            }
            for one in watched
        ]  # fmt: skip
        return {
            "pid": os.getpid(), "url": self.url, "started": int(self._started), "sources": self.sources,
            "programs": programs, "postgres_url": self.postgres_url, "nats_url": self.nats_url,
            "service_urls": {name: self.databases.of(name) for name in self.services},
        }  # fmt: skip


def _port_of(program: object) -> int | None:
    port = getattr(program, "health_port", None) or getattr(program, "port", None)
    return port if isinstance(port, int) else None


class _Starter:
    """The steps of a start, in the order that wastes least time: NATS boots while the cluster is made."""

    def __init__(self, running: Stack, cleanup: ExitStack, say: Say, environ: Mapping[str, str], lasting: bool) -> None:
        self._running = running
        self._home = running.home
        self._cleanup = cleanup
        self._say = say
        self._environ = environ
        self._lasting = lasting

    def servers(self, owners: Sequence[str]) -> None:
        """Both servers and the services' URLs; ports are kept for the next time."""
        running, passwords, ports = self._running, self._home.passwords, self._home.read_ports()
        given_postgres = self._environ.get("CIRCOLO_POSTGRES_URL")
        given_nats = self._environ.get("CIRCOLO_NATS_URL")
        if given_nats:
            running.nats_url, running.sources["nats"] = given_nats, "CIRCOLO_NATS_URL"
        else:
            running.nats = self._start_nats(passwords.get("nats"), ports.get("nats"))
        if given_postgres:
            running.postgres_url, running.sources["postgres"] = given_postgres, "CIRCOLO_POSTGRES_URL"
            running.databases = one_for_all(given_postgres)
        else:
            running.postgres = self._start_postgres(ports.get("postgres"))
        self._await_servers()
        if running.postgres:
            running.databases = bootstrap(running.postgres.url, owners, self._home.passwords)
            running.postgres_url = running.postgres.url.rpartition("/")[0] + "/circolo"
        if self._lasting:
            servers = {"postgres": running.postgres, "nats": running.nats}
            self._home.write_ports({**ports, **{name: server.port for name, server in servers.items() if server}})

    def _start_nats(self, password: str, port: int | None) -> Nats:
        binary = find_nats(self._environ)
        self._took("nats", binary.description)
        nats = Nats(binary, self._home.nats, password, log=self._home.log("nats"), port=port)
        self._cleanup.callback(nats.stop)
        nats.start()
        return nats

    def _start_postgres(self, port: int | None) -> Postgres:
        binaries = find_postgres(self._environ)
        self._took("postgres", binaries.description)
        user = unprivileged_user()
        data = data_folder(self._home.path, user)
        user = owner_of(data, user)
        cluster = Cluster(runnable(binaries, user), data, user, self._home.passwords.get("postgres"))
        if not cluster.exists:
            cluster = self._make_cluster(cluster)
        postgres = Postgres(cluster, log=self._home.log("postgres"), port=port)
        self._cleanup.callback(postgres.stop)
        postgres.start()
        return postgres

    def _make_cluster(self, cluster: Cluster) -> Cluster:
        if self._lasting:
            self._say("Making the database (once)")
            make_cluster(cluster)
            return cluster
        template = template_cluster(cluster.binaries, cluster.user, cache_folder())
        self._home.passwords.put("postgres", template.password)
        return copy_cluster(template, cluster.data)

    def _took(self, name: str, description: str) -> None:
        self._running.sources[name] = description
        self._say(f"Using {description}")

    def _await_servers(self) -> None:
        for server in (self._running.nats, self._running.postgres):
            if server is not None:
                server.wait_ready()
        if self._running.nats:
            self._running.nats_url = self._running.nats.url

    def services(
        self,
        processes: Sequence[ServiceProcess],
        backoff: Backoff | None,
        hurry: threading.Event | None,
        changed: Callable[[], None],
    ) -> None:
        running = self._running
        servers = [server for server in (running.postgres, running.nats) if server is not None]
        supervisor = Supervisor([*servers, *processes], say=self._say, changed=changed, backoff=backoff, hurry=hurry)
        for server in servers:
            if server.child is not None:
                supervisor.adopt(server.name, server.child)
        running.supervisor = supervisor
        self._cleanup.callback(supervisor.stop)
        supervisor.start()
        supervisor.wait_ready(seen=lambda name: self._say(f"{name} is ready"))


def _chosen_port(host: str, port: int) -> int:
    if port == 0:
        return free_port()
    if not is_free(port, host):
        raise PortTaken(f"Port {port} on {host} is taken by another program; choose one with --port.")
    return port


@contextmanager
def stack(
    *,
    home: Path | None = None,
    host: str = LOOPBACK,
    port: int = 0,
    one_process: bool = False,
    say: Say = silent,
    specs: Sequence[ServiceSpec] = SERVICES,
    environ: Mapping[str, str] = os.environ,
    backoff: Backoff | None = None,
    hurry: threading.Event | None = None,
) -> Iterator[Stack]:
    """Start everything, yield when all are ready, stop all at the end.

    ``home=None``: in a temporary folder that is removed; else state is kept there. ``port=0``: a free one. Servers
    given by URL in ``environ`` are used and left alone. Call it from a thread that outlives the stack.
    Setting ``hurry`` while it stops kills the services that still drain.
    Raises home.AlreadyRunning, PortTaken, binaries.MissingServer, postgres.ServerFailed, supervisor.StartFailed.
    """
    with ExitStack() as cleanup:
        lasting = home is not None
        state = Home(home if home is not None else cleanup.enter_context(temporary_folder()))
        cleanup.enter_context(state.locked())
        running = Stack(state, host, _chosen_port(host, port), specs)
        chosen = int(running.url.rstrip("/").rpartition(":")[2])
        starter = _Starter(running, cleanup, say, environ, lasting)
        starter.servers([spec.name for spec in specs if spec.owns_schema])
        around = Surroundings(running.databases, running.nats_url, token_keys(state.keys), host, chosen)
        cleanup.callback(state.clear_run)

        def record() -> None:
            with suppress(OSError):  # on a full disk `circolo status` is out of date, and play goes on
                state.write_run(running.describe())

        starter.services(
            service_processes(specs, around, state, environ, one_process=one_process), backoff, hurry, record
        )
        yield running
