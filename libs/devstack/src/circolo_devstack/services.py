"""The services of today, and which environment each gets: the one list to add a service to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .keys import TokenKeys
from .roles import SHARED_URL, DatabaseUrls


@dataclass(frozen=True)
class ServiceSpec:
    """One service: ``python -m circolo_<name>``."""

    name: str
    owns_schema: bool = True
    """Has a schema and a login role of its own; else it reads with the read-only role."""
    signs_tokens: bool = False
    verifies_tokens: bool = False
    serves_http: bool = False
    """Listens where players connect; stops first."""


SERVICES: tuple[ServiceSpec, ...] = (
    ServiceSpec("rooms", signs_tokens=True),
    ServiceSpec("cardgames"),
    ServiceSpec("ledger"),
    ServiceSpec("tombola"),
    ServiceSpec("trivia"),
    ServiceSpec("projector"),
    ServiceSpec("gateway", owns_schema=False, verifies_tokens=True, serves_http=True),
)

ONE_PROCESS = "club"
"""The name of the child that runs all of them with ``--one-process``."""


@dataclass(frozen=True)
class Surroundings:
    """What the stack offers to its services."""

    databases: DatabaseUrls
    nats_url: str
    keys: TokenKeys
    http_host: str
    http_port: int


def environment(
    specs: Sequence[ServiceSpec], around: Surroundings, base: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """For one process that runs ``specs``: the caller's own, with the servers, keys and address that they may know.

    The caller's other ``CIRCOLO_`` settings (log level, pool size ...) pass through.
    """
    env = {name: value for name, value in base.items() if not _is_ours(name, around)}
    env["PYTHONUNBUFFERED"] = "1"
    env["CIRCOLO_NATS_URL"] = around.nats_url
    env["CIRCOLO_POSTGRES_URL"] = around.databases.of(specs[-1].name)
    if len(specs) > 1 and not around.databases.shared:
        for spec in specs:
            env[f"CIRCOLO_POSTGRES_URL_{spec.name.upper()}"] = around.databases.of(spec.name)
    if any(spec.signs_tokens for spec in specs):
        env["CIRCOLO_TOKEN_PRIVATE_KEY_FILE"] = str(around.keys.private)
    if any(spec.verifies_tokens for spec in specs):
        env["CIRCOLO_TOKEN_PUBLIC_KEY_FILE"] = str(around.keys.public)
    if any(spec.serves_http for spec in specs):
        env["CIRCOLO_HTTP_HOST"] = around.http_host
        env["CIRCOLO_HTTP_PORT"] = str(around.http_port)
    return env


def _is_ours(name: str, around: Surroundings) -> bool:
    if name.startswith(("CIRCOLO_TOKEN_", "CIRCOLO_HTTP_", "CIRCOLO_HEALTH_", "CIRCOLO_NATS_")):
        return True
    return name.startswith("CIRCOLO_POSTGRES_") and (name == SHARED_URL or not around.databases.shared)
