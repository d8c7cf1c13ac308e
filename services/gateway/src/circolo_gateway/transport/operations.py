"""One operation of a socket: from ``subscribe`` to its ``complete`` or ``error``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Protocol

from graphql import GraphQLError, OperationType
from graphql.execution import Executor

from .documents import Documents, Operation
from .errors import Problem, shown, shown_all
from .execution import Execution
from .later import Later
from .leaves import NotPlain
from .messages import complete_frame, error_frame, next_frame, quoted
from .params import Params
from .plans import Renderer
from .session import Application, Session
from .steps import Steps

log = logging.getLogger(__name__)


class Sink(Protocol):
    """Where an operation's frames go. Nothing arrives for an operation that the client has completed."""

    @property
    def is_free(self) -> bool:
        """Whether a frame that is put now is written at once."""
        ...

    def put(self, frame: bytes) -> None: ...

    @property
    def has_room(self) -> bool:
        """Whether ``room`` would return at once."""
        ...

    async def room(self) -> None: ...

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """As a task, at whose end the operation is over."""
        ...

    def end(self) -> None:
        """The operation is over."""
        ...


class Operations:
    """Runs the operations of all sockets; has no state of its own."""

    def __init__(self, application: Application, documents: Documents, execution: Execution) -> None:
        self._application = application
        self._documents = documents
        self._execution = execution

    def begin(self, identity: str, params: Params, session: Session, sink: Sink) -> Later[Any] | None:
        """Runs it: an immediate call without a task, whose value may come later; everything else as a task."""
        document = self._documents.known(params.query)
        operation = None if document is None else document.operation(params.operation_name)
        if operation is None or operation.call is None or not operation.call.is_immediate:
            sink.run(self.run(identity, params, session, sink))
            return None
        admission = self._application.admission(session, operation)
        try:
            arguments = None if admission else operation.call.arguments(params.variables or {})
        except NotPlain:
            arguments = None
        if arguments is None:
            sink.run(self.run(identity, params, session, sink, admission))
            return None
        quoted_id = quoted(identity)
        if self._application.charge(session, operation):
            sink.put(error_frame(quoted_id, [shown(_rate_limited())]))
            sink.end()
            return None
        context = self._application.context(session)
        return operation.call.begin(arguments, context, partial(self._answered, quoted_id, sink))

    def _answered(self, quoted_id: bytes, sink: Sink, answer: bytes) -> None:
        if not sink.has_room:
            sink.run(self._answered_later(quoted_id, sink, answer))
            return
        sink.put(next_frame(quoted_id, answer))
        sink.put(complete_frame(quoted_id))
        sink.end()

    async def _answered_later(self, quoted_id: bytes, sink: Sink, answer: bytes) -> None:
        await sink.room()
        sink.put(next_frame(quoted_id, answer))
        sink.put(complete_frame(quoted_id))

    async def run(
        self,
        identity: str,
        params: Params,
        session: Session,
        sink: Sink,
        admission: Awaitable[None] | None = None,
    ) -> None:
        """Never raises, but for its cancellation; the source of a subscription is closed in every case."""
        quoted_id = quoted(identity)
        try:
            errors = await self._run(quoted_id, params, session, sink, admission)
        except Problem as problem:
            errors = [shown(problem)]
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a source that fails in the middle
            located = error if isinstance(error, GraphQLError) else GraphQLError("", original_error=error)
            errors = [shown(located)]
        sink.put(complete_frame(quoted_id) if errors is None else error_frame(quoted_id, errors))

    async def _run(
        self, quoted_id: bytes, params: Params, session: Session, sink: Sink, admission: Awaitable[None] | None
    ) -> list[dict[str, Any]] | None:
        """None when it is complete, else the errors that end it."""
        document = self._documents.get(params.query)
        if document.errors:
            return list(document.errors)
        operation = document.select(params.operation_name)
        admission = admission or self._application.admission(session, operation)
        if admission is not None:
            await admission
        if self._application.charge(session, operation):
            raise _rate_limited()
        context = self._application.context(session)
        if operation.kind is not OperationType.SUBSCRIPTION:
            answer = await self._execution.answer(operation, params.variables, context)
            if isinstance(answer, list):
                return shown_all(answer)
            await sink.room()
            sink.put(next_frame(quoted_id, answer))
            return None
        source = await self._execution.source(operation, params.variables, context)
        if isinstance(source, list):
            return shown_all(source)
        prepared: Executor[Any] | None = None
        try:
            render = self._execution.renderer(operation)
            if render is not None and isinstance(source, Steps):
                source.deliver = _short_cut(quoted_id, render, sink)
            async for payload in source:
                body = None if render is None else render(payload)
                if body is None:
                    prepared = prepared or self._prepared(operation, params)
                    body = await self._execution.event(prepared, payload, self._application.context(session))
                sink.put(next_frame(quoted_id, body))
                await sink.room()
        finally:
            await _close(source)
        return None

    def _prepared(self, operation: Operation, params: Params) -> Executor[Any]:
        """For events that no plan renders. The variables were read when the subscription began."""
        prepared = self._execution.prepare(operation, params.variables, None)
        assert not isinstance(prepared, list)
        return prepared


def _rate_limited() -> Problem:
    return Problem("RATE_LIMITED", "Too many operations: wait a moment.")


def _short_cut(quoted_id: bytes, render: Renderer, sink: Sink) -> Callable[[Any], bool]:
    """From a step to the socket without a task in between, if the socket takes it now and the step is plain."""

    def deliver(payload: Any) -> bool:
        if not sink.is_free:
            return False
        try:
            body = render(payload)
        except Exception:
            return False  # it fails again where somebody can be told
        if body is None:
            return False
        sink.put(next_frame(quoted_id, body))
        return True

    return deliver


async def _close(source: AsyncIterator[Any]) -> None:
    aclose = getattr(source, "aclose", None)
    if aclose is not None:
        try:
            await aclose()
        except Exception:
            log.exception("a subscription's source failed while it was closed")
