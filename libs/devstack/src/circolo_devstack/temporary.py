"""Temporary folders of stacks and test runs: removed at the end, or by the next run when this one was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "circolo-run-"
IN_USE = "in-use"
YOUNG_SECONDS = 60.0
"""A folder this young may not have its lock yet."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder of ours that another user may pass through but not list."""
    _sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    folder.chmod(0o711)
    with (folder / IN_USE).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _sweep(root: Path) -> None:
    """Remove what killed runs of ours left; the kernel has freed their locks."""
    for left in root.glob(f"{PREFIX}*"):
        try:
            found = left.lstat()
            if found.st_uid != os.getuid() or time.time() - found.st_mtime < YOUNG_SECONDS:
                continue
            with (left / IN_USE).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
        except OSError:  # in use, or not made by us
            continue
