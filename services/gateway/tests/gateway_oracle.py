"""graphql-core as the oracle of compiled selections: random documents for the whole schema, and both answers to one."""

from __future__ import annotations

import random
from typing import Any

from circolo_gateway.schema.build import build_schema
from circolo_gateway.schema.games import GameUpdate
from circolo_gateway.schema.room import RoomUpdate
from circolo_gateway.transport.documents import Documents
from circolo_gateway.transport.errors import encode_result
from circolo_gateway.transport.execution import Execution
from graphql import GraphQLEnumType, GraphQLObjectType, GraphQLScalarType, get_named_type
from graphql.execution import Executor

SCHEMA = build_schema()
DOCUMENTS = Documents(SCHEMA)
EXECUTION = Execution(SCHEMA)


def selection(rng: random.Random, type_name: str, depth: int) -> str:
    """A random selection of plain fields, with aliases, fragments and repeated fields."""
    of: Any = SCHEMA.type_map[type_name]
    possible = [of] if isinstance(of, GraphQLObjectType) else SCHEMA.get_possible_types(of)
    parts: list[str] = []
    for _ in range(rng.randint(1, 6)):
        target = rng.choice(possible)
        parts.append(f"... on {target.name} {{ {field(rng, target, depth)} }}")
    if rng.random() < 0.5:
        parts.append("__typename")
    rng.shuffle(parts)
    return " ".join(parts)


def is_plain(of: Any) -> bool:
    base = getattr(of.extensions.get("strawberry-definition"), "base_resolver", None)
    return base is None or not (base.is_async or base.info_parameter or of.args)


def field(rng: random.Random, of: GraphQLObjectType, depth: int) -> str:
    names = [n for n, f in of.fields.items() if (depth or _is_leaf(f)) and is_plain(f)]
    if not names:
        return "__typename"
    name = rng.choice(names)
    alias = f"x{rng.randint(0, 999)}: " if rng.random() < 0.3 else ""
    named = get_named_type(of.fields[name].type)
    if isinstance(named, GraphQLScalarType | GraphQLEnumType):
        return f"{alias}{name}"
    return f"{alias}{name} {{ {selection(rng, named.name, depth - 1)} }}"


def _is_leaf(of: Any) -> bool:
    return isinstance(get_named_type(of.type), GraphQLScalarType | GraphQLEnumType)


def both(text: str, payload: GameUpdate | RoomUpdate) -> tuple[bytes | None, bytes]:
    """What the plan renders (None: it does not), and what graphql-core says."""
    document = DOCUMENTS.get(text)
    assert not document.errors, (text, document.errors)
    operation = document.select(None)
    render = EXECUTION.renderer(operation)
    assert render is not None
    oracle: Any = Executor.build(SCHEMA, operation.document, context_value=None)
    payload.rendered.clear()
    expected = oracle.build_per_event_executor(payload).execute_operation(False)
    return render(payload), encode_result(expected)


def valid_document(seed: int, root: str = "game", update: str = "GameUpdate") -> str:
    """Random, and valid: an alias that stands for two different fields is tried again."""
    rng = random.Random(seed)
    while True:
        text = f'subscription {{ {root}(id: "x") {{ {selection(rng, update, 3)} }} }}'
        if not DOCUMENTS.get(text).errors:
            return text
