"""Compiled calls against graphql-core: the same arguments reach the resolver, the same answer comes back."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator
from enum import Enum
from typing import Any

import msgspec
import pytest
import strawberry
from circolo_contracts.cards import Card
from circolo_gateway.schema.build import build_schema
from circolo_gateway.schema.scalars import SCALARS, IdempotencyKey
from circolo_gateway.transport.documents import Documents, Operation
from circolo_gateway.transport.errors import Problem
from circolo_gateway.transport.execution import Execution
from strawberry.schema.config import StrawberryConfig


@strawberry.enum
class Level(Enum):
    EASY = "easy"
    HARD = "hard"


@strawberry.type
class Heard:
    what: str


@strawberry.input
class Whole:
    number: int


@strawberry.type
class Query:
    @strawberry.field
    async def hear(
        self, info: strawberry.Info[Any, None], id: strawberry.ID, card: Card, expected_version: int | None = None,
        key: IdempotencyKey | None = None, level: Level = Level.HARD, watch: bool = False,
        text: str | None = "none said",
    ) -> Heard:  # fmt: skip
        return Heard(what=repr((info.context, id, card, expected_version, key, level, watch, text)))

    @strawberry.field
    def several(self, cards: list[Card] | None = None, levels: list[Level | None] | None = None) -> Heard:
        return Heard(what=repr((cards, levels)))

    @strawberry.field
    def whole(self, whole: Whole) -> Heard:
        return Heard(what=str(whole.number))

    @strawberry.field
    async def fail(self, kind: str) -> Heard:
        if kind == "problem":
            raise Problem("NO_LUCK", "Not today.")
        if kind == "none":
            return None  # type: ignore[return-value]
        raise ValueError("a secret text")


@strawberry.type
class Subscription:
    @strawberry.subscription
    def overhear(
        self, info: strawberry.Info[Any, None], id: strawberry.ID, after: int | None = None
    ) -> AsyncGenerator[Heard, None]:
        if after == 0:
            raise Problem("BAD_USER_INPUT", "Not from there.")
        if after == 13:
            raise ValueError("a secret text")
        return overheard(repr((info.context, id, after)))

    @strawberry.subscription
    async def count(self, upto: int) -> AsyncGenerator[int, None]:
        for number in range(upto):
            yield number


async def overheard(what: str) -> AsyncGenerator[Heard, None]:
    if "nobody" in what:
        raise Problem("NOT_FOUND", "There is nobody.")
    yield Heard(what=what)


SCHEMA: Any = strawberry.Schema(
    query=Query, subscription=Subscription, config=StrawberryConfig(scalar_map=SCALARS)
)._schema
DOCUMENTS, EXECUTION = Documents(SCHEMA), Execution(SCHEMA)
KEY = "6f0c2f4e-57d3-4f0c-9d50-1f6b3c0f7a11"
ALL = """query($id: ID!, $card: Card!, $version: Int, $key: UUID, $level: Level!, $watch: Boolean!, $text: String) {
  said: hear(id: $id, card: $card, expectedVersion: $version, key: $key, level: $level, watch: $watch, text: $text) {
    what
  }
}"""
MOST = """query($id: ID!, $card: Card!, $version: Int, $key: UUID, $text: String) {
  hear(id: $id, card: $card, expectedVersion: $version, key: $key, text: $text) { what __typename }
}"""


async def both(text: str, variables: dict[str, Any]) -> tuple[bool, Any, Any]:
    """Whether the call was used, its answer, graphql-core's answer."""
    document = DOCUMENTS.get(text)
    assert not document.errors, document.errors
    operation = document.select(None)
    answered = await EXECUTION.answer(operation, variables, "the context")
    plain = dataclasses.replace(operation, call=None)
    expected = await EXECUTION.answer(plain, variables, "the context")
    used = operation.call is not None

    def read(answer: Any) -> Any:
        return [e.formatted for e in answer] if isinstance(answer, list) else msgspec.json.decode(answer)

    return used, read(answered), read(expected)


@pytest.mark.parametrize(
    "variables",
    [
        {"id": "x", "card": "7D"},
        {"id": "x", "card": "10S", "version": 3, "key": KEY, "text": "ciao"},
        {"id": "x", "card": "7D", "version": None, "key": None, "text": None},
        {"id": 7, "card": "7D"},
        {"id": "x", "card": "11D"},
        {"id": "x", "card": "7D", "version": 2**31},
        {"id": "x", "card": "7D", "version": 1.0},
        {"id": "x", "card": "7D", "version": True},
        {"id": "x", "card": "7D", "key": "no-uuid"},
        {"id": "x", "card": "7D", "key": KEY.upper()},
        {"id": "x", "card": "7D", "key": f"{{{KEY}}}"},
        {"id": "x", "card": "7D", "key": KEY.replace("-", "")},
        {"id": "x", "card": "7D", "key": KEY + "\n"},
        {"id": "x", "card": "7D", "key": KEY[:-1] + "٣"},
        {"id": "x", "card": "7D", "key": 7},
        {"id": "x"},
        {"id": None, "card": "7D"},
        {"id": "x", "card": "7D", "text": 5},
        {"id": "x", "card": "7D", "unknown": 1},
    ],
)
async def test_whatever_the_variables_are_graphql_core_agrees(variables: dict[str, Any]) -> None:
    used, answered, expected = await both(MOST, variables)
    assert used
    assert answered == expected


@pytest.mark.parametrize(
    "text",
    [
        '{ hear(id: "x", card: "7D") { what } }',
        f'{{ hear(id: 5, card: "1B", expectedVersion: 7, key: "{KEY}", watch: true, text: null) {{ what }} }}',
        '{ hear(id: "x", card: "7D", level: EASY) { what } }',
        'query($v: Int = 4) { hear(id: "x", card: "7D", expectedVersion: $v) { what } }',
        "{ whole(whole: {number: 3}) { what } }",
        '{ several(cards: ["7D", "1B"], levels: [EASY, null]) { what } }',
        "{ several(cards: [], levels: HARD) { what } }",
        '{ several(cards: "7D", levels: null) { what } }',
        "query($l: Level) { several(levels: [EASY, $l]) { what } }",
        '{ a: hear(id: "x", card: "7D") { what } b: hear(id: "y", card: "7D") { what } }',
        '{ hear(id: "x", card: "7D") @include(if: false) { what } }',
    ],
)
async def test_whatever_the_document_says_graphql_core_agrees(text: str) -> None:
    _, answered, expected = await both(text, {})
    assert answered == expected


@pytest.mark.parametrize("cards", [["7D", "10S"], [], None, "7D", ["7D", None], ["7X"], [["7D"]], {"a": 1}, 7])
@pytest.mark.parametrize("levels", [["EASY", None], [], "HARD", ["NONE"]])
async def test_a_list_is_read_as_graphql_core_reads_it(cards: Any, levels: Any) -> None:
    text = "query($c: [Card!], $l: [Level]) { several(cards: $c, levels: $l) { what } }"
    used, answered, expected = await both(text, {"c": cards, "l": levels})
    assert used
    assert answered == expected


async def test_a_list_that_was_left_out_is_the_resolvers_default() -> None:
    used, answered, expected = await both("query($c: [Card!]) { several(cards: $c) { what } }", {})
    assert used
    assert answered == expected


@pytest.mark.parametrize("level", ["EASY", "HARD", "easy", "NONE", None])
async def test_an_enum_is_read_as_graphql_core_reads_it(level: str | None) -> None:
    variables = {"id": "x", "card": "7D", "level": level, "watch": True}
    _, answered, expected = await both(ALL, variables)
    assert answered == expected


@pytest.mark.parametrize("kind", ["problem", "none", "bug"])
async def test_what_a_resolver_raises_is_shown_in_the_same_way(kind: str) -> None:
    used, answered, expected = await both("query($kind: String!) { fail(kind: $kind) { what } }", {"kind": kind})
    assert used
    for answer in (answered, expected):
        for error in answer["errors"]:
            error.pop("locations", None)
            error["extensions"].pop("id", None)
    assert answered["data"] == expected["data"]
    assert [e["extensions"]["code"] for e in answered["errors"]] == [
        e["extensions"]["code"] for e in expected["errors"]
    ]
    assert [e["path"] for e in answered["errors"]] == [e["path"] for e in expected["errors"]]
    assert "secret" not in str(answered)


@pytest.mark.parametrize(
    ("text", "variables", "begins"),
    [
        ("subscription($id: ID!) { overhear(id: $id) { what } }", {"id": "x"}, True),
        ("subscription($id: ID!, $n: Int) { said: overhear(id: $id, after: $n) { what } }", {"id": "x", "n": 4}, True),
        ("subscription($n: Int) { said: overhear(id: 3, after: $n) { what } }", {"n": 0}, False),
        ("subscription($n: Int) { said: overhear(id: 3, after: $n) { what } }", {"n": 13}, False),
        ("subscription($n: Int) { overhear(id: 3, after: $n) { what } }", {"n": "four"}, False),
        ("subscription($id: ID!) { overhear(id: $id) { what } }", {}, False),
        ('subscription { overhear(id: "nobody") { what } }', {}, True),
        ("subscription { count(upto: 3) }", None, True),
    ],
)
async def test_a_subscription_begins_or_is_refused_as_by_graphql_core(
    text: str, variables: dict[str, Any] | None, begins: bool
) -> None:
    operation = DOCUMENTS.get(text).select(None)
    assert operation.call is not None

    async def events(of: Operation) -> list[Any]:
        source = await EXECUTION.source(of, variables, "the context")
        if isinstance(source, list):
            return [(error.message, error.path, error.locations, type(error.original_error)) for error in source]
        render, found = EXECUTION.renderer(of), list[Any]()
        assert render is not None
        try:
            async for event in source:
                found.append(render(event))
        except Problem as problem:
            found.append(problem.formatted)
        return [True, *found]

    answered = await events(operation)
    assert answered == await events(dataclasses.replace(operation, call=None))
    assert (answered[0] is True) is begins


@pytest.mark.parametrize("subscription", ["room", "game"])
def test_what_everybody_watches_begins_without_graphql_core(subscription: str) -> None:
    text = f"subscription($id: ID!, $after: Int) {{ {subscription}(id: $id, after: $after) {{ version reset }} }}"
    assert Documents(build_schema()).get(text).select(None).call is not None


MOVES = ["playCard", "removeCards", "moveCard", "turnStock", "abandonGame"]


@pytest.mark.parametrize("mutation", [*MOVES, "joinRoom", "takeSeat", "startGame", "signInAsGuest"])
def test_what_is_hot_is_a_call_with_all_its_arguments(mutation: str) -> None:
    schema = build_schema()
    field = schema.mutation_type.fields[mutation]  # type: ignore[union-attr]
    declared = ", ".join(f"${name}: {argument.type}" for name, argument in field.args.items())
    passed = ", ".join(f"{name}: ${name}" for name in field.args)
    text = f"mutation({declared}) {{ {mutation}({passed}) {{ __typename ... on Refused {{ code }} }} }}"
    assert Documents(schema).get(text).select(None).call is not None
