"""What is deployed, rendered by the tools that deploy it: kustomize and compose."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
OVERLAYS = ("dev", "prod")
Resource = dict[str, Any]


def program(name: str) -> str:
    """The one that came with requirements.txt, else one on PATH; skips the test where there is neither."""
    own = Path(sys.executable).with_name(name)
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} here: its wheel is for Linux on x86-64 only")
    return found


class Manifests:
    """The resources of one kustomization."""

    def __init__(self, text: str) -> None:
        self.all: list[Resource] = [found for found in yaml.safe_load_all(text) if found]

    def of(self, kind: str) -> dict[str, Resource]:
        return {found["metadata"]["name"]: found for found in self.all if found["kind"] == kind}

    def pods(self) -> dict[str, Resource]:
        """Pod templates by ``Kind/name`` of their owner."""
        owners = [*self.of("Deployment").values(), *self.of("Job").values()]
        return {f"{owner['kind']}/{owner['metadata']['name']}": owner["spec"]["template"] for owner in owners}


@pytest.fixture(scope="session")
def render() -> Callable[[str], Manifests]:
    """Kustomizes a folder below deploy/k8s."""
    kubectl = program("kubectl")
    known: dict[str, Manifests] = {}

    def rendered(folder: str) -> Manifests:
        if folder not in known:
            made = subprocess.run(
                [kubectl, "kustomize", ROOT / "deploy/k8s" / folder], capture_output=True, text=True, check=False
            )
            assert made.returncode == 0, made.stderr
            assert made.stderr == "", "kustomize warns"
            known[folder] = Manifests(made.stdout)
        return known[folder]

    return rendered


@pytest.fixture(scope="session", params=OVERLAYS)
def manifests(request: pytest.FixtureRequest, render: Callable[[str], Manifests]) -> Manifests:
    """Each overlay in turn."""
    return render(f"overlays/{request.param}")


@pytest.fixture(scope="session")
def hadolint() -> str:
    return program("hadolint")


@pytest.fixture(scope="session")
def docker_compose() -> str:
    return program("docker-compose")


ComposeConfig = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def compose_config(docker_compose: str, tmp_path_factory: pytest.TempPathFactory) -> ComposeConfig:
    """``docker compose config`` without an engine, without any ``.env``, with only the given variables."""
    folder = tmp_path_factory.mktemp("compose")
    nothing = folder / "nothing.env"
    nothing.touch()
    command = [docker_compose, "--env-file", nothing, "-f", ROOT / "docker-compose.yml", "config"]

    def config(**environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, "--format", "json"], env={"PATH": os.defpath, "HOME": str(folder), **environ},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return config


@pytest.fixture(scope="session")
def compose(compose_config: ComposeConfig) -> Resource:
    made = compose_config()
    assert made.returncode == 0, made.stderr
    assert made.stderr == "", "compose warns"
    found: Resource = json.loads(made.stdout)
    return found
