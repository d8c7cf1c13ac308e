"""The settings of a process, all from the environment: ``CIRCOLO_<NAME>``. Each carries its own help text.

``docs/settings.md`` is made from them (``python -m circolo_service.settings``). A wrong value never appears in a
message, since it may hold a password: the message says which variable and what is wanted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "CIRCOLO_"
S = TypeVar("S", bound=BaseSettings)


class SettingsProblem(Exception):
    """The environment cannot be used; the text has one clause for each variable, without any value."""


class Settings(BaseSettings):
    """What every process is told from outside. URLs may hold passwords, so they are in no ``repr``."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, populate_by_name=True
    )

    postgres_url: str = Field(
        repr=False,
        pattern=r"^postgres(ql)?://",
        examples=["postgresql://user:password@host:5432/database"],
        description="Where Postgres is. `CIRCOLO_POSTGRES_URL_<SERVICE>` is for one service only and wins.",
    )
    postgres_direct_url: str = Field(
        default="",
        repr=False,
        pattern=r"^(postgres(ql)?://.*)?$",
        examples=["postgresql://user:password@host:5432/database"],
        description="Past a connection pooler, for migrations and advisory locks. Empty: the same as the other.",
    )
    nats_url: str = Field(
        repr=False,
        pattern=r"^(nats|tls|ws|wss)://",
        examples=["nats://host:4222"],
        description="Where NATS is.",
    )
    pool_size: int = Field(default=5, ge=1, le=100, description="Most Postgres connections of a service's pool.")
    statement_cache: int = Field(
        default=100, ge=0, le=1000, description="Prepared statements kept by a connection; 0 behind PgBouncer."
    )
    start_wait_seconds: float = Field(
        default=30.0, ge=0, le=600, description="How long a start waits for Postgres and NATS before it gives up."
    )
    migrate_at_start: bool = Field(
        default=True, description="Bring the service's schema up to date at start; false: wait until a job did it."
    )
    drain_seconds: float = Field(
        default=10.0, ge=0, le=300, description="How long work in flight may take after SIGTERM before it is cut off."
    )
    http_host: str = Field(default="127.0.0.1", description="Where the gateway listens.")
    http_port: int = Field(default=8080, ge=0, le=65535, description="The gateway's port; 0: any free one.")
    health_host: str = Field(default="127.0.0.1", description="Where `/livez`, `/readyz` and `/metrics` listen.")
    health_port: int = Field(default=0, ge=0, le=65535, description="Their port; 0: not served.")
    token_private_key_file: Path | None = Field(
        default=None, description="PEM file with the Ed25519 key that signs tokens; rooms only."
    )
    token_public_key_file: Path | None = Field(
        default=None, description="PEM file with the Ed25519 key that verifies tokens; the gateway."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least severe log lines that are written."
    )
    log_format: Literal["json", "text"] = Field(
        default="json", description="One JSON object a line, or text for a person at a terminal."
    )
    otlp_endpoint: str = Field(
        default="",
        validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        pattern=r"^(https?://.*)?$",
        examples=["http://host:4318"],
        description="Where traces and metrics are sent (OTLP over HTTP). Empty: nowhere.",
    )
    trace_ratio: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of new traces that are recorded; a busy house wants less, such as 0.01.",
    )

    @classmethod
    def load(cls) -> Settings:
        """From the environment; raises SettingsProblem."""
        return load(cls)

    def for_service(self, name: str) -> Settings:
        """The same, with the URLs that are meant for this service only."""
        updates = {}
        for field in ("postgres_url", "postgres_direct_url"):
            own = os.environ.get(f"{PREFIX}{field}_{name}".upper())
            if own:
                updates[field] = own
        return self.model_copy(update=updates) if updates else self

    @property
    def direct_url(self) -> str:
        return self.postgres_direct_url or self.postgres_url


def load(settings: type[S]) -> S:
    """Any settings class from the environment, such as a service's own; raises SettingsProblem."""
    try:
        return settings.model_validate({})
    except ValidationError as error:
        raise SettingsProblem(describe(error, settings)) from None


def variable(name: str, info: FieldInfo, prefix: str = PREFIX) -> str:
    """The environment variable of a field."""
    alias = info.validation_alias
    return alias if isinstance(alias, str) else f"{prefix}{name}".upper()


def describe(error: ValidationError, settings: type[BaseSettings]) -> str:
    """What is wrong with which variable, never with its value."""
    fields = {}
    for name, info in settings.model_fields.items():
        shown = variable(name, info, prefix_of(settings))
        fields[name] = fields[shown] = (shown, info)
    clauses = []
    for problem in error.errors(include_input=False, include_url=False):
        shown, info = fields[str(problem["loc"][0])]
        if problem["type"] == "missing":
            clauses.append(f"{shown} is not set")
        elif problem["type"] == "string_pattern_mismatch":
            clauses.append(f"{shown} must look like {(info.examples or ['?'])[0]}")
        else:
            clauses.append(f"{shown}: {problem['msg'][0].lower()}{problem['msg'][1:]}")
    return "; ".join(clauses)


def prefix_of(settings: type[BaseSettings]) -> str:
    return settings.model_config.get("env_prefix") or ""


def table(settings: type[BaseSettings] = Settings) -> str:
    """The settings as a Markdown table."""
    lines = ["| variable | default | what it decides |", "|---|---|---|"]
    for name, info in settings.model_fields.items():
        lines.append(f"| `{variable(name, info, prefix_of(settings))}` | {_default(info)} | {info.description} |")
    return "\n".join(lines) + "\n"


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "must be set"
    value: Any = info.default
    if value is None or value == "":
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
