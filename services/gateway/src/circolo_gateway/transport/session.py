"""Who is at the other end, and what the transport needs from the application behind it."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol

from .documents import Operation


@dataclass(frozen=True, slots=True)
class Identity:
    """A verified token, or nobody."""

    player: str | None = None
    expires_at: int | None = None
    """ms since 1970."""
    epoch: int = 0
    """Of the token: an older one may be recalled."""
    roles: frozenset[str] = frozenset()


NOBODY = Identity()


@dataclass(frozen=True, slots=True)
class Session:
    identity: Identity
    language: str
    """``IT`` or ``EN``: of messages to this client."""
    address: str


class Application(Protocol):
    def identify(self, authorization: str | None) -> Identity:
        """Who this is; nobody without a header. Raises Problem UNAUTHENTICATED for a token that is not good."""
        ...

    def context(self, session: Session) -> object:
        """A fresh context for one execution: loaders never live longer than that."""
        ...

    def charge(self, session: Session, operation: Operation) -> float:
        """Count an operation against its limits; seconds to wait, 0 when it may run."""
        ...

    def admission(self, session: Session, operation: Operation) -> Awaitable[None] | None:
        """None when he may go on; else to be awaited first. It raises Problem for a token that was recalled."""
        ...

    def now(self) -> int:
        """ms since 1970, by the database's clock."""
        ...


def language_of(accept_language: str | None) -> str:
    """``EN`` if English is wanted before Italian, else the house's Italian."""
    best, best_q = "IT", 0.0
    for part in (accept_language or "")[:500].split(","):
        tag, _, q_text = part.strip().partition(";q=")
        primary = tag.strip().lower().partition("-")[0]
        if primary not in ("it", "en"):
            continue
        try:
            q = float(q_text) if q_text else 1.0
        except ValueError:
            continue
        if q > best_q:
            best, best_q = primary.upper(), q
    return best
