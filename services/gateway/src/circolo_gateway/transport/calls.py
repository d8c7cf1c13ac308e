"""Compiled calls: an operation of one root field whose arguments are simple and whose answer is plain.

The arguments are read from the request's variables by closures and given to the resolver; the answer, or each event of
a subscription, goes through the document's plan. Whatever is unusual (an input object, a wrong type, a default, a
directive) is left to graphql-core, before anything was done.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, cast

from circolo_contracts.cards import is_card
from graphql import (
    FieldNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    ListValueNode,
    OperationDefinitionNode,
    OperationType,
    Undefined,
    ValueNode,
    VariableNode,
    located_error,
    value_from_ast,
)

from .errors import encode, shown
from .later import Later
from .leaves import DEFINITION, Completer, NotCompilable, NotPlain, boolean, integer, string, words
from .plans import Plans

Reader = Callable[[Mapping[str, Any]], Any]
"""The value of an argument from the request's variables; ``_LEFT_OUT`` when it was not given. Raises NotPlain."""
_LEFT_OUT = object()


@dataclass(slots=True)
class CallInfo:
    """What resolvers see of the execution here; they use the context and nothing else."""

    context: Any


@dataclass(frozen=True, slots=True)
class Call:
    key: str
    node: FieldNode
    is_required: bool
    readers: tuple[tuple[str, Reader], ...]
    resolver: Callable[..., Any]
    wants_info: str
    """The name of the resolver's parameter for it; empty when it has none."""
    completer: Completer
    is_immediate: bool
    """The resolver is a plain function, whose value is there at once or comes in a callback (``Later``)."""

    def arguments(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """For the resolver, by its own names. Raises NotPlain."""
        given: dict[str, Any] = {}
        for name, read in self.readers:
            value = read(variables)
            if value is not _LEFT_OUT:
                given[name] = value
        return given

    def open(self, arguments: dict[str, Any], context: object) -> AsyncIterator[Any]:
        """The events of a subscription. Raises GraphQLError."""
        try:
            return cast("AsyncIterator[Any]", self._resolved(arguments, context)).__aiter__()
        except Exception as error:
            raise located_error(error, [self.node], [self.key]) from error

    async def run(self, arguments: dict[str, Any], context: object) -> bytes:
        """The whole answer as JSON, errors of the resolver included."""
        try:
            value = self._resolved(arguments, context)
            if inspect.isawaitable(value):
                value = await value
            return self._said(value)
        except Exception as error:
            return self._failed(error)

    def begin(self, arguments: dict[str, Any], context: object, done: Callable[[bytes], None]) -> Later[Any] | None:
        """As ``run``, for an immediate one: ``done`` gets the answer, now or, if a Later is returned, later."""
        try:
            value = self._resolved(arguments, context)
            if isinstance(value, Later):
                value.then(partial(self._come, value, done))
                return value
            body = self._said(value)
        except Exception as error:
            body = self._failed(error)
        done(body)
        return None

    def _come(self, later: Later[Any], done: Callable[[bytes], None]) -> None:
        try:
            body = self._said(later.result())
        except Exception as error:
            body = self._failed(error)
        done(body)

    def _said(self, value: Any) -> bytes:
        return encode({"data": {self.key: self.completer(value)}})

    def _failed(self, error: Exception) -> bytes:
        located = located_error(error, [self.node], [self.key])
        return encode({"errors": [shown(located)], "data": None if self.is_required else {self.key: None}})

    def _resolved(self, arguments: dict[str, Any], context: object) -> Any:
        if self.wants_info:
            arguments[self.wants_info] = CallInfo(context)
        return self.resolver(None, **arguments)


def compile_call(root: GraphQLObjectType, operation: OperationDefinitionNode, plans: Plans) -> Call | None:
    """The call that this operation is, or None."""
    selections = operation.selection_set.selections
    node = selections[0]
    if len(selections) != 1 or not isinstance(node, FieldNode) or node.directives or operation.directives:
        return None
    field = root.fields.get(node.name.value)
    definition = None if field is None else field.extensions.get(DEFINITION)
    base = getattr(definition, "base_resolver", None)
    if field is None or base is None:
        return None
    completer = plans.completer(field.type, (node,))
    readers = None if completer is None else _readers(field, node, operation)
    if completer is None or readers is None:
        return None
    return Call(
        key=node.alias.value if node.alias else node.name.value,
        node=node,
        is_required=isinstance(field.type, GraphQLNonNull),
        readers=readers,
        resolver=base.wrapped_func,
        wants_info=base.info_parameter.name if base.info_parameter else "",
        completer=completer,
        is_immediate=operation.operation is OperationType.MUTATION and not base.is_async,
    )


def _readers(
    field: GraphQLField, node: FieldNode, operation: OperationDefinitionNode
) -> tuple[tuple[str, Reader], ...] | None:
    defaults = {d.variable.name.value for d in operation.variable_definitions or () if d.default_value is not None}
    given = {argument.name.value: argument.value for argument in node.arguments or ()}
    readers: list[tuple[str, Reader]] = []
    for name, argument in field.args.items():
        definition = argument.extensions.get(DEFINITION)
        if definition is None:
            return None
        value = given.get(name)
        if value is None:
            if argument.default_value is not Undefined:
                readers.append((definition.python_name, _constant(argument.default_value)))
            continue
        coerce = _coercion(argument.type)
        if coerce is None:
            return None
        if isinstance(value, VariableNode):
            variable = value.name.value
            if variable in defaults:
                return None
            reader = _from_variable(variable, coerce, argument.type, argument.default_value)
            readers.append((definition.python_name, reader))
        else:
            literal = _from_literal(value, argument.type)
            if literal is None:
                return None
            readers.append((definition.python_name, literal))
    return tuple(readers)


def _constant(value: Any) -> Reader:
    return lambda _: value


def _from_variable(name: str, coerce: Completer, of: GraphQLInputType, default: Any) -> Reader:
    is_required = isinstance(of, GraphQLNonNull)
    absent = _LEFT_OUT if default is Undefined else default

    def read(variables: Mapping[str, Any]) -> Any:
        value = variables.get(name, _LEFT_OUT)
        if value is _LEFT_OUT:
            value = absent
            if is_required and value is _LEFT_OUT:
                raise NotPlain
            return value
        if value is None:
            if is_required:
                raise NotPlain
            return None
        return coerce(value)

    return read


def _from_literal(value: ValueNode, of: GraphQLInputType) -> Reader | None:
    """A literal of the document was validated: it is read once."""
    items = value.values if isinstance(value, ListValueNode) else ()
    if _coercion(of) is None or any(isinstance(item, VariableNode) for item in items):
        return None
    read = value_from_ast(value, of)
    if read is Undefined:
        return None
    return _constant(read)


def _named(of: GraphQLInputType) -> Any:
    return of.of_type if isinstance(of, GraphQLNonNull) else of


def _coercion(of: GraphQLInputType) -> Completer | None:
    """For a value that is not null."""
    named = _named(of)
    if isinstance(named, GraphQLList):
        item = _coercion(named.of_type)
        return None if item is None else _each(item, is_required=isinstance(named.of_type, GraphQLNonNull))
    if isinstance(named, GraphQLEnumType):
        return _enum(named)
    if isinstance(named, GraphQLScalarType):
        return _SIMPLE.get(named.name)
    return None


def _each(item: Completer, *, is_required: bool) -> Completer:
    """One value alone stands for a list of it, which graphql-core makes."""

    def read(values: Any) -> Any:
        if type(values) is not list or (is_required and None in values):
            raise NotPlain
        return [None if value is None else item(value) for value in values]

    return read


def _enum(of: GraphQLEnumType) -> Completer | None:
    try:
        members: dict[str, Enum] = {word: member for member, word in words(of).items()}
    except NotCompilable:
        return None

    def read(value: Any) -> Any:
        member = members.get(value) if type(value) is str else None
        if member is None:
            raise NotPlain
        return member

    return read


def _card(value: Any) -> Any:
    if type(value) is str and is_card(value):
        return value
    raise NotPlain


_USUAL_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch


def _uuid(value: Any) -> Any:
    """As 32 hex digits. The unusual ways to write one (braces, capitals, no hyphens) are left to graphql-core."""
    if type(value) is str and _USUAL_UUID(value):
        return value.replace("-", "")
    raise NotPlain


_SIMPLE: dict[str, Completer] = {
    "String": string, "ID": string, "Int": integer, "Boolean": boolean, "Card": _card, "UUID": _uuid,
}  # fmt: skip
