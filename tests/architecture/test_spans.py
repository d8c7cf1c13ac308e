"""A span held open over a yield would take in whatever its reader does meanwhile, and end in another context."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

OPENERS = {"start_as_current_span", "use_span"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def within(node: ast.AST) -> Iterator[ast.AST]:
    """Everything in the body of a function or block, without functions defined in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, FUNCTIONS):
            yield from within(child)


def opens_a_span(node: ast.AST) -> bool:
    return isinstance(node, ast.With | ast.AsyncWith) and any(
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name) and name_of(call.func) in OPENERS
        for item in node.items
        for call in ast.walk(item.context_expr)
    )


def name_of(function: ast.Attribute | ast.Name) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id


def held_over_a_yield(module: ast.Module) -> list[int]:
    return [
        inner.lineno
        for node in ast.walk(module)
        if opens_a_span(node)
        for inner in within(node)
        if isinstance(inner, ast.Yield | ast.YieldFrom)
    ]


def test_a_span_is_never_held_open_over_a_yield(modules: Mapping[str, ast.Module]) -> None:
    found = [f"{name}:{line}" for name, module in modules.items() for line in held_over_a_yield(module)]
    assert found == []


def test_the_check_sees_what_it_forbids() -> None:
    bad = (
        "async def f():\n    with tracer.start_as_current_span('x'):\n        async for v in s:\n            yield v\n"
    )
    good = "async def f():\n    with tracer.start_as_current_span('x'):\n        v = await g()\n    yield v\n"
    assert held_over_a_yield(ast.parse(bad)) == [4]
    assert held_over_a_yield(ast.parse(good)) == []
