"""Leaves of an answer: scalars and enums, from Python's value to JSON's; and what Strawberry says of types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from graphql import GraphQLEnumType, GraphQLObjectType, GraphQLScalarType
from strawberry.schema.schema_converter import GraphQLCoreConverter

Completer = Callable[[Any], Any]
"""From a field's value to what stands in the answer. Raises NotPlain."""
DEFINITION = GraphQLCoreConverter.DEFINITION_BACKREF
INT = range(-(2**31), 2**31)


class NotPlain(Exception):
    """A value that the closure was not made for: graphql-core completes it, or says what is wrong with it."""


class NotCompilable(Exception):
    """The selection needs a resolver, an argument or a variable."""


def python_class(of: GraphQLObjectType) -> type:
    definition = of.extensions.get(DEFINITION)
    if definition is None:
        raise NotCompilable
    origin: type = definition.origin
    return origin


def words(of: GraphQLEnumType) -> dict[Enum, str]:
    """Its names by Python's members."""
    definition = of.extensions.get(DEFINITION)
    if definition is None:
        raise NotCompilable
    members: Iterable[Enum] = definition.wrapped_cls
    return {member: str(of.coerce_output_value(member)) for member in members}


def enum(of: GraphQLEnumType) -> Completer:
    names = words(of)

    def complete(value: Any) -> Any:
        try:
            return names[value]
        except (KeyError, TypeError):
            raise NotPlain from None

    return complete


def string(value: Any) -> Any:
    if type(value) is str:
        return value
    raise NotPlain


def integer(value: Any) -> Any:
    if type(value) is int and value in INT:
        return value
    raise NotPlain


def boolean(value: Any) -> Any:
    if value is True or value is False:
        return value
    raise NotPlain


SCALARS: dict[str, Completer] = {
    "String": string, "ID": string, "Card": string, "Int": integer, "Boolean": boolean,
}  # fmt: skip


def scalar(of: GraphQLScalarType) -> Completer:
    def complete(value: Any) -> Any:
        try:
            return of.coerce_output_value(value)
        except Exception:
            raise NotPlain from None

    return complete
