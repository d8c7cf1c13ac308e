"""Whole processes, as an operator runs them: a toy service against real servers."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from circolo_devstack.servers import Servers

SERVICE = """
import asyncio
import os
from circolo_service.settings import SettingsProblem
from opentelemetry import metrics, trace

SCHEMA = {schema!r}

class Toy:
    def __init__(self, platform):
        self.platform = platform
        self.mode = os.environ.get("TOY", "")
    async def start(self):
        if self.mode == "broken":
            raise RuntimeError("the table has three legs")
        metrics.get_meter("toy").create_counter("toy.deals").add(2, {{"game": "BRISCOLA", "player": "a1b2"}})
        with trace.get_tracer("toy").start_as_current_span("deal"):
            pass
        if self.platform.schema:
            connection = await self.platform.connect()
            await connection.execute("INSERT INTO toy VALUES (1)")
            await connection.close()
    async def stop(self):
        print("toy stops", flush=True)
        if self.mode == "slow":
            await asyncio.sleep(60)
    def ready(self):
        return self.mode != "unready"

async def compose(platform):
    if os.environ.get("TOY") == "keyless":
        raise SettingsProblem("TOY_KEY_FILE is not set")
    return Toy(platform)
"""
MAIN = """
from circolo_service import main
from circolo_{name}.service import compose
if __name__ == "__main__":
    main("{name}", compose)
"""


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


class Running:
    """A process of the toy service; what it prints goes to a file."""

    def __init__(self, argv: list[str], environment: dict[str, str], output: Path) -> None:
        self.output = output
        self.health_port = int(environment["CIRCOLO_HEALTH_PORT"])
        with output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, *argv], env=environment, stdout=file, stderr=subprocess.STDOUT
            )

    def get(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.health_port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def wait_for(self, path: str, status: int, seconds: float = 20) -> str:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                got, body = self.get(path)
            except OSError:
                got, body = 0, ""
            if got == status:
                return body
            time.sleep(0.02)
        raise AssertionError(f"{path} was never {status}:\n{self.text()}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)

    def text(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text().splitlines() if line.startswith("{")]


class Workshop:
    """Makes toy services on disk and starts them."""

    def __init__(self, folder: Path, servers: Servers, database: str) -> None:
        self.folder = folder
        self.database = database
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("CIRCOLO_", "OTEL_"))},
            "CIRCOLO_POSTGRES_URL": database,
            "CIRCOLO_NATS_URL": servers.nats_url,
            "CIRCOLO_START_WAIT_SECONDS": "5",
            "CIRCOLO_DRAIN_SECONDS": "0.5",
        }
        self.started: list[Running] = []

    def build(self, name: str, *, schema: str | None) -> None:
        root = self.folder / name
        package = root / "src" / f"circolo_{name}"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "service.py").write_text(SERVICE.format(schema=schema))
        (package / "__main__.py").write_text(MAIN.format(name=name))
        if schema is not None:
            (root / "migrations").mkdir()
            (root / "migrations" / "0001_toy.sql").write_text("CREATE TABLE toy (n int);")
        path = self.environment.get("PYTHONPATH")
        self.environment["PYTHONPATH"] = os.pathsep.join([str(package.parent), *([path] if path else [])])

    def run(self, *argv: str, **environment: str) -> Running:
        settings = {**self.environment, "CIRCOLO_HEALTH_PORT": str(free_port()), **environment}
        running = Running(["-m", *argv], settings, self.folder / f"output-{len(self.started)}")
        self.started.append(running)
        return running

    def close(self) -> None:
        for running in self.started:
            if running.process.poll() is None:
                running.process.kill()
                running.process.wait()


@pytest.fixture
def workshop(tmp_path: Path, servers: Servers, database: str) -> Iterator[Workshop]:
    made = Workshop(tmp_path, servers, database)
    made.build("toy", schema="toy")
    yield made
    made.close()


async def fetchval(url: str, sql: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_service_migrates_gets_ready_and_drains_with_exit_code_0(
    workshop: Workshop, number: signal.Signals
) -> None:
    running = workshop.run("circolo_toy")
    assert running.wait_for("/readyz", 200) == '{"status":"ready","reasons":[]}'
    assert running.get("/livez")[0] == 200
    assert await fetchval(workshop.database, "SELECT count(*) FROM toy.toy") == 1
    assert await fetchval(workshop.database, "SELECT count(*) FROM toy.shard_head") == 16
    assert running.stop(number) == 0
    assert "toy stops" in running.text()
    messages = [line["message"] for line in running.lines()]
    assert messages[-3:] == ["ready", "draining", "stopped"]
    assert {line["service"] for line in running.lines()} == {"toy"}


def test_metrics_are_scraped_with_bounded_labels_only(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy")
    running.wait_for("/readyz", 200)
    text = running.get("/metrics")[1]
    assert 'toy_deals_total{game="BRISCOLA"} 2' in text
    assert "a1b2" not in text
    assert 'circolo_pool_size{service="toy"} ' in text
    assert "# TYPE circolo_loop_lag_seconds gauge" in text
    assert 'circolo_pool_wait_seconds_bucket{le="+Inf",service="toy"} ' in text
    assert running.stop() == 0


def test_work_that_does_not_end_is_cut_off_when_the_drain_is_over(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy", TOY="slow")
    running.wait_for("/readyz", 200)
    began = time.monotonic()
    running.process.send_signal(signal.SIGTERM)
    assert "draining" in running.wait_for("/readyz", 503)
    assert running.process.wait(20) == 0
    assert time.monotonic() - began < 5
    assert "toy was cut off after 0.5 s" in running.text()


def test_a_service_that_is_not_ready_is_alive(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy", TOY="unready")
    deadline = time.monotonic() + 20
    while running.process.poll() is None and "ready" not in [line["message"] for line in running.lines()]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert running.get("/readyz") == (503, '{"status":"not ready","reasons":["toy is not ready"]}')
    assert running.get("/livez")[0] == 200
    assert running.stop() == 0


def test_a_wrong_setting_is_one_clear_line_and_exit_code_2(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy", CIRCOLO_POOL_SIZE="many")
    assert running.process.wait(20) == 2
    (line,) = running.text().splitlines()
    assert line.startswith("circolo toy: CIRCOLO_POOL_SIZE: input should be a valid integer")


def test_a_wrong_setting_of_a_services_own_is_exit_code_2_too(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy", TOY="keyless")
    assert running.process.wait(20) == 2
    (line,) = [line for line in running.lines() if line["level"] == "critical"]
    assert line["message"] == "cannot start: TOY_KEY_FILE is not set"


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({"CIRCOLO_NATS_URL": "nats://a:primiera@127.0.0.1:9"}, "no NATS server answers"),
        ({"CIRCOLO_POSTGRES_URL": "postgresql://a:primiera@127.0.0.1:9/x"}, "Postgres takes no connection"),
        ({"TOY": "broken"}, "an error of the program"),
    ],
)
def test_a_start_that_fails_is_one_clear_line_and_exit_code_1(
    workshop: Workshop, environment: dict[str, str], reason: str
) -> None:
    running = workshop.run("circolo_toy", CIRCOLO_START_WAIT_SECONDS="0.3", **environment)
    assert running.process.wait(20) == 1
    (line,) = [line for line in running.lines() if line["level"] == "critical"]
    assert reason in line["message"]
    assert "primiera" not in running.text()
    assert not any(line.startswith("Traceback") for line in running.text().splitlines())


def test_a_wrong_password_is_not_waited_for(workshop: Workshop) -> None:
    user, _, rest = workshop.database.partition("@")
    wrong = f"{user.rpartition(':')[0]}:wrong@{rest}"
    began = time.monotonic()
    running = workshop.run("circolo_toy", CIRCOLO_POSTGRES_URL=wrong, CIRCOLO_START_WAIT_SECONDS="60")
    assert running.process.wait(20) == 1
    assert time.monotonic() - began < 10
    assert "Postgres refuses us (InvalidPasswordError)" in running.text()


def test_a_signal_while_it_waits_for_a_server_ends_it(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy", CIRCOLO_NATS_URL="nats://127.0.0.1:9", CIRCOLO_START_WAIT_SECONDS="60")
    running.wait_for("/livez", 200)
    assert running.stop() == 0


def test_a_taken_health_port_is_said(workshop: Workshop) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        running = workshop.run("circolo_toy", CIRCOLO_HEALTH_PORT=str(port))
        assert running.process.wait(20) == 1
    assert f"the health port {port} cannot be used" in running.text()


async def test_a_process_lives_on_without_its_database_and_says_so(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy")
    running.wait_for("/readyz", 200)
    name = workshop.database.rpartition("/")[2]
    admin = workshop.database.replace(f"/{name}", "/postgres")
    close_door = f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false'
    await fetchval(admin, close_door)
    await fetchval(admin, f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{name}'")
    assert "postgres of toy has not answered for" in running.wait_for("/readyz", 503)
    assert running.get("/livez")[0] == 200
    await fetchval(admin, close_door.replace("false", "true"))
    running.wait_for("/readyz", 200)
    assert running.stop() == 0
    messages = [line["message"] for line in running.lines()]
    assert "postgres of toy answers again" in messages


def test_several_services_run_in_one_process(workshop: Workshop, database: str) -> None:
    workshop.build("game", schema="game")
    workshop.build("door", schema=None)
    running = workshop.run("circolo_service", "toy", "game", "door", CIRCOLO_POSTGRES_URL_GAME=database)
    running.wait_for("/readyz", 200)
    assert running.stop() == 0
    assert running.text().count("toy stops") == 3
    ready = [line for line in running.lines() if line["message"] == "ready"]
    assert ready[0]["services"] == "toy game door"


async def test_a_job_migrates_and_the_services_wait_for_it(workshop: Workshop) -> None:
    running = workshop.run("circolo_toy", CIRCOLO_MIGRATE_AT_START="false")
    running.wait_for("/livez", 200)
    assert await fetchval(workshop.database, "SELECT to_regnamespace('toy') IS NULL")
    assert workshop.run("circolo_service", "--migrate-only", "toy").process.wait(20) == 0
    running.wait_for("/readyz", 200)
    assert running.stop() == 0


def test_a_service_that_does_not_exist_is_said(workshop: Workshop) -> None:
    running = workshop.run("circolo_service", "poker")
    assert running.process.wait(20) == 2
    assert running.text() == "circolo: there is no service called poker\n"
