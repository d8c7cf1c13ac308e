"""The short cut of a subscription: a step goes straight to a socket that takes it, or waits its turn; never both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

import msgspec
import pytest
from circolo_gateway.transport.documents import Documents
from circolo_gateway.transport.execution import Execution
from circolo_gateway.transport.operations import Operations
from circolo_gateway.transport.params import Params
from circolo_gateway.transport.session import NOBODY, Session
from circolo_gateway.transport.steps import Steps
from graphql import GraphQLSchema, build_schema


class Application:
    def identify(self, authorization: str | None) -> Any:
        return NOBODY

    def context(self, session: Session) -> object:
        return object()

    def charge(self, session: Session, operation: Any) -> float:
        return 0.0

    def admission(self, session: Session, operation: Any) -> None:
        return None

    def now(self) -> int:
        return 0


class Sink:
    def __init__(self) -> None:
        self.is_free = True
        self.frames: list[Any] = []
        self.open = asyncio.Event()
        self.open.set()

    def put(self, frame: bytes) -> None:
        self.frames.append(msgspec.json.decode(frame))

    async def room(self) -> None:
        await self.open.wait()

    @property
    def heard(self) -> list[Any]:
        return [frame["payload"]["data"]["n"] for frame in self.frames if frame["type"] == "next"]


class Stream:
    """A source whose test says each step: offered first, yielded if it was not taken."""

    def __init__(self) -> None:
        self.offer: Callable[[Any], bool] = lambda _: False
        self.yielded: list[Any] = []
        self.closed = False
        self._waiting: asyncio.Queue[Any] = asyncio.Queue()

    def say(self, step: Any) -> bool:
        taken = self.offer(step)
        if not taken:
            self._waiting.put_nowait(step)
        return taken

    def subscribe(self, _: Any, info: Any) -> Steps[Any]:
        return Steps(self._source)

    async def _source(self, offer: Callable[[Any], bool]) -> AsyncGenerator[Any, None]:
        self.offer = offer
        try:
            while True:
                self.yielded.append(await self._waiting.get())
                yield self.yielded[-1]
        finally:
            self.closed = True


class Running:
    def __init__(self, document: str) -> None:
        schema: GraphQLSchema = build_schema("type Query { n: Int }  type Subscription { n: Int! }")
        assert schema.subscription_type is not None
        self.stream, self.sink = Stream(), Sink()
        schema.subscription_type.fields["n"].subscribe = self.stream.subscribe
        schema.subscription_type.fields["n"].resolve = lambda event, _info: event
        operations = Operations(Application(), Documents(schema), Execution(schema))
        session = Session(NOBODY, "EN", "")
        self.task = asyncio.create_task(
            operations.run('a "quoted" id', Params(document, None, None), session, self.sink)
        )

    async def turn(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    it = Running("subscription { n }")
    await it.turn()
    yield it
    await it.stop()
    assert it.stream.closed


async def test_a_socket_that_takes_it_gets_a_step_at_once_and_it_is_not_yielded(running: Running) -> None:
    assert running.stream.say(1)
    assert running.sink.heard == [1]
    assert running.sink.frames[0]["id"] == 'a "quoted" id'
    await running.turn()
    assert (running.stream.yielded, running.sink.heard) == ([], [1])


async def test_a_socket_that_does_not_take_it_now_gets_it_in_its_turn(running: Running) -> None:
    running.sink.is_free = False
    assert not running.stream.say(1)
    assert running.sink.heard == []
    await running.turn()
    assert (running.stream.yielded, running.sink.heard) == ([1], [1])


async def test_a_step_that_cannot_be_shown_fails_where_it_can_be_told(running: Running) -> None:
    assert running.stream.say(1)
    assert not running.stream.say("no number")
    await running.turn()
    assert running.sink.frames[-1]["payload"]["errors"][0]["path"] == ["n"]
    assert not running.stream.say(2**40)
    await running.turn()
    assert running.stream.say(3)
    assert running.stream.yielded == ["no number", 2**40]


async def test_a_document_that_is_not_plain_gets_every_step_by_graphql_core() -> None:
    it = Running("subscription { ...Numbers } fragment Numbers on Subscription { n }")
    await it.turn()
    assert not it.stream.say(1)
    await it.turn()
    assert (it.stream.yielded, it.sink.heard) == ([1], [1])
    await it.stop()


async def test_the_end_of_an_operation_closes_its_source(running: Running) -> None:
    await running.stop()
    assert running.stream.closed
