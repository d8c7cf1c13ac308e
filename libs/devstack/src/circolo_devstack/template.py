"""A cluster made once by initdb and copied for each test run: a copy takes a tenth of the time.

All copies have the template's password; it is in a file beside the template that only its owner reads.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .binaries import PostgresBinaries
from .children import User
from .passwords import Passwords
from .places import make_owned
from .postgres import Cluster, make_cluster

FORMAT = 1
"""Counts up when initdb's options change."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time; the kernel frees it with the process."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def template_cluster(binaries: PostgresBinaries, user: User | None, cache: Path) -> Cluster:
    """The template of these binaries and this user; made on the first call on this machine."""
    name = f"template-{FORMAT}-{binaries.version}-{user.uid if user else os.getuid()}"
    data = cache / name
    with locked(cache / f"{name}.lock"):
        password = Passwords(cache / f"{name}.json").get("postgres")
        cluster = Cluster(binaries, data, user, password)
        if not cluster.exists:
            fresh = make_owned(cache / f"{name}.making", user)
            make_cluster(Cluster(binaries, fresh, user, password), sync=False)
            shutil.rmtree(data, ignore_errors=True)
            fresh.rename(data)
    return cluster


def copy_cluster(template: Cluster, data: Path) -> Cluster:
    """A new cluster in ``data`` (absent or empty), owned as the template is."""
    user = template.user

    def copy_owned(source: str, target: str) -> str:
        shutil.copyfile(source, target)
        Path(target).chmod(0o600)
        if user is not None:
            os.chown(target, user.uid, user.gid)
        return target

    shutil.copytree(template.data, data, copy_function=copy_owned, dirs_exist_ok=True)
    if user is not None:
        for folder in (data, *(path for path in data.rglob("*") if path.is_dir())):
            os.chown(folder, user.uid, user.gid)
    return Cluster(template.binaries, data, user, template.password)
