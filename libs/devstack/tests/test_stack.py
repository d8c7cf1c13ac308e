"""The whole stack with stand-ins for the services: what they are told, what is kept, who stops when."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
from circolo_devstack.home import AlreadyRunning, Home
from circolo_devstack.keys import TokenKeys
from circolo_devstack.roles import DatabaseUrls, one_for_all
from circolo_devstack.servers import Servers
from circolo_devstack.services import SERVICES, Surroundings, environment
from circolo_devstack.stack import PortTaken, Stack, stack
from circolo_devstack.supervisor import Backoff, StartFailed

QUICK = Backoff(first=0.05)


@pytest.fixture
def running(fake_services: dict[str, str]) -> Iterator[Stack]:
    with stack(environ=fake_services, backoff=QUICK) as made:
        yield made


def told(orders: Path, service: str) -> dict[str, str]:
    """The CIRCOLO_ environment that the service was started with."""
    env: dict[str, str] = json.loads((orders / f"{service}.env").read_text())
    return {name: value for name, value in env.items() if name.startswith("CIRCOLO_")}


def test_each_service_is_told_what_it_needs_and_no_more(running: Stack, orders: Path) -> None:
    tokens = {spec.name: {name for name in told(orders, spec.name) if "TOKEN" in name} for spec in SERVICES}
    assert tokens == {
        "rooms": {"CIRCOLO_TOKEN_PRIVATE_KEY_FILE"},
        "cardgames": set(),
        "ledger": set(),
        "tombola": set(),
        "trivia": set(),
        "projector": set(),
        "gateway": {"CIRCOLO_TOKEN_PUBLIC_KEY_FILE"},
    }
    users = {spec.name: urlsplit(told(orders, spec.name)["CIRCOLO_POSTGRES_URL"]).username for spec in SERVICES}
    assert users == {
        "rooms": "circolo_rooms",
        "cardgames": "circolo_cardgames",
        "ledger": "circolo_ledger",
        "tombola": "circolo_tombola",
        "trivia": "circolo_trivia",
        "projector": "circolo_projector",
        "gateway": "circolo_reader",
    }
    assert {told(orders, spec.name)["CIRCOLO_NATS_URL"] for spec in SERVICES} == {running.nats_url}
    gateway = told(orders, "gateway")
    assert running.url == f"http://{gateway['CIRCOLO_HTTP_HOST']}:{gateway['CIRCOLO_HTTP_PORT']}/"
    assert "CIRCOLO_HTTP_PORT" not in told(orders, "rooms")


def test_a_killed_service_comes_back_as_another_process(running: Stack) -> None:
    before = running.service_pid("cardgames")
    assert running.kill("cardgames") == before
    running.wait_ready(10)
    assert running.service_pid("cardgames") != before
    assert {program["name"]: program["restarts"] for program in running.describe()["programs"]}["cardgames"] == 1


async def test_a_killed_database_comes_back_with_its_data_at_the_same_place(running: Stack) -> None:
    connection = await asyncpg.connect(running.postgres_url)
    await connection.execute("CREATE TABLE public.kept AS SELECT 1 AS one")
    running.kill("postgres")
    connection.terminate()
    running.wait_ready(20)
    connection = await asyncpg.connect(running.postgres_url)
    assert await connection.fetchval("SELECT one FROM kept") == 1
    await connection.close()


def test_state_is_kept_and_secrets_are_private(fake_services: dict[str, str], orders: Path, state: Path) -> None:
    kept: list[Any] = []
    for _ in range(2):
        with stack(home=state, environ=fake_services) as running:
            key = told(orders, "rooms")["CIRCOLO_TOKEN_PRIVATE_KEY_FILE"]
            kept.append((running.postgres_url, running.nats_url, Path(key).read_bytes()))
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (state / "run.json", Path(key))}
            assert set(modes.values()) == {0o600}
    assert kept[0] == kept[1], "the same ports, passwords and keys"
    assert stat.S_IMODE((state / "passwords.json").stat().st_mode) == 0o600
    assert not (state / "run.json").exists()
    assert (orders / "stopped").read_text().split()[0] == "gateway"


def test_all_in_one_process_gets_every_url_and_both_keys(fake_services: dict[str, str], orders: Path) -> None:
    with stack(environ=fake_services, one_process=True) as running:
        env = told(orders, "service")
        users = {name: urlsplit(value).username for name, value in env.items() if "POSTGRES" in name}
        command = Path(f"/proc/{running.service_pid('club')}/cmdline").read_text().split("\0")
    assert users == {
        "CIRCOLO_POSTGRES_URL": "circolo_reader",
        "CIRCOLO_POSTGRES_URL_ROOMS": "circolo_rooms",
        "CIRCOLO_POSTGRES_URL_CARDGAMES": "circolo_cardgames",
        "CIRCOLO_POSTGRES_URL_LEDGER": "circolo_ledger",
        "CIRCOLO_POSTGRES_URL_TOMBOLA": "circolo_tombola",
        "CIRCOLO_POSTGRES_URL_TRIVIA": "circolo_trivia",
        "CIRCOLO_POSTGRES_URL_PROJECTOR": "circolo_projector",
        "CIRCOLO_POSTGRES_URL_GATEWAY": "circolo_reader",
    }
    assert {"CIRCOLO_TOKEN_PRIVATE_KEY_FILE", "CIRCOLO_TOKEN_PUBLIC_KEY_FILE"} <= env.keys()
    assert command[1:-1] == ["-m", "circolo_service", *(spec.name for spec in SERVICES)]


def test_servers_given_by_url_are_used_and_left_alone(
    fake_services: dict[str, str], orders: Path, servers: Servers, database: str
) -> None:
    given = {"CIRCOLO_POSTGRES_URL": database, "CIRCOLO_NATS_URL": servers.nats_url}
    with stack(environ={**fake_services, **given}) as running:
        assert running.sources == {"nats": "CIRCOLO_NATS_URL", "postgres": "CIRCOLO_POSTGRES_URL"}
        for spec in SERVICES:
            assert {name: told(orders, spec.name)[name] for name in given} == given
        assert [program["name"] for program in running.describe()["programs"]] == running.services


def test_other_settings_of_the_caller_pass_through_but_not_those_of_another_database(tmp_path: Path) -> None:
    caller = {"CIRCOLO_LOG_LEVEL": "debug", "CIRCOLO_POSTGRES_DIRECT_URL": "postgresql://elsewhere/", "LANG": "C"}
    keys = TokenKeys(tmp_path / "private", tmp_path / "public")
    embedded = DatabaseUrls("postgresql://reader/", {"rooms": "postgresql://rooms/"})
    kept = environment(SERVICES[:1], Surroundings(embedded, "nats://here", keys, "127.0.0.1", 8000), caller)
    assert (kept["CIRCOLO_LOG_LEVEL"], kept["LANG"], kept["CIRCOLO_POSTGRES_URL"]) == (
        "debug",
        "C",
        "postgresql://rooms/",
    )
    assert "CIRCOLO_POSTGRES_DIRECT_URL" not in kept
    given = Surroundings(one_for_all("postgresql://given/"), "nats://here", keys, "127.0.0.1", 8000)
    assert environment(SERVICES[:1], given, caller)["CIRCOLO_POSTGRES_DIRECT_URL"] == "postgresql://elsewhere/"


def test_one_folder_serves_one_stack(fake_services: dict[str, str], state: Path) -> None:
    with (
        Home(state).locked(),
        pytest.raises(AlreadyRunning, match="already running on"),
        stack(home=state, environ=fake_services),
    ):
        raise AssertionError("it must not start")


def test_a_taken_port_is_noticed_before_anything_starts(fake_services: dict[str, str], state: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(PortTaken, match=f"Port {port} .* is taken"),
            stack(home=state, port=port, environ=fake_services),
        ):
            raise AssertionError("it must not start")
    assert [entry.name for entry in state.iterdir()] == ["lock"]


def test_a_failed_start_stops_what_had_started(fake_services: dict[str, str], orders: Path, state: Path) -> None:
    (orders / "projector.fail").write_text("2")
    with (
        pytest.raises(StartFailed, match=r"projector does not start(.|\n)*cannot do it"),
        stack(home=state, environ=fake_services),
    ):
        raise AssertionError("it must not be ready")
    alive = [entry for entry in os.listdir("/proc") if entry.isdigit() and _mentions(entry, state)]  # noqa: PTH208
    assert alive == []


def _mentions(pid: str, folder: Path) -> bool:
    try:
        return str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
