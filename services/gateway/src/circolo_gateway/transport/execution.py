"""Running an operation with graphql-core, which takes the short cut of compiled plans where there is one."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from typing import Any

from graphql import ExecutionResult, GraphQLError, GraphQLSchema
from graphql.execution import Executor, create_source_event_stream

from .documents import Operation
from .errors import encode_result
from .leaves import NotPlain
from .plans import PlannedExecutor, Renderer


class Execution:
    """One for each schema. ``prepare`` checks the variables; what it returns is executed once, or once an event."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema

    def prepare(
        self, operation: Operation, variables: dict[str, Any] | None, context: object
    ) -> Executor[Any] | list[GraphQLError]:
        prepared = PlannedExecutor.build(
            self.schema,
            operation.document,
            context_value=context,
            raw_variable_values=variables,
            operation_name=operation.name,
            max_coercion_errors=10,
            hide_suggestions=True,
        )
        if isinstance(prepared, list):
            return [_request_error(error) for error in prepared]
        assert isinstance(prepared, PlannedExecutor)
        prepared.plans = operation.plans
        return prepared

    async def answer(
        self, operation: Operation, variables: dict[str, Any] | None, context: object
    ) -> bytes | list[GraphQLError]:
        """A query or a mutation, as JSON; or what is wrong with its variables."""
        if operation.call is not None:
            try:
                arguments = operation.call.arguments(variables or {})
            except NotPlain:
                pass  # graphql-core says what is wrong, or reads what a closure cannot
            else:
                return await operation.call.run(arguments, context)
        prepared = self.prepare(operation, variables, context)
        if isinstance(prepared, list):
            return prepared
        return encode_result(await _settled(prepared.execute_operation()))

    async def source(
        self, operation: Operation, variables: dict[str, Any] | None, context: object
    ) -> AsyncIterator[Any] | list[GraphQLError]:
        """The events of a subscription, or why it does not start."""
        if operation.call is not None:
            try:
                return operation.call.open(operation.call.arguments(variables or {}), context)
            except NotPlain:
                pass  # as above
            except GraphQLError as error:
                return [error]
        prepared = self.prepare(operation, variables, context)
        if isinstance(prepared, list):
            return prepared
        stream = create_source_event_stream(prepared)
        opened = await stream if inspect.isawaitable(stream) else stream
        return opened.errors or [] if isinstance(opened, ExecutionResult) else opened.__aiter__()

    def renderer(self, operation: Operation) -> Renderer | None:
        """For the events of a subscription whose selection is plain: their JSON, or None for one that is not."""
        return operation.plans.renderer(operation.definition)

    async def event(self, executor: Executor[Any], payload: Any, context: object) -> bytes:
        """One event of a subscription by graphql-core, in a context of its own, as JSON."""
        each = executor.build_per_event_executor(payload)
        each.context_value = context
        return encode_result(await _settled(each.execute_operation(False)))


async def _settled(result: Any) -> ExecutionResult:
    """The schema has no @defer and no @stream: one result."""
    settled: ExecutionResult = await result if inspect.isawaitable(result) else result
    return settled


def _request_error(error: GraphQLError) -> GraphQLError:
    """A refused variable. What a scalar's own reader raised is the client's mistake, not ours."""
    return GraphQLError(
        error.message, nodes=error.nodes, extensions={"code": "BAD_USER_INPUT", **(error.extensions or {})}
    )
