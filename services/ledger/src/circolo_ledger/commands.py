"""What the ledger tells itself when a ranked match goes on: one command for each rule that pays."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from .prizes import Table


class PayDeal(Struct, frozen=True):
    """A deal was played to its end; ``points`` of it by team."""

    cause: str
    points: list[int]
    table: Table


class PayMatch(Struct, frozen=True):
    """A match was played to its end; ``points`` of all its deals by team."""

    cause: str
    points: list[int]
    table: Table
    winner: int | UnsetType = UNSET
    """The team; absent: a tie."""


class PayUnplayed(Struct, frozen=True):
    """A match was won in fewer deals than pay."""

    cause: str
    deals: int
    table: Table
    winner: int


class PayLeftDeal(Struct, frozen=True):
    """A seat abandoned: the deal goes to the other side."""

    cause: str
    leaver: int
    table: Table


class FineLeaver(Struct, frozen=True):
    cause: str
    leaver: int
    table: Table


Pay = PayDeal | PayMatch | PayUnplayed | PayLeftDeal | FineLeaver
