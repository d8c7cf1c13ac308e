"""The registry and the size of operations. Each document is looked at once, a hostile one too."""

from __future__ import annotations

import time

import pytest
from circolo_gateway.transport.cost import Bounds, sizes
from circolo_gateway.transport.documents import Documents
from circolo_gateway.transport.errors import Problem
from graphql import build_schema, parse

SCHEMA = build_schema("type Query { a(first: Int): Query b: Int room: Query } type Mutation { m: Int }")


def size(text: str, **bounds: int) -> tuple[int, int, int, int]:
    (found,) = sizes(parse(text), Bounds(**bounds)).values()
    return found.depth, found.fields, found.aliases, found.cost


def test_fragments_count_as_often_as_they_are_spread() -> None:
    assert size("{ a { ...F } x: a { ...F ...F } } fragment F on Query { b y: b }") == (2, 8, 4, 8)


def test_what_is_under_a_list_costs_as_often_as_it_may_come() -> None:
    assert size("{ a(first: 30) { b b } }")[3] == 61
    assert size("query ($n: Int) { a(first: $n) { b } }")[3] == 101
    assert size("{ a(first: 99999999999999999999) { b } }")[3] == 101
    assert size("{ room { room { b } } }")[3] == 21


def test_a_fragment_that_doubles_at_every_level_is_measured_at_once() -> None:
    """936 bytes of this cost a second elsewhere, 1.6 KB an hour (design/graphql.md)."""
    levels = "".join(f"fragment f{n} on Query {{ ...f{n + 1} ...f{n + 1} b }} " for n in range(100))
    text = "{ ...f0 } " + levels + "fragment f100 on Query { b }"
    start = time.perf_counter()
    with pytest.raises(Problem) as refused:
        sizes(parse(text), Bounds())
    assert time.perf_counter() - start < 0.5
    assert refused.value.code == "TOO_LARGE"


def test_a_cycle_of_fragments_ends_and_is_refused_by_validation() -> None:
    document = Documents(SCHEMA).get("{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }")
    assert document.errors[0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize(
    "text",
    [
        "{" + "a{" * 30 + "b" + "}" * 31,
        "{" + "a{" * 700 + "b" + "}" * 701,
        "{" + " ".join(f"x{n}: b" for n in range(60)) + "}",
        "{" + "b " * 1100 + "}",
        "{ b " + "@include(if: true) " * 60 + "}",
        "{" + " ".join(f"a{n}: room {{ room {{ room {{ b }} }} }}" for n in range(49)) * 5 + "}",
        "{ ...f0 } " + "".join(f"fragment f{n} on Query {{ ...f{n + 1} }} " for n in range(400)),
        "{ a(first: 100) { a(first: 100) { b } } }",
    ],
)  # fmt: skip
def test_an_operation_beyond_a_bound_is_refused_by_name(text: str) -> None:
    error = Documents(SCHEMA).get(text).errors[0]
    assert error["extensions"]["code"] in ("TOO_LARGE", "GRAPHQL_PARSE_FAILED")


def test_introspection_as_tools_send_it_is_let_through() -> None:
    from graphql import get_introspection_query

    document = Documents(SCHEMA).get(get_introspection_query(specified_by_url=True, input_value_deprecation=True))
    assert document.errors == ()


def test_a_hot_document_is_parsed_once_and_a_wrong_one_too() -> None:
    documents = Documents(SCHEMA)
    for _ in range(5):
        documents.get("{ b }")
        documents.get("{ nope }")
        documents.get("{ nope")
    assert documents.parsed == 3


def test_the_document_unused_longest_goes_first() -> None:
    documents = Documents(SCHEMA, entries=2)
    for text in ("{ b }", "{ x: b }", "{ b }", "{ y: b }", "{ b }"):
        documents.get(text)
    assert (len(documents), documents.parsed) == (2, 3)
    small = Documents(SCHEMA, cache_bytes=100)
    for n in range(50):
        small.get(f"{{ x{n}: b }}")
    assert len(small) <= 10


def test_the_operation_is_found_by_name() -> None:
    document = Documents(SCHEMA).get("query A { b } query B { x: b }")
    assert document.select("B").name == "B"
    for name in (None, "C"):
        with pytest.raises(Problem) as refused:
            document.select(name)
        assert refused.value.code == "OPERATION_RESOLUTION_FAILURE"
