"""Running services: ``main(name, compose)`` for one, ``run(names)`` for several in one process."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import logging
import re
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn

import asyncpg
from circolo_events.bus import BusError

from . import logs
from .migrate import MigrationError
from .platform import Compose
from .pools import PostgresUnavailable
from .process import Process, ServiceSpec, StartFailure, prepare_schema
from .settings import Settings, SettingsProblem

log = logging.getLogger(__name__)

OK, START_FAILED, WRONG_SETTING = 0, 1, 2
EXPLAINED = (StartFailure, MigrationError, PostgresUnavailable, BusError)
"""Errors whose text is written for the person who started the process."""


class OwnSchema:
    """The default of ``schema``: what the service's module says by ``SCHEMA``, else the service's name."""


OWN_SCHEMA = OwnSchema()


def main(name: str, compose: Compose, *, schema: str | OwnSchema | None = OWN_SCHEMA) -> NoReturn:
    """Run one service until SIGTERM or SIGINT; its ``__main__`` calls this.

    ``schema=None`` (or ``SCHEMA = None`` in the module of ``compose``) is for a service without tables of its own:
    nothing is migrated. The service's migrations are in ``<service folder>/migrations``, two folders above the
    package of ``compose``. Exit code 0 after a drain, 1 when the start failed, 2 when a setting is wrong.
    """
    sys.exit(run(name, [spec_of(name, compose, schema)]))


def spec_of(name: str, compose: Compose, schema: str | OwnSchema | None = OWN_SCHEMA) -> ServiceSpec:
    module = inspect.getmodule(compose)
    if isinstance(schema, OwnSchema):
        schema = getattr(module, "SCHEMA", name)
    file = getattr(module, "__file__", None)
    return ServiceSpec(name, compose, schema, Path(file).resolve().parents[2] / "migrations" if file else None)


def find(name: str) -> ServiceSpec:
    """The installed service of this name: ``circolo_<name>.service.compose``. Raises StartFailure."""
    package = f"circolo_{name}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise StartFailure(f"{name!r} is no name of a service")
    try:
        module = importlib.import_module(f"{package}.service")
    except ModuleNotFoundError as error:
        if error.name not in (package, f"{package}.service"):
            raise
        raise StartFailure(f"there is no service called {name}") from None
    return spec_of(name, module.compose)


def run(name: str, specs: list[ServiceSpec], *, migrate_only: bool = False) -> int:
    """Run services in one loop, started in this order and drained in the other; returns the exit code."""
    try:
        settings = Settings.load()
    except SettingsProblem as problem:
        sys.stderr.write(f"circolo {name}: {problem}\n")
        return WRONG_SETTING
    logs.setup(name, level=settings.log_level, form=settings.log_format)
    work = _migrate(specs, settings) if migrate_only else _serve(name, specs, settings)
    try:
        _in_loop(work)
    except KeyboardInterrupt:
        return OK  # before the loop listened for signals
    except SettingsProblem as problem:  # of a service's own settings
        log.critical("cannot start: %s", problem)
        return WRONG_SETTING
    except EXPLAINED as error:
        log.critical("cannot start: %s", error)
        return START_FAILED
    except (OSError, asyncpg.PostgresError) as error:
        log.critical("cannot start: %s: %s", type(error).__name__, error)
        return START_FAILED
    except Exception:
        log.critical("cannot start: an error of the program", exc_info=True)
        return START_FAILED
    return OK


async def _serve(name: str, specs: list[ServiceSpec], settings: Settings) -> None:
    await Process(name, specs, settings).run()


async def _migrate(specs: list[ServiceSpec], settings: Settings) -> None:
    for spec in specs:
        applied = await prepare_schema(spec, settings.for_service(spec.name), apply=True)
        log.info("%s is up to date", spec.name, extra={"applied": len(applied)})


def _in_loop(work: Coroutine[Any, Any, None]) -> None:
    try:
        import uvloop  # noqa: PLC0415 (not on every system)
    except ImportError:
        factory = None
    else:
        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work)
