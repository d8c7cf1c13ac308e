"""Scalars: a card, a moment, a key."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any, NewType

import strawberry
from circolo_contracts.cards import Card, is_card
from graphql import GraphQLError
from msgspec import UnsetType
from strawberry.schema.types.base_scalars import wrap_parser
from strawberry.types.scalar import ScalarDefinition

DateTime = NewType("DateTime", int)
"""ms since 1970."""


_uuid: Any = wrap_parser(uuid.UUID, "UUID")
IdempotencyKey = NewType("IdempotencyKey", str)
"""A UUID, of which nothing is needed but its 32 hex digits."""


def rfc3339(ms: int) -> str:
    whole = datetime.fromtimestamp(ms // 1000, UTC)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


def moment(ms: int | UnsetType | None) -> DateTime | None:
    return DateTime(ms) if isinstance(ms, int) else None


def _card(value: Any) -> Card:
    if isinstance(value, str) and is_card(value):
        return Card(value)
    raise GraphQLError("A card is a rank of 1 to 10 and a suit letter D, C, S or B, such as 7D.")


def _no_input(_: Any) -> DateTime:
    raise GraphQLError("No field takes a time.")


def _key(value: Any) -> IdempotencyKey:
    read: uuid.UUID = _uuid(value)
    return IdempotencyKey(read.hex)


SCALARS: dict[object, ScalarDefinition] = {
    Card: strawberry.scalar(
        name="Card",
        description="One of the 40 cards: rank 1 (ace) to 10 (king) and suit letter: D coins, C cups, S swords, "
        "B clubs. `7D` is the settebello.",
        serialize=str,
        parse_value=_card,
    ),
    DateTime: strawberry.scalar(
        name="DateTime",
        description="UTC, RFC 3339 with milliseconds: `2026-01-31T20:15:00.000Z`.",
        serialize=rfc3339,
        parse_value=_no_input,
    ),
    IdempotencyKey: strawberry.scalar(name="UUID", serialize=str, parse_value=_key),
}
