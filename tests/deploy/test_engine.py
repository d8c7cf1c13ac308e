"""Images built and the whole composition played on, where a container engine answers: `make soak`."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from circolo_devstack import demo
from circolo_devstack.containers import engine_problem
from circolo_devstack.services import SERVICES
from docker.errors import DockerException

pytestmark = pytest.mark.soak
ROOT = Path(__file__).parents[2]
OURS = [spec.name for spec in SERVICES]
BASES = ("python:3.11-slim", "postgres:17", "nats:2-alpine")


class Composition:
    """``docker compose`` under a project and a port of its own."""

    def __init__(self, program: str, project: str, port: int, empty: Path) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._command = [program, "--env-file", str(empty), "-p", project, "-f", str(ROOT / "docker-compose.yml")]
        self._environ = {"CIRCOLO_PUBLISHED": f"127.0.0.1:{port}", "CIRCOLO_VERSION": "test"}

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._command, *arguments], env={**os.environ, **self._environ, **environ},
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip

    def done(self, *arguments: str) -> str:
        made = self.run(*arguments)
        assert made.returncode == 0, made.stderr[-2000:]
        return made.stdout


def need_images() -> None:
    """Skips where a base image is neither here nor to be had."""
    client = docker.from_env()
    try:
        for name in BASES:
            try:
                client.images.get(name)
            except DockerException:
                try:
                    client.images.pull(name)
                except DockerException as error:
                    pytest.skip(f"the image {name} is not here and cannot be pulled: {type(error).__name__}")
    finally:
        client.close()


@pytest.fixture(scope="module")
def composition(docker_compose: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composition]:
    problem = engine_problem()
    if problem:
        pytest.skip(problem)
    need_images()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    empty = tmp_path_factory.mktemp("compose") / "nothing.env"
    empty.touch()
    made = Composition(docker_compose, f"circolo-test-{os.getpid()}", port, empty)
    try:
        made.done("build")
        made.done("up", "--detach", "--wait", "--no-build")
        yield made
    finally:
        made.done("down", "--volumes", "--timeout", "20")


def test_a_match_is_played_through_the_gateway_and_verified_in_its_container(composition: Composition) -> None:
    def verify(game: str) -> int:
        return composition.run("exec", "-T", "cardgames", "python", "-m", "circolo_cardgames.verify", game).returncode

    assert demo.run(composition.url, verify) == 0


@pytest.mark.parametrize("service", OURS)
def test_a_container_is_nobody_and_writes_nowhere(composition: Composition, service: str) -> None:
    look = "id -u; touch /app/x /venv/x /etc/x 2>&1 | grep -c Read-only; touch /tmp/x && echo written"
    assert composition.done("exec", "-T", service, "sh", "-c", look).split() == ["10001", "3", "written"]


def test_the_gateway_has_no_key_that_signs(composition: Composition) -> None:
    assert composition.done("exec", "-T", "gateway", "ls", "/keys").split() == ["token-public.pem"]


def test_the_development_passwords_are_refused_when_others_reach_the_api(composition: Composition) -> None:
    made = composition.run("run", "--rm", "--no-deps", "-T", "setup", CIRCOLO_PUBLISHED="0.0.0.0:1")
    assert made.returncode == 2
    assert "development" in made.stderr


def test_the_read_models_are_built_anew_while_the_projector_runs(composition: Composition) -> None:
    composition.done("exec", "-T", "projector", "python", "-m", "circolo_projector.rebuild")


def test_a_stop_is_a_drain_and_a_start_goes_on(composition: Composition) -> None:
    composition.done("stop", *OURS)
    for service in OURS:
        assert "Exited (0)" in composition.done("ps", "--all", "--format", "{{.Status}}", service)
    composition.done("up", "--detach", "--wait", "--no-build")
    assert demo.run(composition.url, lambda _: 0) == 0
