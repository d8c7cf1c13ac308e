"""A toy schema behind the real transport and a real uvicorn: counters, a failing field, a slow source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from circolo_gateway.settings import GatewaySettings
from circolo_gateway.transport.app import Transport, build_transport
from circolo_gateway.transport.documents import Operation
from circolo_gateway.transport.errors import Problem
from circolo_gateway.transport.server import HttpServer
from circolo_gateway.transport.session import NOBODY, Identity, Session
from graphql import GraphQLSchema, build_schema

SDL = """
type Query { hello(name: String): String!  boom: Int  number(n: Int!): Int  rich: String }
type Mutation { move(n: Int!): Int }
type Subscription {
  count(to: Int!): Int!  late(ms: Int!): Int!  flood(bytes: Int!): String!  quiet: Int!  broken: Int!
}
"""


class Toy:
    """``opened`` and ``closed`` count the sources of subscriptions; ``moves`` the mutations that ran."""

    def __init__(self) -> None:
        self.opened = 0
        self.closed = 0
        self.moves: list[int] = []
        self.wait = 0.0
        self.time = 1_800_000_000_000
        self.contexts: list[object] = []
        self.schema = self._schema()

    # ---- the Application
    def identify(self, authorization: str | None) -> Identity:
        if authorization is None:
            return NOBODY
        if authorization.startswith("Bearer until "):
            return Identity("f" * 32, self.time + int(authorization.removeprefix("Bearer until ")))
        raise Problem("UNAUTHENTICATED", "The token is not good.", status=401)

    def context(self, session: Session) -> object:
        context = object()
        self.contexts.append(context)
        return context

    def charge(self, session: Session, operation: Operation) -> float:
        return self.wait

    def admission(self, session: Session, operation: Operation) -> None:
        return None

    def now(self) -> int:
        return self.time

    # ---- the schema
    def _schema(self) -> GraphQLSchema:
        schema = build_schema(SDL)
        assert schema.query_type and schema.mutation_type and schema.subscription_type
        query, mutation, subscription = schema.query_type, schema.mutation_type, schema.subscription_type

        def boom(*_: Any) -> int:
            raise RuntimeError("the database password is swordfish")

        async def move(_: Any, info: Any, n: int) -> int:
            await asyncio.sleep(0)
            self.moves.append(n)
            return n

        query.fields["hello"].resolve = lambda _s, _i, name="you": f"hello {name}"
        query.fields["number"].resolve = lambda _s, _i, n: n
        query.fields["rich"].resolve = lambda _s, _i: "x" * 2000
        query.fields["boom"].resolve = boom
        mutation.fields["move"].resolve = move
        for name, source in (
            ("count", self._count), ("late", self._late), ("flood", self._flood), ("quiet", self._quiet),
            ("broken", self._broken),
        ):  # fmt: skip
            subscription.fields[name].subscribe = source
            subscription.fields[name].resolve = lambda event, _info, **_: event
        return schema

    async def _count(self, _: Any, info: Any, to: int) -> AsyncIterator[int]:
        self.opened += 1
        try:
            for n in range(to):
                await asyncio.sleep(0.001)
                yield n
        finally:
            self.closed += 1

    async def _late(self, _: Any, info: Any, ms: int) -> AsyncIterator[int]:
        """Awaits before there is a source: the subscribe itself is slow."""
        self.opened += 1
        try:
            await asyncio.sleep(ms / 1000)
        except BaseException:
            self.closed += 1
            raise
        return self._late_source()

    async def _late_source(self) -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            self.closed += 1

    async def _flood(self, _: Any, info: Any, bytes: int) -> AsyncIterator[str]:
        self.opened += 1
        try:
            while True:
                yield "x" * bytes
        finally:
            self.closed += 1

    async def _quiet(self, _: Any, info: Any) -> AsyncIterator[int]:
        self.opened += 1
        try:
            yield 0
            await asyncio.Event().wait()
        finally:
            self.closed += 1

    async def _broken(self, _: Any, info: Any) -> AsyncIterator[int]:
        yield 1
        raise RuntimeError("the database password is swordfish")


class Running:
    def __init__(self, toy: Toy, transport: Transport, server: HttpServer) -> None:
        self.toy = toy
        self.transport = transport
        self.server = server
        self.url = f"http://127.0.0.1:{server.port}/graphql"
        self.ws_url = f"ws://127.0.0.1:{server.port}/graphql"


@asynccontextmanager
async def serve(**settings: Any) -> AsyncIterator[Running]:
    toy = Toy()
    chosen = GatewaySettings(**settings)
    transport = build_transport(toy.schema, toy, chosen)
    server = HttpServer(transport.app, host="127.0.0.1", port=0, max_message=chosen.max_body_bytes, drain=1)
    await server.start()
    try:
        yield Running(toy, transport, server)
    finally:
        await transport.sockets.drain(0)
        await server.stop()


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    async with serve() as it:
        yield it


@pytest.fixture
def serving() -> Callable[..., Any]:
    """``async with serving(setting=value) as running``."""
    return serve
