"""Become another program that dies with its parent: ``launch.py PARENT SIGNAL UID GID PROGRAM ARGUMENT...``.

Run by path with ``python -I -S``, so it starts in about 15 ms and imports nothing of Circolo. A launcher, because
code between fork and exec in a process with threads is not safe, and because the kernel forgets a parent-death signal
when a process changes its user: here the user changes first. UID -1 keeps the user.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
CANNOT_START = 127


def become(parent: int, death_signal: int, uid: int, gid: int, argv: list[str]) -> None:
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:  # it died before the signal was asked for
        sys.exit(CANNOT_START)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execv(argv[0], argv)  # noqa: S606 - its arguments are ours, no shell is wanted


if __name__ == "__main__":
    parent, death_signal, uid, gid = (int(word) for word in sys.argv[1:5])
    try:
        become(parent, death_signal, uid, gid, sys.argv[5:])
    except OSError as error:
        print(f"cannot start {sys.argv[5]}: {error}", file=sys.stderr, flush=True)
        sys.exit(CANNOT_START)
