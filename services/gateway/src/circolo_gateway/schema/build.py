"""The schema put together, and its text. ``python -m circolo_gateway.schema.build`` prints it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import chain

import strawberry
from graphql import (
    GraphQLArgument,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    Undefined,
    print_schema,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.schema_converter import GraphQLCoreConverter

from .direction import Report
from .games import EVENTS, GAMES
from .mutation import Mutation
from .query import Query
from .scalars import SCALARS
from .subscription import Subscription


def build_schema() -> GraphQLSchema:
    """A graphql-core schema: Strawberry only describes it, the transport executes it."""
    schema = strawberry.Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[*chain.from_iterable(zip(GAMES, EVENTS, strict=True)), Report],
        config=StrawberryConfig(scalar_map=SCALARS),
    )
    core: GraphQLSchema = schema._schema
    _mark_one_of(core)
    _drop_null_defaults(core)
    return core


def sdl(schema: GraphQLSchema) -> str:
    return print_schema(schema) + "\n"


def _mark_one_of(core: GraphQLSchema) -> None:
    """Strawberry checks @oneOf by itself; graphql-core must know it too, for introspection, SDL and validation."""
    for made in core.type_map.values():
        if isinstance(made, GraphQLInputObjectType):
            definition = made.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)
            made.is_one_of = bool(definition is not None and getattr(definition, "is_one_of", False))


def _drop_null_defaults(core: GraphQLSchema) -> None:
    """Left out means left out: ``after: Int``, not ``after: Int = null``. The resolver's own default is None."""
    for made in core.type_map.values():
        if isinstance(made, GraphQLInputObjectType):
            _without_null(made.fields.values())
        elif isinstance(made, GraphQLObjectType | GraphQLInterfaceType) and not made.name.startswith("__"):
            for field in made.fields.values():
                _without_null(field.args.values())


def _without_null(inputs: Iterable[GraphQLArgument | GraphQLInputField]) -> None:
    for each in inputs:
        if each.default_value is None:
            each.default_value = Undefined


if __name__ == "__main__":
    sys.stdout.write(sdl(build_schema()))
