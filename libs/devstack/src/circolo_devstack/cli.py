"""The ``circolo`` command."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click
from circolo_contracts.ids import kind_of, parse_global_id

from .binaries import MissingServer
from .console import busy, console, running_since, say, status_table
from .home import DEFAULT, AlreadyRunning, Home
from .ports import LOOPBACK
from .postgres import ServerFailed
from .stack import PortTaken, stack
from .supervisor import StartFailed

FAILED = 1
REFUSED = 2
"""Exit codes: it did not work; it cannot be done as asked (already running, port taken)."""
INTERRUPTED = 130

data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT,
    envvar="CIRCOLO_DATA",
    show_default=True,
    help="Where state is kept: database, keys, passwords, logs.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="circolo-devstack", prog_name="circolo")
def main() -> None:
    """Circolo: Italian table games on your own machine."""


@main.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Of the API; 0: any.")
@click.option("--host", default=LOOPBACK, show_default=True, help="Where the API listens.")
@click.option("--one-process", is_flag=True, help="All services in one process: less memory, for a small club.")
@data_option
def up(port: int, host: str, one_process: bool, data: Path) -> None:
    """Start the servers and every service; Ctrl-C stops them."""
    hurry = threading.Event()
    with explained(), interruptible(hurry), ExitStack() as cleanup:
        with busy("Starting Circolo"):
            running = cleanup.enter_context(
                stack(home=data, host=host, port=port, one_process=one_process, say=say, hurry=hurry)
            )
        say(f"Logs are in {running.home.logs}")
        say(f"Circolo is ready: {running.url} (GraphiQL; API at /graphql; Ctrl-C stops)")
        try:
            running.wait()
        except KeyboardInterrupt:
            say("Stopping; once more to stop at once")
    say("Circolo has stopped.")


@main.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def test(arguments: tuple[str, ...]) -> None:
    """Run the tests; what follows goes to pytest."""
    console.file.flush()
    command = [sys.executable, "-m", "pytest", "-o", "console_output_style=count", *arguments]
    os.execv(sys.executable, command)  # noqa: S606 - becomes pytest, so its exit code is ours


@main.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def reset(yes: bool, data: Path) -> None:
    """Remove all state: players, rooms, matches, keys."""
    home = Home(data)
    if not home.path.exists():
        say(f"There is nothing in {home.path}.")
        return
    with explained():
        if home.is_running():
            raise AlreadyRunning(f"{home.running_line()} Stop it first.")
        if not yes:
            click.confirm(f"Remove everything in {home.path}?", abort=True)
        home.reset()
    say(f"Removed {home.path}.")


@main.command()
@data_option
def status(data: Path) -> None:
    """Say what runs: servers, services, their health. Exit code 1 when Circolo is down."""
    home = Home(data)
    run = home.read_run()
    if not home.is_running() or not run:
        say(f"Circolo is not running on {home.path}.")
        sys.exit(FAILED)
    say(f"Circolo runs at {run['url']} since {running_since(run)} (process {run['pid']})")
    for name, source in sorted(run["sources"].items()):
        say(f"{name}: {source}")
    console.print(status_table(run))
    if not all(program["ready"] for program in run["programs"]):
        sys.exit(FAILED)


@main.command()
@click.option(
    "--game",
    type=click.Choice(["briscola", "scopa", "scopone_nove", "tombola"]),
    help="Default: briscola, ranked scopone_nove.",
)
@click.option("--ranked", is_flag=True, help="Four players at a ranked table, and what it brings them.")
@data_option
def demo(game: str | None, ranked: bool, data: Path) -> None:
    """Watch two players and two CPUs play a match, or three a tombola, through the public API."""
    game = game or ("scopone_nove" if ranked else "briscola")
    if ranked and game in ("briscola", "tombola"):
        raise click.UsageError("A ranked demo is a scopa or a scopone_nove.")
    with explained(), some_stack(Home(data)) as run:
        show = importlib.import_module("circolo_devstack.demo").run
        code = show(run["url"], lambda finished: run_verifier(run, finished), game, ranked=ranked)
    sys.exit(code)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("game")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@data_option
def verify(game: str, arguments: tuple[str, ...], data: Path) -> None:
    """Check what chance decided in a finished game against its commitment."""
    sys.exit(run_verifier(running_on(data), game, *arguments))


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@data_option
def record(arguments: tuple[str, ...], data: Path) -> None:
    """Write the record of a finished game, or read one (--check FILE)."""
    sys.exit(run_on_games(running_on(data), "cardgames", "circolo_cardgames.record", *arguments))


@main.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def arena(arguments: tuple[str, ...]) -> None:
    """Let two levels of CPU play mirrored deals against each other."""
    command = [sys.executable, "-m", "circolo_cardgames.arena", *arguments]
    os.execv(sys.executable, command)  # noqa: S606 - becomes the arena, so Ctrl-C and its exit code are its own


@main.command()
@click.argument("player")
@click.argument("role", type=click.Choice(["analyst", "operator"]))
@click.option("--revoke", is_flag=True, help="Take it away: his tokens of before are refused.")
@data_option
def grant(player: str, role: str, revoke: bool, data: Path) -> None:
    """Let a player read the events, or belong to the direction."""
    home = Home(data)
    env = dict(os.environ)
    if home.is_running():
        env["CIRCOLO_NATS_URL"] = home.read_run()["nats_url"]
    elif not env.get("CIRCOLO_NATS_URL"):
        say(f"Circolo is not running on {home.path}.")
        sys.exit(FAILED)
    command = [sys.executable, "-m", "circolo_rooms.grant", player, role, *(["--revoke"] if revoke else [])]
    sys.exit(subprocess.run(command, env=env, check=False).returncode)


@main.group()
def ledger() -> None:
    """The brilli: what ranked matches pay."""


@ledger.command()
@data_option
def prove(data: Path) -> None:
    """Recompute every balance from the games' events and compare. Exit code 1 when one differs."""
    env = dict(os.environ)
    if run := running_on(data):
        env["CIRCOLO_POSTGRES_URL"] = run["service_urls"]["ledger"]
        env["CIRCOLO_POSTGRES_URL_PROJECTOR"] = run["service_urls"]["projector"]
    sys.exit(subprocess.run([sys.executable, "-m", "circolo_ledger.prove"], env=env, check=False).returncode)


def running_on(data: Path) -> dict[str, Any]:
    """The description of the stack that runs there; empty when none does."""
    home = Home(data)
    return home.read_run() if home.is_running() else {}


VERIFIERS = {"tombola": "tombola", "trivia": "trivia"}
"""By the kind of a game's stream, the service that proves it; all others are cardgames'."""


def run_verifier(run: dict[str, Any], game: str, *arguments: str) -> int:
    """By the game's id as the API gives it, or its stream's name; the bare 32 digits are a card game's."""
    parsed = parse_global_id(game)
    service = VERIFIERS.get(kind_of(game if parsed is None else parsed[1]), "cardgames")
    return run_on_games(run, service, f"circolo_{service}.verify", game, *arguments)


def run_on_games(run: dict[str, Any], service: str, module: str, *arguments: str) -> int:
    """A process of its own, told where the running stack's games of this service are; its exit code."""
    env = dict(os.environ)
    if run:
        env["CIRCOLO_POSTGRES_URL"] = run["service_urls"][service]
        env["CIRCOLO_NATS_URL"] = run["nats_url"]
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, env=env, check=False).returncode


@contextmanager
def some_stack(home: Home) -> Iterator[dict[str, Any]]:
    """The description of the running stack, else of a temporary one for as long as it is needed."""
    if home.is_running() and home.read_run().get("url"):
        yield home.read_run()
        return
    hurry = threading.Event()
    with interruptible(hurry), ExitStack() as cleanup:
        with busy("Starting Circolo in a temporary folder"):
            running = cleanup.enter_context(stack(say=say, hurry=hurry))
        yield running.describe()


@contextmanager
def interruptible(hurry: threading.Event) -> Iterator[None]:
    """SIGINT and SIGTERM interrupt once, so that everything is stopped in order; the next one sets ``hurry``."""
    asked = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            hurry.set()
            return
        asked = True
        raise KeyboardInterrupt

    before = {wanted: signal.signal(wanted, interrupt) for wanted in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        say("Interrupted.")
        sys.exit(INTERRUPTED)
    finally:
        for wanted, handler in before.items():
            signal.signal(wanted, handler)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what can go wrong on a machine into one message and an exit code."""
    try:
        yield
    except (AlreadyRunning, PortTaken) as error:
        say(str(error))
        sys.exit(REFUSED)
    except (MissingServer, ServerFailed, StartFailed, OSError) as error:
        say(f"Circolo could not start: {error}")
        sys.exit(FAILED)
