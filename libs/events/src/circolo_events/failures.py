"""Which failures pass by themselves. Only the others say something about the event that was being handled."""

from __future__ import annotations

import asyncpg
from nats.errors import Error as NatsError

from .bus import BusError
from .store import PositionGap

CHECKPOINT_MOVED = "C0001"
_SAYS_SOMETHING_OF_THE_DATA = ("21", "22", "23", "P0")
"""SQLSTATE classes of cardinality, data, constraint and raised errors. Every other class is about the server, the
connection, the schema or the rights, and would meet any event alike."""


class CheckpointMoved(Exception):
    """Another replica was here: what this one knows is old."""


class LeaseLost(Exception):
    """The time at work is over; another replica goes on."""


class LogBehind(RuntimeError):
    """A reader stands beyond the end of the log: the store was replaced by an older one. It must not go on."""


DATABASE_AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""What a read meets when the database is away, restarting or frozen. The last is what asyncpg raises of a connection
that died, or timed out, in a bad moment; the next read takes another one."""
_PASSING = (BusError, NatsError, OSError, TimeoutError, PositionGap, CheckpointMoved, LeaseLost, LogBehind)


def passes(error: BaseException) -> bool:
    """True when the same event may well succeed later, so that it must be tried again for ever and never parked."""
    if isinstance(error, asyncpg.PostgresError):
        state: str = getattr(error, "sqlstate", None) or ""
        return state[:2] not in _SAYS_SOMETHING_OF_THE_DATA
    if isinstance(error, asyncpg.InternalClientError):
        return True  # of a connection, never of the data
    if isinstance(error, asyncpg.InterfaceError):
        return not isinstance(error, ValueError)  # asyncpg: an argument that its type cannot hold
    return isinstance(error, _PASSING)


def is_usual_at_start(error: BaseException) -> bool:
    """Services start in any order: that a server or a source is not there yet is no error then. A hole always is."""
    return passes(error) and not isinstance(error, (PositionGap, LogBehind))


def explain(error: BaseException) -> str:
    """For an operator's log: what it is about, without the contents of any event."""
    if isinstance(error, (asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError, asyncpg.InvalidSchemaNameError)):
        return f"not migrated yet ({error})"
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return f"this role may not ({error})"
    if isinstance(error, (asyncpg.PostgresError, BusError, PositionGap, LogBehind, OSError)) and passes(error):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__
