"""The embedded servers are real ones. A second pair is started here: the session's own is for everybody."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import asyncpg
import nats
import pytest
from circolo_devstack.databases import Databases, run_apart, with_database
from circolo_devstack.nats import Nats, threads
from circolo_devstack.ports import is_free
from circolo_devstack.postgres import Cluster, Postgres, ServerFailed
from circolo_devstack.servers import Servers, embedded_servers
from circolo_devstack.temporary import temporary_folder


class Processes(Protocol):
    def is_alive(self, pid: int) -> bool: ...

    def are_gone(self, *pids: int) -> bool: ...


@pytest.fixture(scope="module")
def pair() -> Iterator[Servers]:
    with temporary_folder() as folder, embedded_servers(folder) as servers:
        yield servers


@pytest.fixture
def postgres(pair: Servers) -> Postgres:
    assert pair.postgres is not None
    return pair.postgres


@pytest.fixture
def broker(pair: Servers) -> Nats:
    assert pair.nats is not None
    return pair.nats


async def test_postgres_is_real_and_durable(pair: Servers) -> None:
    connection = await asyncpg.connect(pair.postgres_url)
    assert (await connection.fetchval("SELECT version()")).startswith("PostgreSQL")
    shown = {
        name: await connection.fetchval(f"SHOW {name}") for name in ("fsync", "max_connections", "password_encryption")
    }
    await connection.close()
    assert shown == {"fsync": "on", "max_connections": "200", "password_encryption": "scram-sha-256"}


async def test_nats_is_real_and_has_jetstream(pair: Servers, broker: Nats) -> None:
    assert broker.is_healthy()
    client = await nats.connect(pair.nats_url)
    stream = await client.jetstream().add_stream(name="probe", subjects=["probe.>"])
    assert stream.config.storage == "file"
    await client.close()


async def test_nobody_enters_without_the_password(pair: Servers, postgres: Postgres, broker: Nats) -> None:
    with pytest.raises(asyncpg.InvalidPasswordError):
        await asyncpg.connect(pair.postgres_url.replace(postgres.cluster.password, "guess"))
    with socket.create_connection(("127.0.0.1", broker.port), timeout=5) as client, client.makefile("rwb") as line:
        assert line.readline().startswith(b"INFO ")
        line.write(b"CONNECT {}\r\nPING\r\n")
        line.flush()
        assert line.readline() == b"-ERR 'Authorization Violation'\r\n"


def listening(port: int) -> set[str]:
    """Local addresses (hex, as the kernel shows them) that listen on the port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            words = line.split()
            address, _, number = words[1].rpartition(":")
            if words[3] == "0A" and int(number, 16) == port:
                found.add(address)
    return found


def test_both_listen_on_loopback_only(postgres: Postgres, broker: Nats) -> None:
    loopback = socket.inet_aton("127.0.0.1")[::-1].hex().upper()
    monitor = int(broker.monitor.rpartition(":")[2])
    assert [listening(port) for port in (postgres.port, broker.port, monitor)] == [{loopback}] * 3


def test_passwords_are_in_no_command_line(pair: Servers, postgres: Postgres, broker: Nats) -> None:
    for pid in (postgres.pid, broker.pid):
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        assert postgres.cluster.password.encode() not in line
        assert pair.nats_url.split(":")[2].split("@")[0].encode() not in line


@pytest.mark.skipif(os.geteuid() != 0, reason="about starting as root")
def test_started_by_root_postgres_is_not_root(postgres: Postgres) -> None:
    assert Path(f"/proc/{postgres.pid}").stat().st_uid != 0


async def test_data_and_port_survive_a_restart_and_a_stop_leaves_no_process(
    postgres: Postgres, processes: Processes
) -> None:
    connection = await asyncpg.connect(postgres.url)
    await connection.execute("CREATE TABLE kept AS SELECT 40 AS cards")
    backend = await connection.fetchval("SELECT pg_backend_pid()")
    first, port = postgres.pid, postgres.port
    assert first is not None
    postgres.stop()
    assert processes.are_gone(first)
    assert processes.are_gone(backend)
    assert is_free(port)
    connection.terminate()
    postgres.start()
    postgres.wait_ready()
    assert postgres.port == port
    connection = await asyncpg.connect(postgres.url)
    assert await connection.fetchval("SELECT cards FROM kept") == 40
    await connection.close()


def start_again(postgres: Postgres) -> None:
    """As the supervisor does: the killed server's backends hold its memory for a moment."""
    ends = time.monotonic() + 10
    while True:
        postgres.start()
        try:
            postgres.wait_ready()
        except ServerFailed:
            assert time.monotonic() < ends
            time.sleep(0.1)
        else:
            return


async def test_data_survives_a_crash(postgres: Postgres) -> None:
    connection = await asyncpg.connect(postgres.url)
    await connection.execute("CREATE TABLE crashed AS SELECT 1 AS one")
    await connection.close()
    postgres.kill()
    start_again(postgres)
    connection = await asyncpg.connect(postgres.url)
    assert await connection.fetchval("SELECT one FROM crashed") == 1
    await connection.close()


async def test_nats_keeps_its_port_and_its_streams_over_a_restart(broker: Nats, processes: Processes) -> None:
    client = await nats.connect(broker.url)
    await client.jetstream().add_stream(name="kept", subjects=["kept.>"])
    await client.jetstream().publish("kept.one", b"x")
    await client.close()
    pid, port = broker.pid, broker.port
    assert pid is not None
    broker.stop()
    assert processes.are_gone(pid)
    broker.start()
    broker.wait_ready()
    assert broker.port == port
    client = await nats.connect(broker.url)
    assert (await client.jetstream().stream_info("kept")).state.messages == 1
    await client.close()


def test_a_lost_port_is_replaced(postgres: Postgres, broker: Nats) -> None:
    postgres.stop()
    broker.stop()
    with socket.socket() as one, socket.socket() as two:
        for thief, port in ((one, postgres.port), (two, broker.port)):
            thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            thief.bind(("127.0.0.1", port))
            thief.listen()
        taken = {postgres.port, broker.port}
        postgres.start()
        broker.start()
        postgres.wait_ready()
        broker.wait_ready()
    assert not taken & {postgres.port, broker.port}
    assert broker.is_healthy()


def test_a_server_that_cannot_start_says_why(postgres: Postgres, tmp_path: Path) -> None:
    cluster = postgres.cluster
    broken = Postgres(Cluster(cluster.binaries, Path("/"), cluster.user, cluster.password), log=tmp_path / "broken.log")
    broken.start()
    with pytest.raises(ServerFailed, match="ended while starting"):
        broken.wait_ready(5)


async def test_databases_are_fresh_and_dropped_whoever_is_connected(servers: Servers) -> None:
    databases = Databases(servers.postgres_url)
    first, second = databases.take(), databases.take()
    assert first != second
    left = await asyncpg.connect(first)
    assert await left.fetchval("SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'") == 0
    databases.give_back(first)
    databases.close()
    left.terminate()
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await asyncpg.connect(second)


def test_another_database_keeps_server_user_and_options() -> None:
    assert with_database("postgresql://u:p@h:5/a?sslmode=require", "b") == "postgresql://u:p@h:5/b?sslmode=require"


async def test_sql_can_be_run_to_its_end_from_inside_a_running_loop() -> None:
    async def answer() -> int:
        return 42

    assert run_apart(answer()) == 42


def test_a_stopped_pair_leaves_nothing(processes: Processes) -> None:
    with temporary_folder() as folder:
        with embedded_servers(folder) as servers:
            assert servers.postgres is not None
            assert servers.nats is not None
            pids = [servers.postgres.pid, servers.nats.pid]
        assert not any(processes.is_alive(pid) for pid in pids if pid)
    assert not folder.exists()


def test_the_broker_takes_a_quarter_of_the_cores_and_at_least_one() -> None:
    assert [threads(cores) for cores in (1, 2, 4, 8, 64)] == [1, 1, 1, 2, 16]
