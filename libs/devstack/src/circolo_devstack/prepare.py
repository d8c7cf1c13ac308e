"""A Postgres that somebody else runs is prepared for the services: ``python -m circolo_devstack.prepare``.

Makes database, roles, schemas and, where it is told to, the key pair of tokens; compose and Kubernetes run it once
before the services. Repeating it changes nothing but passwords. Exit code 2 for a wrong setting, 1 for a failure.
"""

from __future__ import annotations

import ipaddress
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from .keys import token_keys
from .passwords import Passwords, write_private
from .roles import DATABASE, READER, bootstrap, role_of
from .services import SERVICES

SUPERUSER_URL = "CIRCOLO_SUPERUSER_URL"
PRIVATE_KEY, PUBLIC_KEY = "CIRCOLO_TOKEN_PRIVATE_KEY_FILE", "CIRCOLO_TOKEN_PUBLIC_KEY_FILE"
PUBLISHED = "CIRCOLO_PUBLISHED"
"""``address:port`` where players reach the API, as compose publishes it."""
DEVELOPMENT = "development"
"""The password of every role in a compose that was told none."""
FAILED, WRONG_SETTING = 1, 2
_PASSWORD = re.compile(r"[A-Za-z0-9_-]{8,200}")


class Unprepared(Exception):
    """A setting cannot be used; the text names it and never shows a password."""


class GivenPasswords(Passwords):
    """From the environment instead of a file: the role ``circolo_rooms`` has ``CIRCOLO_ROOMS_PASSWORD``."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def get(self, name: str) -> str:
        """Raises Unprepared for one that is missing or would need quoting in a URL."""
        variable = f"{name}_password".upper()
        given = self._environ.get(variable, "")
        if not _PASSWORD.fullmatch(given):
            raise Unprepared(f"{variable} must be 8 to 200 of A-Z a-z 0-9 _ -")
        return given

    def put(self, name: str, password: str) -> None:
        raise Unprepared("passwords are given by the environment")


def _is_loopback(published: str) -> bool:
    host = published.rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_development(environ: Mapping[str, str], superuser_url: str) -> None:
    """Passwords that everybody knows are for a machine that serves itself only."""
    if _is_loopback(environ.get(PUBLISHED, "")):
        return
    used = {name for name, given in environ.items() if name.endswith("_PASSWORD") and given == DEVELOPMENT}
    if urlsplit(superuser_url).password == DEVELOPMENT:
        used.add(SUPERUSER_URL)
    if used:
        raise Unprepared(f"others than this machine reach the API, but it has {DEVELOPMENT}: {', '.join(sorted(used))}")


def prepare(environ: Mapping[str, str], *, database: str = DATABASE) -> None:
    """Raises Unprepared, OSError or what asyncpg raises."""
    url = environ.get(SUPERUSER_URL, "")
    if not url.startswith(("postgresql://", "postgres://")):
        raise Unprepared(f"{SUPERUSER_URL} must look like postgresql://user:password@host:5432/postgres")
    _refuse_development(environ, url)
    owners = [spec.name for spec in SERVICES if spec.owns_schema]
    passwords = GivenPasswords(environ)
    for role in (READER, *map(role_of, owners)):
        passwords.get(role)  # all of them are judged before anything is made
    _keys(environ)
    bootstrap(url, owners, passwords, database=database)


def _keys(environ: Mapping[str, str]) -> None:
    if not environ.get(PRIVATE_KEY):
        return
    if not environ.get(PUBLIC_KEY):
        raise Unprepared(f"{PUBLIC_KEY} must be set beside {PRIVATE_KEY}")
    private = Path(environ[PRIVATE_KEY])
    keys = token_keys(private.parent)
    if keys.private != private:
        raise Unprepared(f"the file of {PRIVATE_KEY} must be called {keys.private.name}")
    write_private(Path(environ[PUBLIC_KEY]), keys.public.read_bytes())


def main() -> int:
    try:
        prepare(os.environ)
    except Unprepared as error:
        sys.stderr.write(f"circolo setup: {error}\n")
        return WRONG_SETTING
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
        sys.stderr.write(f"circolo setup: Postgres or the key files cannot be used ({type(error).__name__})\n")
        return FAILED
    sys.stdout.write("circolo setup: database, roles and schemas are as they should be\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
