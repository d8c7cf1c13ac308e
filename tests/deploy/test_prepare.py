from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from circolo_devstack import prepare
from circolo_devstack.databases import run_apart, with_database
from circolo_devstack.roles import READER, role_of
from circolo_devstack.servers import Servers
from circolo_devstack.services import SERVICES

DATABASE = "circolo_prepare_test"
OWNERS = [spec.name for spec in SERVICES if spec.owns_schema]
ROLES = [READER, *map(role_of, OWNERS)]


async def fetch(url: str, sql: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


def given(url: str = "postgresql://postgres:secret-word@127.0.0.1:1/postgres", **more: str) -> dict[str, str]:
    passwords = {f"{role}_password".upper(): f"word-of-{role}" for role in ROLES}
    return {prepare.SUPERUSER_URL: url, **passwords, **more}


@pytest.fixture
def prepared(servers: Servers, tmp_path: Path) -> Iterator[dict[str, str]]:
    keys = {
        prepare.PRIVATE_KEY: str(tmp_path / "private/token-private.pem"),
        prepare.PUBLIC_KEY: str(tmp_path / "public/token-public.pem"),
    }
    environ = given(servers.postgres_url, **keys)
    prepare.prepare(environ, database=DATABASE)
    yield environ
    run_apart(fetch(servers.postgres_url, f"DROP DATABASE {DATABASE} WITH (FORCE)"))
    for role in (*ROLES, "circolo_log_reader"):
        run_apart(fetch(servers.postgres_url, f"DROP ROLE {role}"))


def test_a_foreign_postgres_gets_roles_schemas_and_the_pair_of_keys(
    servers: Servers, prepared: dict[str, str], tmp_path: Path
) -> None:
    base = with_database(servers.postgres_url, DATABASE).rpartition("@")[2]
    for role in ROLES:
        assert run_apart(fetch(f"postgresql://{role}:word-of-{role}@{base}", "SELECT current_user")) == role
    schemas = "SELECT array_agg(nspname ORDER BY nspname) FROM pg_namespace WHERE nspname = ANY ($1::text[])"
    names = schemas.replace("$1", "'{" + ",".join(OWNERS) + "}'")
    assert run_apart(fetch(with_database(servers.postgres_url, DATABASE), names)) == sorted(OWNERS)
    private, public = tmp_path / "private/token-private.pem", tmp_path / "public/token-public.pem"
    assert b"PRIVATE KEY" in private.read_bytes()
    assert b"PUBLIC KEY" in public.read_bytes()
    assert private.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in public.parent.iterdir()] == [public.name], "the private half stays where it is"

    before = private.read_bytes()
    prepare.prepare(prepared, database=DATABASE)
    assert private.read_bytes() == before, "a second time changes nothing"


@pytest.mark.parametrize("bad", ["", "short", "with space in it", "quote'quote'", "a/b@c:d/e"])
def test_a_password_that_needs_quoting_is_refused_by_name_and_never_shown(bad: str) -> None:
    with pytest.raises(prepare.Unprepared, match="CIRCOLO_READER_PASSWORD must be") as refused:
        prepare.prepare(given(CIRCOLO_READER_PASSWORD=bad))
    assert not bad or bad not in str(refused.value)


@pytest.mark.parametrize("published", ["", "0.0.0.0:8000", "[::]:8000", "192.0.2.7:80", "8000"])
def test_development_passwords_are_refused_when_others_reach_the_api(published: str) -> None:
    with pytest.raises(prepare.Unprepared, match="CIRCOLO_NATS_PASSWORD, CIRCOLO_SUPERUSER_URL"):
        prepare.prepare(
            given(
                f"postgresql://postgres:{prepare.DEVELOPMENT}@127.0.0.1:1/postgres",
                CIRCOLO_NATS_PASSWORD=prepare.DEVELOPMENT, CIRCOLO_PUBLISHED=published,
            )
        )  # fmt: skip


@pytest.mark.parametrize("published", ["127.0.0.1:8000", "[::1]:8000", "localhost:80"])
def test_development_passwords_do_on_ones_own_machine(published: str) -> None:
    words = dict.fromkeys((f"{role}_password".upper() for role in ROLES), prepare.DEVELOPMENT)
    with pytest.raises(ConnectionRefusedError):  # as far as the database, which is not there
        prepare.prepare({**given(), **words, "CIRCOLO_PUBLISHED": published})


def test_a_wrong_setting_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(prepare.SUPERUSER_URL, "mysql://root:hush@somewhere/")
    assert prepare.main() == prepare.WRONG_SETTING
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert prepare.SUPERUSER_URL in said
    assert "hush" not in said


def test_a_database_that_is_not_there_is_exit_code_1_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in given().items():
        monkeypatch.setenv(name, value)
    assert prepare.main() == prepare.FAILED
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "secret-word" not in said


def test_a_key_file_of_another_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(prepare.Unprepared, match=r"must be called token-private\.pem"):
        prepare.prepare(
            given(**{prepare.PRIVATE_KEY: str(tmp_path / "a.pem"), prepare.PUBLIC_KEY: str(tmp_path / "b")})
        )
    with pytest.raises(prepare.Unprepared, match=prepare.PUBLIC_KEY):
        prepare.prepare(given(**{prepare.PRIVATE_KEY: str(tmp_path / "token-private.pem")}))
