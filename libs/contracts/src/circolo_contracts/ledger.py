"""The language of the ledger: what was paid, to whom and why, in whole brilli. The entries of an event sum to zero."""

from __future__ import annotations

import uuid
from typing import Literal, NewType

from msgspec import Struct

from .ids import PlayerId, Stream, stream_of

Account = NewType("Account", str)
"""``player-<id>``, ``pot`` or ``penalties``."""
POT = Account("pot")
"""Prizes come from here. It is the other side of what players have won, and so it is below zero."""
PENALTIES = Account("penalties")
"""Where fines go."""

Rule = Literal["DEAL", "MATCH", "UNPLAYED", "PENALTY"]
"""Why it was paid: a deal's prize (also of the deal that somebody left), the match's, that of the deals which a short
match did not need, the fine of who abandoned."""
ReversalReason = Literal["COLLUSION", "DIRECTION", "FAULT"]
"""The result was arranged; the direction decided so; a fault of ours. A closed list: events hold no free text."""

_PAYOUT = uuid.UUID("6f1ed2a0-6d0f-5d5c-9d54-6a4d1c7f0a03")


def player_account(player: str) -> Account:
    return Account(f"player-{player}")


def player_of(account: str) -> PlayerId | None:
    """None for an account of the house."""
    kind, _, identity = account.partition("-")
    return PlayerId(identity) if kind == "player" else None


def payout_stream(cause: str) -> Stream:
    """Where everything is recorded that follows from this event (32 hex digits of its id)."""
    return stream_of("payout", uuid.uuid5(_PAYOUT, cause).hex)


# ---------------------------------------------------------------- events: stored for ever; a change is a new version


class Entry(Struct, frozen=True):
    """An account gets this much, or gives it when it is below zero; never zero."""

    account: str
    amount: int


class Paid(Struct, frozen=True):
    """One rule of one result was applied, once for ever."""

    at: int
    cause: str
    """The id of the event that it follows from, in the log of the game's service."""
    entries: list[Entry]
    """Players in the order of their seats, then the account of the house."""
    game: str
    game_id: str
    rule: Rule


class Reversed(Struct, frozen=True):
    """Counter-entries to everything of this stream that was paid and not reversed before."""

    at: int
    by: str
    """The operator's player id."""
    cause: str
    entries: list[Entry]
    reason: ReversalReason


PayoutEvent = Paid | Reversed

# ---------------------------------------------------------------- commands


class ReverseEntry(Struct, frozen=True):
    """From an operator, to ``payout_stream(cause)``. Nothing happens when nothing is left to be reversed."""

    reason: ReversalReason


# ---------------------------------------------------------------- views


class Payment(Struct, frozen=True):
    at: int
    entries: list[Entry]
    rule: Rule


class Reversal(Struct, frozen=True):
    """Who reversed it is not shown."""

    at: int
    entries: list[Entry]
    reason: ReversalReason


class PayoutView(Struct, frozen=True):
    """What followed from one event; the same for everybody."""

    cause: str
    game: str
    game_id: str
    payments: list[Payment]
    reversals: list[Reversal]
    version: int
