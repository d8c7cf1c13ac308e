"""Compiled selections: what a document asks of a plain object, as one function, made once for each document.

A field is plain when it needs nothing but its object (an attribute, or a function of it) and every field under it is
plain. graphql-core executes whatever is not, and is asked again whenever a plan meets something unexpected, so that
errors are always its own. ``PlannedExecutor`` is graphql-core's executor with this short cut; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

from .errors import encode
from .leaves import DEFINITION, SCALARS, Completer, NotCompilable, NotPlain, enum, python_class, scalar
from .raw import Nodes, compile_raw
from .saying import Constant, Part, sayer

Renderer = Callable[[Any], bytes | None]


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
                self._known[key] = self.compile(of, nodes)
            except NotCompilable:
                self._known[key] = None
        return self._known[key]

    def renderer(self, operation: OperationDefinitionNode) -> Renderer | None:
        """For the events of a subscription's one field, whose resolver passes them on as they are.

        A plain selection depends on the event alone. So the answer is kept with the event, and everybody who asks the
        same document of the same audience's update shares it.
        """
        fields = operation.selection_set.selections
        root, node = self._schema.subscription_type, fields[0]
        if root is None or len(fields) != 1 or not isinstance(node, FieldNode) or node.directives:
            return None
        field = root.fields.get(node.name.value)
        completer = None if field is None else self.completer(field.type, (node,))
        if completer is None:
            return None
        return _renderer(node.alias.value if node.alias else node.name.value, completer)

    # ------------------------------------------------------------ types

    def compile(self, of: GraphQLOutputType, nodes: Nodes) -> Completer:
        """Raises NotCompilable."""
        if isinstance(of, GraphQLNonNull):
            return self._compile_nullable(of.of_type, nodes)
        inner = self._compile_nullable(of, nodes)
        return lambda value: None if value is None else inner(value)

    def _compile_nullable(self, of: Any, nodes: Nodes) -> Completer:
        """Raises NotPlain for None."""
        if isinstance(of, GraphQLList):
            return _each(self.compile(of.of_type, nodes))
        if isinstance(of, GraphQLEnumType):
            return enum(of)
        if isinstance(of, GraphQLScalarType):
            return SCALARS.get(of.name) or _required(scalar(of))
        if isinstance(of, GraphQLObjectType):
            return self._object(of, nodes, only=python_class(of))
        assert isinstance(of, GraphQLInterfaceType | GraphQLUnionType)
        return _one_of({python_class(t): self._object(t, nodes) for t in self.object_types(of)})

    def _object(self, of: GraphQLObjectType, nodes: Nodes, only: type | None = None) -> Completer:
        parts: dict[str, Part | Constant] = {}
        for key, same in self.fields(of, nodes).items():
            if same[0].name.value == "__typename":
                parts[key] = Constant(of.name)
                continue
            field = of.fields[same[0].name.value]
            getter, completer = plain_getter(field, same), self.compile(field.type, tuple(same))
            raw = compile_raw(self, field, tuple(same), _after(getter, completer))
            if raw is not None:
                parts[key] = Part(functions=(raw,))
            elif isinstance(getter, str):
                parts[key] = Part((getter,), (completer,))
            else:
                parts[key] = Part(functions=(getter, completer))
        return sayer(parts, only)

    def fields(self, of: GraphQLObjectType, nodes: Nodes) -> dict[str, list[FieldNode]]:
        """What these nodes select of an object, by response key. Raises NotCompilable."""
        found: dict[str, list[FieldNode]] = {}
        for node in nodes:
            if node.selection_set is None:
                raise NotCompilable
            self._collect(of, node.selection_set, found)
        return found

    def object_types(self, of: Any) -> Sequence[GraphQLObjectType]:
        """What this object, interface or union may be."""
        return self._schema.get_possible_types(of) if is_abstract_type(of) else (of,)

    def _collect(self, of: GraphQLObjectType, selections: SelectionSetNode, into: dict[str, list[FieldNode]]) -> None:
        """Fields of this object type by response key, in the order that the specification's collection gives."""
        for selection in selections.selections:
            if selection.directives:
                raise NotCompilable
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


# ---------------------------------------------------------------- closures


def _renderer(key: str, complete: Completer) -> Renderer:
    before, after = b'{"data":{%b:' % encode(key), b"}}"

    def render(payload: Any) -> bytes | None:
        kept: dict[Completer, bytes] | None = getattr(payload, "rendered", None)
        if kept is not None and complete in kept:
            return kept[complete]
        try:
            body = before + encode(complete(payload)) + after
        except NotPlain:
            return None
        if kept is not None:
            kept[complete] = body
        return body

    return render


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


def _after(getter: str | Completer, completer: Completer) -> Completer:
    get = attrgetter(getter) if isinstance(getter, str) else getter
    return lambda value: completer(get(value))


def _one_of(readers: Mapping[type, Completer]) -> Completer:
    def complete(value: Any) -> Any:
        reader = readers.get(type(value))
        if reader is None:
            raise NotPlain
        return reader(value)

    return complete


# ---------------------------------------------------------------- what Strawberry says of types and fields


def plain_getter(field: GraphQLField, nodes: list[FieldNode]) -> str | Completer:
    """The attribute that a plain field reads, or a function of the object alone; raises when it needs more."""
    definition = field.extensions.get(DEFINITION)
    if definition is None or any(node.arguments for node in nodes):
        raise NotCompilable
    if getattr(field.resolve, "_is_default", False):
        name: str = definition.python_name
        return name
    base = definition.base_resolver
    if base is None or base.is_async or base.info_parameter is not None or field.args:
        raise NotCompilable
    function: Completer = base.wrapped_func
    return function
