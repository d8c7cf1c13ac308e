"""A process from start to drain: ``main(name, compose)`` for one service, ``run_services`` for several in one loop."""

from __future__ import annotations

from typing import NoReturn

from .platform import Compose


class OwnSchema:
    """The default of ``schema``: the service's schema is called like the service."""


OWN_SCHEMA = OwnSchema()


def main(name: str, compose: Compose, *, schema: str | OwnSchema | None = OWN_SCHEMA) -> NoReturn:
    """Run one service until SIGTERM or SIGINT; its ``__main__`` calls this.

    ``schema=None`` is for a service without tables of its own: nothing is migrated. The service's migrations are in
    ``<service folder>/migrations``, three levels above the file of ``compose``. Exit code 0 after a drain, 1 when the
    start failed, 2 when a setting is wrong.
    """
    raise NotImplementedError
