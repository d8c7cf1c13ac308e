"""One operation of a socket: from ``subscribe`` to its ``complete`` or ``error``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any, Protocol

from graphql import ExecutionResult, GraphQLError, OperationType

from .documents import Documents
from .errors import Problem, shown, shown_all
from .execution import Execution
from .messages import complete_frame, error_frame, next_frame
from .params import Params
from .session import Application, Session

log = logging.getLogger(__name__)


class Sink(Protocol):
    """Where an operation's frames go. Nothing arrives for an operation that the client has completed."""

    def put(self, frame: str) -> None: ...

    async def room(self) -> None: ...


class Operations:
    """Runs the operations of all sockets; has no state of its own."""

    def __init__(self, application: Application, documents: Documents, execution: Execution) -> None:
        self._application = application
        self._documents = documents
        self._execution = execution

    async def run(self, identity: str, params: Params, session: Session, sink: Sink) -> None:
        """Never raises, but for its cancellation; the source of a subscription is closed in every case."""
        try:
            errors = await self._run(identity, params, session, sink)
        except Problem as problem:
            errors = [shown(problem)]
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a source that fails in the middle
            located = error if isinstance(error, GraphQLError) else GraphQLError("", original_error=error)
            errors = [shown(located)]
        sink.put(complete_frame(identity) if errors is None else error_frame(identity, errors))

    async def _run(self, identity: str, params: Params, session: Session, sink: Sink) -> list[dict[str, Any]] | None:
        """None when it is complete, else the errors that end it."""
        document = self._documents.get(params.query)
        if document.errors:
            return list(document.errors)
        operation = document.select(params.operation_name)
        if self._application.charge(session, operation):
            raise Problem("RATE_LIMITED", "Too many operations: wait a moment.")
        context = self._application.context(session)
        if operation.kind is not OperationType.SUBSCRIPTION:
            answer = await self._execution.answer(operation, params.variables, context)
            if isinstance(answer, list):
                return shown_all(answer)
            await sink.room()
            sink.put(next_frame(identity, answer))
            return None
        prepared = self._execution.prepare(operation, params.variables, context)
        if isinstance(prepared, list):
            return shown_all(prepared)
        source = await self._execution.source(prepared)
        if isinstance(source, ExecutionResult):
            return shown_all(source.errors or [])
        try:
            async for payload in source:
                body = await self._execution.event(prepared, payload, self._application.context(session))
                sink.put(next_frame(identity, body))
                await sink.room()
        finally:
            await _close(source)
        return None


async def _close(source: AsyncIterator[Any]) -> None:
    aclose = getattr(source, "aclose", None)
    if aclose is not None:
        try:
            await aclose()
        except Exception:
            log.exception("a subscription's source failed while it was closed")
