"""Compiled selections: what a document asks of a plain object, as one closure, made once for each document.

A field is plain when it needs nothing but its object (an attribute, or a function of it) and every field under it is
plain.
graphql-core executes whatever is not, and is asked again whenever a closure meets something unexpected, so that errors
are always its own. ``PlannedExecutor`` is graphql-core's executor with this short cut; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    is_abstract_type,
)
from graphql.execution import Executor
from graphql.pyutils import Path
from strawberry.schema.schema_converter import GraphQLCoreConverter

from .errors import encode

Completer = Callable[[Any], Any]
Nodes = tuple[FieldNode, ...]
_DEFINITION = GraphQLCoreConverter.DEFINITION_BACKREF
_INT = range(-(2**31), 2**31)


class NotPlain(Exception):
    """A value that the closure was not made for: graphql-core completes it, or says what is wrong with it."""


class _NotCompilable(Exception):
    """The selection needs a resolver, an argument or a variable."""


class Plans:
    """The compiled selections of one document; filled as its fields are first met."""

    def __init__(self, schema: GraphQLSchema, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
        self._schema = schema
        self._fragments = fragments
        self._known: dict[tuple[int, ...], Completer | None] = {}

    def completer(self, of: GraphQLOutputType, nodes: Nodes) -> Completer | None:
        """For a field's value, or None when graphql-core has to do it. ``nodes`` are of this document."""
        key = (id(of), *map(id, nodes))
        if key not in self._known:
            try:
                self._known[key] = self._compile(of, nodes)
            except _NotCompilable:
                self._known[key] = None
        return self._known[key]

    def event(self, operation: OperationDefinitionNode) -> tuple[str, Completer] | None:
        """Response key and completer of a subscription's one field; its resolver passes the event on as it is."""
        fields = operation.selection_set.selections
        root, node = self._schema.subscription_type, fields[0]
        if root is None or len(fields) != 1 or not isinstance(node, FieldNode) or node.directives:
            return None
        field = root.fields.get(node.name.value)
        completer = None if field is None else self.completer(field.type, (node,))
        if completer is None:
            return None
        return node.alias.value if node.alias else node.name.value, completer

    # ------------------------------------------------------------ types

    def _compile(self, of: GraphQLOutputType, nodes: Nodes) -> Completer:
        if isinstance(of, GraphQLNonNull):
            return _required(self._compile_nullable(of.of_type, nodes))
        inner = self._compile_nullable(of, nodes)
        return lambda value: None if value is None else inner(value)

    def _compile_nullable(self, of: Any, nodes: Nodes) -> Completer:
        """For a value that is not None."""
        if isinstance(of, GraphQLList):
            return _each(self._compile(of.of_type, nodes))
        if isinstance(of, GraphQLEnumType):
            return _enum(of)
        if isinstance(of, GraphQLScalarType):
            return _SCALARS.get(of.name) or _scalar(of)
        if isinstance(of, GraphQLObjectType):
            return _exactly(_python_class(of), self._object(of, nodes))
        assert isinstance(of, GraphQLInterfaceType | GraphQLUnionType)
        return _one_of(
            {_python_class(t): self._object(t, nodes) for t in self._schema.get_possible_types(of)}
        )  # fmt: skip

    def _object(self, of: GraphQLObjectType, nodes: Nodes) -> Completer:
        fields: dict[str, list[FieldNode]] = {}
        for node in nodes:
            if node.selection_set is None:
                raise _NotCompilable
            self._collect(of, node.selection_set, fields)
        constants: dict[str, Any] = {}
        keys: list[str] = []
        getters: list[str | Completer] = []
        completers: list[Completer] = []
        for key, same in fields.items():
            if same[0].name.value == "__typename":
                constants[key] = of.name
                continue
            field = of.fields[same[0].name.value]
            keys.append(key)
            getters.append(_getter(field, same))
            completers.append(self._compile(field.type, tuple(same)))
        return _reader(list(fields), constants, keys, getters, completers)

    def _collect(self, of: GraphQLObjectType, selections: SelectionSetNode, into: dict[str, list[FieldNode]]) -> None:
        """Fields of this object type by response key, in the order that the specification's collection gives."""
        for selection in selections.selections:
            if selection.directives:
                raise _NotCompilable
            if isinstance(selection, FieldNode):
                key = selection.alias.value if selection.alias else selection.name.value
                into.setdefault(key, []).append(selection)
            elif isinstance(selection, InlineFragmentNode):
                if self._applies(of, selection.type_condition):
                    self._collect(of, selection.selection_set, into)
            else:
                assert isinstance(selection, FragmentSpreadNode)
                fragment = self._fragments[selection.name.value]
                if self._applies(of, fragment.type_condition):
                    self._collect(of, fragment.selection_set, into)

    def _applies(self, of: GraphQLObjectType, condition: Any) -> bool:
        if condition is None or condition.name.value == of.name:
            return True
        named = self._schema.get_type(condition.name.value)
        return is_abstract_type(named) and self._schema.is_sub_type(named, of)


class PlannedExecutor(Executor[Any]):
    """Completes plain values by their document's plans. ``plans`` is set before it runs."""

    plans: Plans | None = None

    def complete_value(
        self, return_type: Any, field_details_list: Any, info: Any, path: Path, result: Any, position_context: Any
    ) -> Any:
        if self.plans is not None and not isinstance(result, Exception):
            nodes = tuple(details.node for details in field_details_list)
            completer = self.plans.completer(return_type, nodes)
            if completer is not None:
                try:
                    return completer(result)
                except NotPlain:
                    pass
        return super().complete_value(return_type, field_details_list, info, path, result, position_context)

    def render_event(self, payload: Any) -> bytes | None:
        """The JSON answer to one event of a subscription whose selection is plain; None when it is not.

        A plain selection depends on the payload alone. So the answer is kept with the payload, and everybody who asks
        the same document of the same audience's update shares it.
        """
        if self.plans is None:
            return None
        planned = self.plans.event(self.operation)
        if planned is None:
            return None
        key, completer = planned
        kept: dict[Completer, bytes] | None = getattr(payload, "rendered", None)
        if kept is not None and completer in kept:
            return kept[completer]
        try:
            body = encode({"data": {key: completer(payload)}})
        except NotPlain:
            return None
        if kept is not None:
            kept[completer] = body
        return body


# ---------------------------------------------------------------- closures


def _required(inner: Completer) -> Completer:
    def complete(value: Any) -> Any:
        if value is None:
            raise NotPlain
        return inner(value)

    return complete


def _each(inner: Completer) -> Completer:
    def complete(value: Any) -> Any:
        if type(value) is not list and type(value) is not tuple:
            raise NotPlain
        return [inner(item) for item in value]

    return complete


def _enum(of: GraphQLEnumType) -> Completer:
    definition = of.extensions.get(_DEFINITION)
    if definition is None:
        raise _NotCompilable
    members: Iterable[Enum] = definition.wrapped_cls
    names = {member: of.coerce_output_value(member) for member in members}

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
    if type(value) is int and value in _INT:
        return value
    raise NotPlain


def boolean(value: Any) -> Any:
    if value is True or value is False:
        return value
    raise NotPlain


_SCALARS: dict[str, Completer] = {
    "String": string, "ID": string, "Card": string, "Int": integer, "Boolean": boolean,
}  # fmt: skip


def _scalar(of: GraphQLScalarType) -> Completer:
    def complete(value: Any) -> Any:
        try:
            return of.coerce_output_value(value)
        except Exception:
            raise NotPlain from None

    return complete


def _exactly(python_class: type, reader: Completer) -> Completer:
    def complete(value: Any) -> Any:
        if type(value) is not python_class:
            raise NotPlain
        return reader(value)

    return complete


def _one_of(readers: Mapping[type, Completer]) -> Completer:
    def complete(value: Any) -> Any:
        reader = readers.get(type(value))
        if reader is None:
            raise NotPlain
        return reader(value)

    return complete


def _reader(
    order: Iterable[str],
    constants: dict[str, Any],
    keys: list[str],
    getters: list[str | Completer],
    completers: list[Completer],
) -> Completer:
    """Reads attributes in one go where all are attributes; the answer's keys are in the document's order."""
    if not getters:
        return lambda _: dict(constants)
    names = [getter for getter in getters if isinstance(getter, str)]
    if len(names) == len(getters) > 1:
        read = _read_attributes(keys, attrgetter(*names), completers)
    else:
        functions = [attrgetter(getter) if isinstance(getter, str) else getter for getter in getters]
        read = _read_each(keys, functions, completers)
    if not constants:
        return read
    template = dict.fromkeys(order)

    def with_constants(value: Any) -> Any:
        return {**template, **read(value), **constants}

    return with_constants


def _read_attributes(keys: list[str], attributes: Completer, completers: list[Completer]) -> Completer:
    plain = list(zip(keys, completers, strict=True))

    def read(value: Any) -> Any:
        return {key: complete(each) for (key, complete), each in zip(plain, attributes(value), strict=True)}

    return read


def _read_each(keys: list[str], functions: list[Completer], completers: list[Completer]) -> Completer:
    plain = list(zip(keys, functions, completers, strict=True))

    def read(value: Any) -> Any:
        return {key: complete(get(value)) for key, get, complete in plain}

    return read


# ---------------------------------------------------------------- what Strawberry says of types and fields


def _python_class(of: GraphQLObjectType) -> type:
    definition = of.extensions.get(_DEFINITION)
    if definition is None:
        raise _NotCompilable
    origin: type = definition.origin
    return origin


def _getter(field: GraphQLField, nodes: list[FieldNode]) -> str | Completer:
    """The attribute that a plain field reads, or a function of the object alone; raises when it needs more."""
    definition = field.extensions.get(_DEFINITION)
    if definition is None or any(node.arguments for node in nodes):
        raise _NotCompilable
    if getattr(field.resolve, "_is_default", False):
        name: str = definition.python_name
        return name
    base = definition.base_resolver
    if base is None or base.is_async or base.info_parameter is not None or field.args:
        raise _NotCompilable
    function: Completer = base.wrapped_func
    return function
