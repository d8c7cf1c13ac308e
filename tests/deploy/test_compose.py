from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from circolo_devstack.prepare import DEVELOPMENT
from circolo_devstack.roles import READER, role_of
from circolo_devstack.services import SERVICES

ROOT = Path(__file__).parents[2]
OURS = [spec.name for spec in SERVICES]
SERVERS = ["postgres", "nats"]
Compose = dict[str, Any]


def seconds(shown: str) -> float:
    number, unit = re.fullmatch(r"(?:(\d+)m)?(\d+)s", shown).groups()  # type: ignore[union-attr]
    return int(number or 0) * 60 + int(unit)


def test_every_service_is_there(compose: Compose) -> None:
    assert set(compose["services"]) == {*OURS, *SERVERS, "setup"}


@pytest.mark.parametrize("name", [*OURS, *SERVERS])
def test_health_is_asked_every_two_seconds(compose: Compose, name: str) -> None:
    check = compose["services"][name]["healthcheck"]
    assert check["interval"] == "2s"
    if name in SERVERS:
        assert check["test"][0] == "CMD", "no shell"
    else:
        assert "test" not in check, "the image knows"


@pytest.mark.parametrize("name", [*OURS, "setup"])
def test_a_container_of_ours_may_do_nothing_that_it_need_not(compose: Compose, name: str) -> None:
    service = compose["services"][name]
    assert service["init"] is True
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")
    assert all(mount["type"] == "volume" for mount in service.get("volumes", [])), "nothing of the host"


@pytest.mark.parametrize("name", [*OURS, *SERVERS])
def test_what_dies_is_started_again(compose: Compose, name: str) -> None:
    assert compose["services"][name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", OURS)
def test_a_drain_has_its_time(compose: Compose, name: str) -> None:
    service = compose["services"][name]
    drain = float(service["environment"].get("CIRCOLO_DRAIN_SECONDS", 10))
    assert seconds(service["stop_grace_period"]) >= drain + 10


@pytest.mark.parametrize("spec", SERVICES, ids=lambda spec: spec.name)
def test_each_logs_in_as_itself_and_knows_only_its_keys(compose: Compose, spec) -> None:  # type: ignore[no-untyped-def]
    service = compose["services"][spec.name]
    environment = service["environment"]
    role = role_of(spec.name) if spec.owns_schema else READER
    assert environment["CIRCOLO_POSTGRES_URL"] == f"postgresql://{role}:{DEVELOPMENT}@postgres:5432/circolo"
    volumes = {mount["source"]: mount.get("read_only") for mount in service.get("volumes", [])}
    wanted = {"token-private": spec.signs_tokens, "token-public": spec.verifies_tokens}
    assert volumes == {name: True for name, has in wanted.items() if has}, "and cannot change them"
    assert ("CIRCOLO_TOKEN_PRIVATE_KEY_FILE" in environment) == spec.signs_tokens
    assert ("CIRCOLO_TOKEN_PUBLIC_KEY_FILE" in environment) == spec.verifies_tokens
    assert "CIRCOLO_SUPERUSER_URL" not in environment


def test_only_where_players_connect_is_published_and_on_this_machine_only(compose: Compose) -> None:
    published = {name: service["ports"] for name, service in compose["services"].items() if service.get("ports")}
    assert set(published) == {spec.name for spec in SERVICES if spec.serves_http}
    assert [port["host_ip"] for ports in published.values() for port in ports] == ["127.0.0.1"]


@pytest.mark.parametrize("name", OURS)
def test_a_service_waits_for_its_servers_and_the_setup(compose: Compose, name: str) -> None:
    waits = {on: how["condition"] for on, how in compose["services"][name]["depends_on"].items()}
    assert waits["setup"] == "service_completed_successfully"
    assert waits["nats"] == "service_healthy"
    assert compose["services"]["setup"]["depends_on"]["postgres"]["condition"] == "service_healthy"


def test_the_gateway_opens_when_all_others_are_ready(compose: Compose) -> None:
    waits = {on: how["condition"] for on, how in compose["services"]["gateway"]["depends_on"].items()}
    assert [name for name in OURS if name != "gateway" and waits.get(name) != "service_healthy"] == []


def test_every_image_has_a_version(compose: Compose) -> None:
    tags = {name: service["image"].rpartition(":")[2] for name, service in compose["services"].items()}
    assert not {"", "latest"} & set(tags.values())
    assert {tags[name] for name in (*OURS, "setup")} == {"0.1.0"}


def test_every_role_gets_its_password_from_the_setup(compose: Compose) -> None:
    given = compose["services"]["setup"]["environment"]
    roles = {READER, *(role_of(spec.name) for spec in SERVICES if spec.owns_schema)}
    assert {f"{role}_password".upper() for role in roles} <= set(given)


def test_the_example_names_every_password(compose_config: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{(CIRCOLO_[A-Z_]*PASSWORD)", text))
    example = (ROOT / "deploy/compose.env.example").read_text(encoding="utf-8")
    named = re.findall(r"^(CIRCOLO_[A-Z_]*PASSWORD)=$", example, re.MULTILINE)
    assert set(named) == asked, "and none has a value"
    made = compose_config(**dict.fromkeys(asked, "another-word"), CIRCOLO_PUBLISHED="0.0.0.0:80")
    assert made.returncode == 0
    assert DEVELOPMENT not in made.stdout
    assert ".env" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()
