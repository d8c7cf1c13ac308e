"""Loopback ports: free ones, and whether one is still free."""

from __future__ import annotations

import random
import socket

LOOPBACK = "127.0.0.1"
SERVED = range(20_000, 32_768)
"""Below those that systems give to connections that go out: one of these may take a port between two looks at it, and
keep it for as long as it lives."""
_chance = random.SystemRandom()


def free_port() -> int:
    """A port that nobody has. Whoever binds it must be ready to lose the race to another server."""
    while not is_free(port := _chance.choice(SERVED)):
        pass
    return port


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could bind it now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def kept_or_free(kept: int | None) -> int:
    return kept if kept is not None and is_free(kept) else free_port()
