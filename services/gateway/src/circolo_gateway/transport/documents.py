"""The registry of documents: each is parsed, measured and validated once, whether it turns out good or bad.

Bounded by entries and by bytes of text; the one unused longest goes first. Long documents are not kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    parse,
    validate,
)
from graphql.validation import recommended_rules, specified_rules

from .calls import Call, compile_call
from .cost import Bounds, Size, sizes
from .errors import Problem, shown, shown_all
from .plans import Plans

PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
VALIDATION_FAILED = "GRAPHQL_VALIDATION_FAILED"
MOST_ERRORS = 20


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a valid document."""

    document: DocumentNode
    definition: OperationDefinitionNode
    name: str | None
    kind: OperationType
    size: Size
    plans: Plans
    call: Call | None


@dataclass(frozen=True, slots=True)
class Document:
    """``errors`` (their JSON) is empty for a document that can be executed."""

    length: int
    errors: tuple[dict[str, Any], ...]
    operations: Mapping[str | None, Operation]

    def operation(self, name: str | None) -> Operation | None:
        """The operation that is asked for, if the document is good and it is clear which one."""
        if name is not None or len(self.operations) != 1:
            return self.operations.get(name)
        return next(iter(self.operations.values()))

    def select(self, name: str | None) -> Operation:
        """The operation that is asked for; raises Problem OPERATION_RESOLUTION_FAILURE."""
        operation = self.operation(name)
        if operation is not None:
            return operation
        if name is None:
            raise Problem("OPERATION_RESOLUTION_FAILURE", "Say which operation by operationName.")
        raise Problem("OPERATION_RESOLUTION_FAILURE", "The document has no operation of that name.")


class Documents:
    def __init__(
        self,
        schema: GraphQLSchema,
        *,
        bounds: Bounds | None = None,
        max_tokens: int = 4_000,
        max_bytes: int = 65_536,
        entries: int = 1_000,
        cache_bytes: int = 4_194_304,
        extra_rules: Sequence[type[ASTValidationRule]] = (),
    ) -> None:
        self._schema = schema
        self._bounds = bounds or Bounds()
        self._max_tokens = max_tokens
        self._max_bytes = max_bytes
        self._entries = entries
        self._cache_bytes = cache_bytes
        self._rules = (*specified_rules, *recommended_rules, *extra_rules)  # once: validation keeps tables by identity
        self._known: OrderedDict[str, Document] = OrderedDict()
        self._held = 0
        self.parsed = 0
        """How many documents were parsed: a hot one counts once."""

    def __len__(self) -> int:
        return len(self._known)

    def known(self, text: str) -> Document | None:
        """The document of this text, if it was seen before."""
        known = self._known.get(text)
        if known is not None:
            self._known.move_to_end(text)
        return known

    def get(self, text: str) -> Document:
        """The document of this text. Raises Problem only for text that is too long or is not Unicode."""
        known = self.known(text)
        if known is not None:
            return known
        try:
            length = len(text.encode())
        except UnicodeEncodeError:
            raise Problem(PARSE_FAILED, "The document contains a lone surrogate.") from None
        if length > self._max_bytes:
            raise Problem("TOO_LARGE", "The document is too long.", status=413, extensions={"most": self._max_bytes})
        document = self._known[text] = self._prepare(text, length)
        self._held += document.length
        while len(self._known) > self._entries or self._held > self._cache_bytes:
            self._held -= self._known.popitem(last=False)[1].length
        return document

    def _prepare(self, text: str, length: int) -> Document:
        self.parsed += 1

        def refused(errors: list[dict[str, Any]]) -> Document:
            return Document(length, tuple(errors), {})

        try:
            node = parse(text, max_tokens=self._max_tokens)
        except GraphQLError as error:
            return refused([shown(error, PARSE_FAILED)])
        except RecursionError:
            return refused([shown(Problem("TOO_LARGE", "The document is nested too deeply."))])
        try:
            measured = sizes(node, self._bounds)
        except Problem as problem:
            return refused([shown(problem)])
        errors = validate(self._schema, node, self._rules, max_errors=MOST_ERRORS, hide_suggestions=True)
        if errors:
            return refused(shown_all(errors, VALIDATION_FAILED))
        plans = Plans(
            self._schema, {d.name.value: d for d in node.definitions if isinstance(d, FragmentDefinitionNode)}
        )
        operations: dict[str | None, Operation] = {}
        for definition in node.definitions:
            if isinstance(definition, OperationDefinitionNode):
                name = definition.name.value if definition.name else None
                call = self._call(definition, plans)
                operations[name] = Operation(node, definition, name, definition.operation, measured[name], plans, call)
        return Document(length, (), operations)

    def _call(self, operation: OperationDefinitionNode, plans: Plans) -> Call | None:
        root = self._schema.get_root_type(operation.operation)
        return None if root is None else compile_call(root, operation, plans)
