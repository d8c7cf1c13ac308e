"""Selections of JSON that its owner made: read as a type that has what was asked for and no more, and said again.

A schema's type says by ``reads`` from which contract it is made; a field says by ``raw`` where its JSON is. msgspec
makes a struct type of each selection, so that what nobody asked for is never made into an object, and a part whose keys
are the contract's own goes from decoder to encoder as it is. A value that does not fit its type raises MsgspecError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Annotated, Any, Literal, Optional, Protocol

import msgspec
from graphql import (
    FieldNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLScalarType,
)
from msgspec import NODEFAULT, UNSET, Meta, MsgspecError, Struct

from .leaves import DEFINITION, INT, Completer, NotCompilable, python_class, words
from .saying import Constant, Part, sayer

Nodes = tuple[FieldNode, ...]
_INT = Annotated[int, Meta(ge=INT.start, lt=INT.stop)]
_LEAVES: Mapping[str, Any] = {"String": str, "ID": str, "Card": str, "Int": _INT, "Boolean": bool}
MOST_WORDS = 1_024
"""Words of the contract whose names in the schema are remembered; it has some hundred."""


@dataclass(frozen=True, slots=True)
class Made:
    """A field that is a function of the contract's."""

    function: Callable[..., Any]
    inputs: tuple[str, ...]


def made(function: Callable[..., Any], *inputs: str) -> Made:
    return Made(function, inputs)


@dataclass(frozen=True, slots=True)
class _Contract:
    struct: type[Struct]
    made: Mapping[str, Made]


@dataclass(frozen=True, slots=True)
class _Raw:
    json: Callable[[Any], Any]
    of: tuple[type, ...]
    which: Callable[[Any], type] | None


_contracts: dict[type, _Contract] = {}


def reads(of: type, struct: type[Struct], **fields: Made) -> None:
    """The fields of ``of`` are those of the same name in ``struct`` (absent there is null here), but for these."""
    _contracts[of] = _Contract(struct, fields)


def raw(json: str, *of: type, which: str | None = None) -> dict[str, Any]:
    """Metadata of a field: its object has the owner's bytes of the ``of`` in ``json``, or of each when it is a list.

    Of several types ``which`` has the one. Both are attributes, or attributes of attributes, with dots.
    """
    return {"raw": _Raw(attrgetter(json), of, None if which is None else attrgetter(which))}


class Selections(Protocol):
    """The plans of a document."""

    def fields(self, of: GraphQLObjectType, nodes: Nodes) -> dict[str, list[FieldNode]]: ...

    def compile(self, of: GraphQLOutputType, nodes: Nodes) -> Completer: ...

    def object_types(self, of: Any) -> Sequence[GraphQLObjectType]: ...


def compile_raw(selections: Selections, of: GraphQLField, nodes: Nodes, otherwise: Completer) -> Completer | None:
    """What stands in the answer for this field of an object; None when the owner's JSON does not do.

    An object whose JSON cannot be read so is left to ``otherwise``.
    """
    definition = of.extensions.get(DEFINITION)
    source: _Raw | None = definition.metadata.get("raw") if definition is not None else None
    if source is None:
        return None
    named: Any = of.type.of_type if isinstance(of.type, GraphQLNonNull) else of.type
    is_list = isinstance(named, GraphQLList)
    if is_list:
        named = named.of_type.of_type if isinstance(named.of_type, GraphQLNonNull) else named.of_type
    readers: dict[type, Completer] = {}
    for concrete in selections.object_types(named):
        of_one = python_class(concrete)
        if of_one in source.of:
            with suppress(NotCompilable):
                read = _Compiler(selections).object(concrete, nodes)
                readers[of_one] = _of_list(read) if is_list else _of_one(read)
    if not readers:
        return None
    return _read(source, readers, otherwise)


def _read(source: _Raw, readers: Mapping[type, Completer], otherwise: Completer) -> Completer:
    json, which, only = source.json, source.which, readers.get(source.of[0])

    def complete(value: Any) -> Any:
        read = only if which is None else readers.get(which(value))
        if read is not None:
            try:
                return read(json(value))
            except MsgspecError:
                pass
        return otherwise(value)

    return complete


def _of_one(read: _Read) -> Completer:
    decode, say = msgspec.json.Decoder(read.of).decode, read.say
    if say is None:
        return decode
    return lambda json: say(decode(json))


def _of_list(read: _Read) -> Completer:
    of_all: Any = list[read.of]  # type: ignore[name-defined]  # a type made at run time
    decode, say = msgspec.json.Decoder(of_all).decode, read.say
    if say is None:
        return lambda each: decode(b"[" + b",".join(each) + b"]")
    return lambda each: [say(one) for one in decode(b"[" + b",".join(each) + b"]")]


# ---------------------------------------------------------------- types of selections


@dataclass(frozen=True, slots=True)
class _Read:
    of: Any
    """What msgspec reads."""
    say: Completer | None
    """From what was read to what stands in the answer; None: as it is."""


@dataclass(slots=True)
class _Object:
    """A selection's struct type while it is put together."""

    wanted: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """Type and default by the contract's name."""
    said: dict[str, Part | Constant] = field(default_factory=dict)
    """By response key, of the struct."""

    def want(self, name: str, of: Any, default: Any) -> None:
        if self.wanted.setdefault(name, (of, default)) != (of, default):
            raise NotCompilable  # the same field twice, with different selections

    def read(self) -> _Read:
        if not self.wanted:
            raise NotCompilable
        fields = [(name, of, default) for name, (of, default) in self.wanted.items()]
        made_type = msgspec.defstruct("Selected", fields, kw_only=True, frozen=True, gc=False)
        if self.said == {name: Part((name,)) for name in self.wanted} and list(self.said) == list(self.wanted):
            return _Read(made_type, None)
        return _Read(made_type, sayer(self.said))


class _Compiler:
    def __init__(self, selections: Selections) -> None:
        self._selections = selections

    def object(self, of: GraphQLObjectType, nodes: Nodes) -> _Read:
        contract = _contracts.get(python_class(of))
        if contract is None:
            raise NotCompilable
        theirs = {each.name: each for each in msgspec.structs.fields(contract.struct)}
        made_here = _Object()
        for key, same in self._selections.fields(of, nodes).items():
            name = same[0].name.value
            if name == "__typename":
                made_here.said[key] = Constant(of.name)
                continue
            graphql_field = of.fields[name]
            python_name: str = graphql_field.extensions[DEFINITION].python_name
            function = contract.made.get(python_name)
            if function is not None:
                for each in function.inputs:
                    made_here.want(each, theirs[each].type, theirs[each].default)
                made_here.said[key] = self._made(function, theirs, graphql_field.type, tuple(same))
            elif python_name in theirs:
                self._copy(made_here, key, theirs[python_name], graphql_field.type, tuple(same))
            else:
                raise NotCompilable
        return made_here.read()

    def _copy(self, into: _Object, key: str, theirs: Any, of: GraphQLOutputType, nodes: Nodes) -> None:
        read = self._value(of, nodes)
        default = None if theirs.default is UNSET else theirs.default
        if theirs.default_factory is not NODEFAULT:
            default = msgspec.field(default_factory=theirs.default_factory)
        if default is None and isinstance(of, GraphQLNonNull):
            raise NotCompilable
        into.want(theirs.name, read.of, default)
        into.said[key] = Part((theirs.name,), () if read.say is None else (read.say,))

    def _made(self, made_of: Made, theirs: Mapping[str, Any], of: GraphQLOutputType, nodes: Nodes) -> Part:
        complete = self._selections.compile(of, nodes)
        named = of.of_type if isinstance(of, GraphQLNonNull) else of
        if isinstance(named, GraphQLEnumType) and [theirs[each].type for each in made_of.inputs] == [str]:
            return Part(made_of.inputs, (_Names(made_of.function, complete).__getitem__,))
        return Part(made_of.inputs, (made_of.function, complete))

    def _value(self, of: GraphQLOutputType, nodes: Nodes) -> _Read:
        if isinstance(of, GraphQLNonNull):
            return self._given(of.of_type, nodes)
        read = self._given(of, nodes)
        return _Read(Optional[read.of], None if read.say is None else _unless_null(read.say))  # noqa: UP045 (made)

    def _given(self, of: Any, nodes: Nodes) -> _Read:
        if isinstance(of, GraphQLList):
            read = self._value(of.of_type, nodes)
            made_type: Any = list[read.of]  # type: ignore[name-defined]  # a type made at run time
            return _Read(made_type, None if read.say is None else _each(read.say))
        if isinstance(of, GraphQLEnumType):
            return _Read(_words(of), None)
        if isinstance(of, GraphQLScalarType) and of.name in _LEAVES:
            return _Read(_LEAVES[of.name], None)
        if isinstance(of, GraphQLObjectType):
            return self.object(of, nodes)
        raise NotCompilable


def _words(of: GraphQLEnumType) -> Any:
    """An enum whose names are the contract's words."""
    names = words(of)
    if any(member.value != name for member, name in names.items()):
        raise NotCompilable
    return Literal[tuple(names.values())]


class _Names(dict[str, Any]):
    """What a word of the contract is in the answer, from when it is first met."""

    def __init__(self, function: Callable[..., Any], complete: Completer) -> None:
        self._function = function
        self._complete = complete

    def __missing__(self, word: str) -> Any:
        name = self._complete(self._function(word))
        if len(self) < MOST_WORDS:
            self[word] = name
        return name


def _each(say: Completer) -> Completer:
    return lambda values: [say(value) for value in values]


def _unless_null(say: Completer) -> Completer:
    return lambda value: None if value is None else say(value)
